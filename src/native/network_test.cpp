#include "native/network.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "workload/einsum_text.hpp"
#include "workload/zoo/zoo.hpp"

namespace tilewright::native::network_test {
namespace {

Network read_back(const std::string& text) { return read_network(yaml::parse_text(text, "net.yaml").at("network")); }

void expect_same(const Network& network) {
    SCOPED_TRACE(network.name);
    const Network again = read_back(write_network(network));
    EXPECT_EQ(again.name, network.name);
    EXPECT_EQ(again.layers, network.layers);
    EXPECT_EQ(again.unmapped, network.unmapped);
    EXPECT_EQ(again.streamed, network.streamed);
}

TEST(NetworkFile, EveryNetworkOfTheZooIsTheSameAfterwards) {
    for (const ZooEntry& entry : zoo_networks()) expect_same(zoo_network(entry.name, {}));
}

TEST(NetworkFile, OddNamesAndOrdersSurvive) {
    Network network{
        "7 \"of\"\n nine: [x]", {}, {{"a\\b", "Relu", "works: element # by element"}}, {{"s", "Add", 3, 4}}};
    Einsum einsum = parse_einsum("Z[i, 2*j - k] += A[i, 0] * B[j, k]", {{"i", 4}, {"j", 5}, {"k", 6}});
    einsum.tensors[1].bits = 4;
    network.layers.push_back({"1", "no", einsum, 12, {}});
    std::swap(einsum.tensors.front(), einsum.tensors.back());
    einsum.name = "result first";
    network.layers.push_back({"twice", "MatMul", einsum, 1, {0}});
    network.layers.push_back({"twice", "MatMul", einsum, 1, {1, 0}});
    expect_same(network);
}

std::string message_of(const std::string& text) {
    try {
        static_cast<void>(read_back(text));
        return "";
    } catch (const InputError& error) {
        return error.what();
    }
}

std::string network_of(const std::string& layers) { return "network:\n  layers:\n" + layers; }

TEST(NetworkFile, MistakesHaveAPlace) {
    const std::string good = "  - {name: a, einsum: \"O[m] += A[m, k] * B[k]\", extents: {m: 2, k: 3}";
    EXPECT_EQ(message_of(network_of(good + "}\n")), "");
    EXPECT_THAT(message_of(network_of(good + ", feeds_from: [b]}\n")),
                testing::StartsWith("net.yaml:3:85: error: there is no layer 'b'"));
    EXPECT_THAT(message_of(network_of(good + ", feeds_from: [1]}\n")), testing::HasSubstr("there are layers 0 to 0"));
    EXPECT_THAT(message_of(network_of(good + "}\n" + good + ", feeds_from: [a]}\n")),
                testing::HasSubstr("several layers are called 'a': give a number, from 0"));
    EXPECT_THAT(message_of(network_of(good + ", repeat: 2}\n")), testing::HasSubstr("did you mean 'repeats'?"));
    EXPECT_THAT(message_of(network_of(good + ", tensors: [O, A]}\n")), testing::HasSubstr("expected all 3 tensors"));
    EXPECT_THAT(message_of(network_of(good + ", tensors: [O, A, A]}\n")),
                testing::HasSubstr("two tensors are called 'A'"));
    EXPECT_THAT(message_of("network: {version: 2, layers: []}"), testing::HasSubstr("version 2 of a network is not 1"));
}

TEST(NetworkFile, ADimensionThatMovesNothingIsNamed) {
    Network network{"n", {}, {}, {}};
    Einsum einsum = parse_einsum("O[m] += A[m]", {{"m", 2}});
    einsum.dimensions.push_back({"idle", 3});
    network.layers.push_back({"l", "Einsum", einsum, 1, {}});
    try {
        static_cast<void>(write_network(network));
        FAIL();
    } catch (const InputError& error) {
        EXPECT_EQ(error.message(), "layer 'l': dimension 'idle' moves no tensor, so that an einsum cannot say it");
    }
}

}  // namespace
}  // namespace tilewright::native::network_test
