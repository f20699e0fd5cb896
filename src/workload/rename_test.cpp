#include "workload/rename.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "workload/einsum_text.hpp"
#include "workload/select_layers.hpp"

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
