#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "workload/einsum_text.hpp"
#include "workload/network.hpp"
#include "workload/rename.hpp"
#include "workload/shapes.hpp"

namespace tilewright::rename_test {
namespace {

Network products() {
    Network network{"net", {}, {}};
    const Einsum einsum = parse_einsum("O[m,n] += A[m,k] * B[k,n]", {{"m", 4}, {"n", 8}, {"k", 2}});
    network.layers.push_back({"first", "MatMul", einsum, 1, {}});
    network.layers.push_back({"second", "MatMul", einsum, 1, {0}});
    return network;
}

ErrorCode code_of(const std::vector<std::pair<std::string, std::string>>& names) {
    Network network = products();
    try {
        rename_ranks(network, names);
    } catch (const InputError& error) {
        return error.code();
    }
    return ErrorCode::io;
}

TEST(Rename, RenamesDimensionsAndTensorsOfEveryLayer) {
    Network network = products();
    rename_ranks(network, {{"m", "M"}, {"A", "Inputs"}});
    for (const Layer& layer : network.layers) EXPECT_EQ(to_text(layer.einsum), "O[M, n] += Inputs[M, k] * B[k, n]");
}

TEST(Rename, SwapsTwoNamesAtOnce) {
    Network network = products();
    rename_ranks(network, {{"m", "n"}, {"n", "m"}});
    EXPECT_EQ(to_text(network.layers[0].einsum), "O[n, m] += A[n, k] * B[k, m]");
    EXPECT_EQ(network.layers[0].einsum.dimensions[0].extent, 4);
}

TEST(Rename, RefusesNamesThatAreNotThereOrWouldBeTwo) {
    EXPECT_EQ(code_of({{"z", "y"}}), ErrorCode::unknown_name);
    EXPECT_EQ(code_of({{"m", "n"}}), ErrorCode::duplicate_key);
    EXPECT_EQ(code_of({{"m", "a"}, {"m", "b"}}), ErrorCode::duplicate_key);
}

TEST(SelectLayers, KeepsWhatMatchesAndForgetsWhoFeedsIt) {
    const Network some = select_layers(products(), {"sec*"});
    ASSERT_EQ(some.layers.size(), 1U);
    EXPECT_EQ(some.layers[0].name, "second");
    EXPECT_TRUE(some.layers[0].feeds_from.empty());
    EXPECT_EQ(select_layers(products(), {}).layers, products().layers);
    EXPECT_THROW(select_layers(products(), {"third"}), InputError);
}

}  // namespace

}  // namespace tilewright::rename_test

namespace tilewright::roles_test {
namespace {

using testing::IsEmpty;
using testing::Optional;
using testing::Pair;
using testing::UnorderedElementsAre;

Einsum read(const std::string& text, const std::vector<std::pair<std::string, std::int64_t>>& extents) {
    return parse_einsum(text, extents);
}

// Names of Eyeriss's papers: M filters, C channels, E x F results.
Einsum eyeriss_names() {
    return read("Psum[b,m,e,f] += Filter[m,c,r,s] * Ifmap[b,c,e+r,f+s]",
                {{"b", 1}, {"m", 8}, {"c", 4}, {"e", 7}, {"f", 7}, {"r", 3}, {"s", 3}});
}

TEST(Roles, AConvolutionIsRecognisedWhateverItsNames) {
    const auto names = names_by_role(conv2d(16, 8, 14, 3), eyeriss_names());
    ASSERT_TRUE(names);
    const auto called = [&](const std::string& name) {
        for (const auto& [from, to] : *names)
            if (from == name) return to;
        return std::string("kept");
    };
    EXPECT_EQ(called("K"), "m");
    EXPECT_EQ(called("C"), "c");
    EXPECT_EQ(called("N"), "b");
    EXPECT_EQ(called("Weights"), "Filter");
    EXPECT_EQ(called("Inputs"), "Ifmap");
    EXPECT_EQ(called("Outputs"), "Psum");
    EXPECT_EQ(called("R") == "r", called("P") == "e") << "filter and result go together";
}

TEST(Roles, NamesThatFitAreKept) {
    EXPECT_THAT(names_by_role(conv2d(16, 8, 14, 3), conv2d(4, 4, 4, 1)), Optional(IsEmpty()));
}

TEST(Roles, StridesDoNotMatter) {
    const Einsum strided = read("O[p,k] += W[k,r] * I[2p+r]", {{"p", 4}, {"k", 2}, {"r", 3}});
    const Einsum plain = read("O[x,m] += W[m,t] * I[x+t]", {{"x", 9}, {"m", 5}, {"t", 2}});
    EXPECT_THAT(names_by_role(strided, plain),
                Optional(UnorderedElementsAre(Pair("p", "x"), Pair("k", "m"), Pair("r", "t"))));
}

TEST(Roles, DimensionsThatALayerLacksStayWithoutOne) {
    const Einsum product = read("O[m,n] += A[m,k] * B[k,n]", {{"m", 4}, {"n", 4}, {"k", 4}});
    const Einsum batched = read("Z[b,i,j] += X[b,i,l] * Y[b,l,j]", {{"b", 2}, {"i", 4}, {"j", 4}, {"l", 4}});
    EXPECT_TRUE(names_by_role(product, batched));
    EXPECT_FALSE(names_by_role(batched, product)) << "nothing of a plain product moves all three tensors";
}

TEST(Roles, AnotherKindOfLayerIsNotRecognised) {
    const Einsum product = read("O[m,n] += A[m,k] * B[k,n]", {{"m", 4}, {"n", 4}, {"k", 4}});
    EXPECT_FALSE(names_by_role(conv2d(16, 8, 14, 3), product));
}

}  // namespace

}  // namespace tilewright::roles_test
