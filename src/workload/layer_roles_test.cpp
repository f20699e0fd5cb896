#include "workload/layer_roles.hpp"

#include <gtest/gtest.h>

#include <set>

#include "workload/einsum_text.hpp"
#include "workload/shapes.hpp"

namespace tilewright::layer_roles_test {
namespace {

// Dimensions are small letters between brackets, in the order of the alphabet; all have extent 4.
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

// Every layer of workload/shapes.hpp plays itself; of a transposed one the windows lie in the results.
TEST(LayerRoles, LayersPlayThemselves) {
    EXPECT_EQ(to_text(layer_roles(conv2d(8, 8, 4, 3)), conv2d(8, 8, 4, 3)), "");
    EXPECT_EQ(to_text(layer_roles(depthwise(8, 4, 3)), depthwise(8, 4, 3)), "");
    EXPECT_EQ(to_text(layer_roles(batched_matmul(2, 4, 8, 16)), batched_matmul(2, 4, 8, 16)), "");
}

TEST(LayerRoles, WhatIsReadBesideTwoOperandsHasNoRole) {
    const Einsum einsum = read("Y[m,n] += X[m,k] * B[k,n] * C[m]");
    EXPECT_EQ(layer_roles(einsum).further(), TensorSet::of(find_tensor(einsum, "C")));
    const Einsum alone = read("Y[m] += W[m,k]");
    EXPECT_EQ(to_text(layer_roles(alone), alone), "W is Inputs, Y is Outputs; k is C, m is N");
}

}  // namespace
}  // namespace tilewright::layer_roles_test
