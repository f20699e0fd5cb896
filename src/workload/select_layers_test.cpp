#include "workload/network.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workload/einsum_text.hpp"

namespace tilewright::join_test {
namespace {

using testing::ElementsAre;

Network network_of(const std::string& name, const std::vector<std::string>& layers) {
    Network network{name, {}, {{name + "-relu", "Relu", "element by element"}}, {}};
    const Einsum einsum = parse_einsum("O[m,n] += A[m,k] * B[k,n]", {{"m", 4}, {"n", 8}, {"k", 2}});
    for (std::size_t i = 0; i < layers.size(); ++i) {
        network.layers.push_back({layers[i], "MatMul", einsum, 1, {}});
        if (i > 0) network.layers.back().feeds_from = {static_cast<int>(i) - 1};
    }
    return network;
}

std::vector<std::string> names_of(const Network& network) {
    std::vector<std::string> names;
    for (const Layer& layer : network.layers) names.push_back(layer.name);
    return names;
}

TEST(Join, OnlyLayersThatShareANameAreRenamed) {
    const Network all = joined({network_of("a", {"fc", "one"}), network_of("b", {"fc", "two"})});
    EXPECT_EQ(all.name, "a+b");
    EXPECT_THAT(names_of(all), ElementsAre("a/fc", "one", "b/fc", "two"));
    EXPECT_THAT(all.layers[1].feeds_from, ElementsAre(0));
    EXPECT_THAT(all.layers[3].feeds_from, ElementsAre(2));
    EXPECT_EQ(all.unmapped.size(), 2U);
}

TEST(Join, WhereTheNetworksNameIsNotEnoughNumbersAre) {
    EXPECT_THAT(names_of(joined({network_of("a", {"fc"}), network_of("a", {"fc"})})), ElementsAre("a/fc", "a/fc#2"));
    EXPECT_THAT(names_of(joined({network_of("a", {"fc", "fc", "fc#2", "fc"})})),
                ElementsAre("fc", "fc#2", "fc#2#2", "fc#3"));
    EXPECT_THAT(names_of(joined({network_of("a", {"fc", "b/fc"}), network_of("b", {"fc"})})),
                ElementsAre("a/fc", "b/fc", "b/fc#2"));
}

TEST(Join, ALayerIsFoundByItsOwnNameAndByItsNewOne) {
    const Network all = joined({network_of("a", {"fc", "one"}), network_of("b", {"fc"})});
    EXPECT_THAT(names_of(select_layers(all, {"fc"})), ElementsAre("a/fc", "b/fc"));
    EXPECT_THAT(names_of(select_layers(all, {"b/fc"})), ElementsAre("b/fc"));
    EXPECT_THAT(names_of(select_layers(all, {"a/*", "one"})), ElementsAre("a/fc", "one"));
}

}  // namespace
}  // namespace tilewright::join_test
