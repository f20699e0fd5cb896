#include "fusion/hierarchy/roles.hpp"

#include <gtest/gtest.h>

#include "workload/cascade/builder.hpp"
#include "workload/cascade/text.hpp"
#include "workload/shapes.hpp"

namespace tilewright::fusion::roles_test {
namespace {

constexpr int kBuffer = 1;

// Eight units below a buffer.
Architecture eight_units() {
    Architecture machine;
    machine.memories.resize(2);
    machine.memories[0].name = "DRAM";
    machine.memories[1].name = "Buffer";
    machine.memories[1].capacity_words = 64;
    machine.compute.instances = 8;
    machine.compute.mesh = {8, 1};
    return machine;
}

// K at most 4 across columns, rows of filters whole, no other dimension; weights pass the buffer by.
Constraints of_layer(const Einsum& layer) {
    Constraints demands;
    demands.levels.resize(2);
    LoopConstraint& spatial = demands.levels[kBuffer].spatial;
    for (const Dimension& dimension : layer.dimensions) {
        FactorConstraint factor;
        factor.exactly = 1;
        if (dimension.name == "K") {
            factor.exactly.reset();
            factor.at_most = 4;
        }
        if (dimension.name == "S") factor.exactly = dimension.extent;
        spatial.factors.push_back(factor);
    }
    spatial.inner = {find_dimension(layer, "K"), find_dimension(layer, "S")};
    spatial.split = 1;
    demands.levels[kBuffer].must_bypass = TensorSet::of(find_tensor(layer, "Weights"));
    demands.levels[kBuffer].must_keep = TensorSet::of(find_tensor(layer, "Outputs"));
    return demands;
}

Constraints demands_of_text(const std::string& text) {
    std::string problem;
    const std::vector<Constraints> all =
        demands_of(parse_cascade(text, {}, "text", "text"), eight_units(), of_layer, problem);
    EXPECT_EQ(problem, "");
    return all.front();
}

TEST(Roles, AConvolutionPlaysEveryPart) {
    const Constraints demands = demands_of_text(
        "size n=2, k=8, c=3, p=5, q=6, r=3, s=2; input x[2,3,7,7]; weight w[8,3,3,2]; "
        "y[n,k,p,q] += x[n,c,p+r,q+s] * w[k,c,r,s];");
    const LevelConstraint& buffer = demands.levels[kBuffer];
    // In the order of the text: n, k, p, q, c, r, s. Rows of windows are S.
    ASSERT_EQ(buffer.spatial.factors.size(), 7U);
    EXPECT_EQ(buffer.spatial.inner.size(), 2U);
    int whole = 0;
    int limited = 0;
    for (const FactorConstraint& factor : buffer.spatial.factors) {
        whole += factor.exactly == 0;
        limited += factor.at_most == 4;
    }
    EXPECT_EQ(whole, 1);
    EXPECT_EQ(limited, 1);
    EXPECT_TRUE(buffer.must_bypass.has(1));
    EXPECT_TRUE(buffer.must_keep.has(2));
    EXPECT_FALSE(buffer.must_keep.has(0));
    EXPECT_EQ(buffer.spatial.split, 1);
    const Constraints on_box = rules_on(demands, {2, 8, 5, 6, 3, 3, 2});
    for (std::size_t d = 0; d < 7; ++d)
        if (buffer.spatial.factors[d].exactly == 0) {
            EXPECT_EQ(on_box.levels[kBuffer].spatial.factors[d].exactly.value_or(0) > 1, true);
        }
}

// As ONNX networks have them: weights stand first, and names say which window are rows.
TEST(Roles, ALayerPlaysItselfWhateverStandsFirst) {
    const Einsum layer = conv2d(3, 8, 5, 3);
    CascadeBuilder builder("net");
    const int weights = builder.tensor("w", TensorRole::weight, {3, 8, 3, 3});
    const int inputs = builder.tensor("x", TensorRole::input, {1, 3, 7, 7});
    const int outputs = builder.tensor("y", TensorRole::output, {1, 8, 5, 5});
    builder.einsum({"conv", "Conv", layer}, {weights, inputs, outputs});
    std::string problem;
    const Constraints own = demands_of(builder.take(), eight_units(), of_layer, problem).front();
    EXPECT_EQ(problem, "");
    const LevelConstraint& buffer = own.levels[kBuffer];
    EXPECT_EQ(buffer.must_bypass, TensorSet::of(find_tensor(layer, "Weights")));
    EXPECT_EQ(buffer.spatial.factors[find_dimension(layer, "K")].at_most, 4);
    EXPECT_EQ(buffer.spatial.factors[find_dimension(layer, "S")].exactly, 0);
    EXPECT_EQ(buffer.spatial.factors[find_dimension(layer, "R")].exactly, 1);
}

TEST(Roles, DeclaredWeightsAreWeightsWhateverStandsFirst) {
    const Constraints demands =
        demands_of_text("size m=4, k=8, n=8; input x[4,8]; weight v[8,8]; y[m,n] += v[k,n] * x[m,k];");
    EXPECT_TRUE(demands.levels[kBuffer].must_bypass.has(0));
    EXPECT_FALSE(demands.levels[kBuffer].must_bypass.has(1));
    EXPECT_EQ(demands.levels[kBuffer].spatial.factors[1].at_most, 4) << "n moves weights and results: it is K";
}

TEST(Roles, OperandsBeyondTheSecondComeFromTheBuffer) {
    const Constraints demands =
        demands_of_text("size m=4, n=8; input x[4,8], a[4], b[4]; y[m,n] = (x[m,n] - a[m]) * b[m];");
    EXPECT_TRUE(demands.levels[kBuffer].must_bypass.has(1));
    EXPECT_TRUE(demands.levels[kBuffer].must_keep.has(2));
    EXPECT_FALSE(demands.levels[kBuffer].must_bypass.has(2));
}

// Several dimensions of one part have no factor between them.
TEST(Roles, ABoundOnSeveralDimensionsIsNoDemandOfOurs) {
    std::string problem;
    demands_of(parse_cascade("size m=4, k=2, n=8, e=3; input x[4,3]; weight w[3,2,8]; y[m,k,n] += x[m,e] * w[e,k,n];",
                             {}, "text", "text"),
               eight_units(), of_layer, problem);
    EXPECT_NE(problem.find("bounds K, which several dimensions"), std::string::npos) << problem;
}

}  // namespace
}  // namespace tilewright::fusion::roles_test
