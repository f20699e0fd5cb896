#include "workload/layer_roles.hpp"

#include <gtest/gtest.h>

#include <set>

#include "workload/einsum_text.hpp"
#include "workload/shapes.hpp"
#include "workload/zoo/zoo.hpp"

namespace tilewright::layer_roles_test {
namespace {

// Dimensions are small letters between brackets, in alphabetical order, all of extent 4.
Einsum read(const std::string& text) {
    std::set<char> letters;
    bool inside = false;
    for (const char letter : text) {
        if (letter == '[' || letter == ']') inside = letter == '[';
        if (inside && letter >= 'a' && letter <= 'z') letters.insert(letter);
    }
    std::vector<std::pair<std::string, std::int64_t>> extents;
    for (const char letter : letters) extents.emplace_back(std::string(1, letter), 4);
    return parse_einsum(text, extents);
}

std::string roles_of(const std::string& text, std::optional<TensorSet> weights = std::nullopt) {
    const Einsum einsum = read(text);
    return to_text(layer_roles(einsum, weights), einsum);
}

TEST(LayerRoles, AMatrixProductPlaysALayer) {
    EXPECT_EQ(roles_of("Y[m,n] += X[m,k] * B[k,n]"), "X is Inputs, B is Weights, Y is Outputs; k is C, m is N, n is K");
}

TEST(LayerRoles, SeveralDimensionsPlayOnePart) {
    EXPECT_EQ(roles_of("Y[b,h,m,n] += X[b,h,m,k] * B[b,h,k,n]"),
              "X is Inputs, B is Weights, Y is Outputs; b is G, h is G, k is C, m is N, n is K");
}

TEST(LayerRoles, WhatIsDeclaredDecidesWhateverTheOrder) {
    const std::string text = "Y[m,n] += V[n,k] * X[m,k]";
    EXPECT_EQ(roles_of(text), "V is Inputs, X is Weights, Y is Outputs; k is C, m is K, n is N");
    const Einsum einsum = read(text);
    EXPECT_EQ(roles_of(text, TensorSet::of(find_tensor(einsum, "V"))),
              "V is Weights, X is Inputs, Y is Outputs; k is C, m is N, n is K");
    EXPECT_FALSE(weights_come_first(einsum, TensorSet::all(3))) << "both declared: the order decides";
}

TEST(LayerRoles, NamesDecideWhereNothingIsDeclared) {
    EXPECT_EQ(roles_of("Y[m,n] += W[n,k] * X[m,k]"), "W is Weights, X is Inputs, Y is Outputs; k is C, m is N, n is K");
    EXPECT_EQ(roles_of("Y[m,n] += W[n,k] * X[m,k]", TensorSet{}),
              "W is Inputs, X is Weights, Y is Outputs; k is C, m is K, n is N")
        << "declared: neither is";
    EXPECT_EQ(roles_of("Y[m,n] += Weights[n,k] * X[m,k]", TensorSet{}),
              "X is Inputs, Y is Outputs; k is C, m is N, n is K")
        << "the name of a role is that role";
}

TEST(LayerRoles, AWindowSlidesOverInputs) {
    EXPECT_EQ(roles_of("O[n,k,p,q] += F[k,c,r,s] * I[n,c,p+r,q+s]"),
              "F is Weights, I is Inputs, O is Outputs; c is C, k is K, n is N, p is Q, q is P, r is S, s is R")
        << "the first window are rows";
}

// Every layer of workload/shapes.hpp has its own roles; a transposed one has windows in the results.
TEST(LayerRoles, LayersPlayThemselves) {
    EXPECT_EQ(to_text(layer_roles(conv2d(8, 8, 4, 3)), conv2d(8, 8, 4, 3)), "");
    EXPECT_EQ(to_text(layer_roles(depthwise(8, 4, 3)), depthwise(8, 4, 3)), "");
    EXPECT_EQ(to_text(layer_roles(batched_matmul(2, 4, 8, 16)), batched_matmul(2, 4, 8, 16)), "");
}

std::vector<std::string> misleading(const Einsum& einsum) { return misleading_names(einsum, layer_roles(einsum)); }

// A layer's K is result columns; here it is the reduction.
TEST(LayerRoles, NamesOfLayersForSomethingElseAreNotMeant) {
    const auto product = [](const std::string& text) { return parse_einsum(text, {{"M", 4}, {"N", 4}, {"K", 4}}); };
    EXPECT_EQ(misleading(product("Outputs[M,N] += Inputs[M,K] * Weights[K,N]")), (std::vector<std::string>{"N", "K"}));
    EXPECT_EQ(misleading(product("Inputs[M,N] += X[M,K] * Outputs[N,K]")),
              (std::vector<std::string>{"Outputs", "Inputs", "N", "K"}));
    EXPECT_TRUE(misleading(read("Y[m,n] += X[m,k] * W[k,n]")).empty());
}

// Rows of a product as P, depthwise channels as C, windows in results, a sum alone; the layers of the zoo.
TEST(LayerRoles, VariationsOfLayersAreLayers) {
    const std::vector<std::pair<std::string, std::int64_t>> extents{{"N", 4}, {"K", 4}, {"C", 4}, {"P", 4}, {"R", 4}};
    const auto of = [&](const std::string& text, std::size_t first, std::size_t count) {
        return misleading(parse_einsum(text, {extents.begin() + static_cast<std::ptrdiff_t>(first),
                                              extents.begin() + static_cast<std::ptrdiff_t>(first + count)}));
    };
    EXPECT_TRUE(of("Outputs[K,P] += Weights[C,K] * Inputs[C,P]", 1, 3).empty());
    EXPECT_TRUE(of("Outputs[C,P] += Weights[C,R] * Inputs[C,P+R]", 2, 3).empty());
    EXPECT_TRUE(of("Outputs[K,P+R] += Weights[K,C,R] * Inputs[C,P]", 1, 4).empty());
    EXPECT_TRUE(of("Outputs[K] += Inputs[K,C]", 1, 2).empty());
    for (const ZooEntry& entry : zoo_networks())
        for (const Layer& layer : zoo_network(entry.name, {}).layers)
            EXPECT_TRUE(misleading(layer.einsum).empty()) << entry.name << " " << layer.name;
}

TEST(LayerRoles, WhatIsReadBesideTwoOperandsHasNoRole) {
    const Einsum einsum = read("Y[m,n] += X[m,k] * B[k,n] * C[m]");
    EXPECT_EQ(layer_roles(einsum).further(), TensorSet::of(find_tensor(einsum, "C")));
    const Einsum alone = read("Y[m] += W[m,k]");
    EXPECT_EQ(to_text(layer_roles(alone), alone), "W is Inputs, Y is Outputs; k is C, m is N");
}

}  // namespace
}  // namespace tilewright::layer_roles_test
