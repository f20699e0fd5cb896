#include "workload/zoo/zoo.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>

#include "base/error.hpp"
#include "base/files/file.hpp"
#include "workload/shapes.hpp"

namespace tilewright::zoo_test {
namespace {

using testing::HasSubstr;

std::int64_t total_macs(const Network& network) {
    std::int64_t total = 0;
    for (const Layer& layer : network.layers) total += layer.repeats * operation_count(layer.einsum);
    return total;
}

struct Expected {
    std::int64_t macs;
    std::size_t layers;
    std::size_t distinct;
};

// The totals agree with the published counts (ResNet-50 4.09 G, VGG-16 15.5 G, MobileNetV2 0.30 G, YOLOv2 29.5 GFLOP,
// BERT 48.3 G).
const std::map<std::string, Expected> kExpected{
    {"alexnet", {714188480, 8, 8}},
    {"vgg16", {15470264320, 16, 12}},
    {"resnet18", {1814073344, 21, 12}},
    {"resnet34", {3663761408, 37, 12}},
    {"resnet50", {4089184256, 54, 24}},
    {"resnext50", {4230479872, 54, 25}},
    {"squeezenet", {349151936, 26, 18}},
    {"mobilenetv2", {300774272, 53, 31}},
    {"darknet19", {2790989824, 19, 11}},
    {"yolov2", {14732084224, 23, 14}},
    {"densenet161", {7727907072, 161, 87}},
    {"deepbench", {90933413632, 76, 76}},
    {"bert-base", {48318971904, 97, 6}},
    {"gpt2", {106339037952, 97, 6}},
    {"llama-7b-prefill", {14362501709824, 289, 6}},
    {"llama-7b-decode", {7143948288, 289, 6}},
};

// Poolings and additions of a network, with their traffic.
TEST(Zoo, KnowsWhatItsConvolutionalNetworksStream) {
    const std::map<std::string, std::pair<std::size_t, std::int64_t>> expected{
        // VGG-16 pools 64 channels of 224x224, 128 of 112, 256 of 56, 512 of 28 and 512 of 14 to a quarter each.
        {"vgg16", {5, 6121472 + 6121472 / 4}},
        // ResNet-18: 64 channels of 112 to 56, eight additions (three tensors each), the mean of 512 images of 7x7.
        {"resnet18", {10, 802816 + 200704 + 3 * 2 * (200704 + 100352 + 50176 + 25088) + 25088 + 512}},
        {"resnet50", {18, 0}},
        {"squeezenet", {4, 0}},
        {"yolov2", {5, 0}},
        {"mobilenetv2", {11, 0}},
        {"gpt2", {0, 0}}};
    for (const auto& [name, counts] : expected) {
        const Network network = zoo_network(name, {});
        EXPECT_EQ(network.streamed.size(), counts.first) << name;
        std::int64_t elements = 0;
        for (const StreamedOperator& one : network.streamed) elements += one.read_elements + one.written_elements;
        if (counts.second > 0) {
            EXPECT_EQ(elements, counts.second) << name;
        }
    }
    EXPECT_EQ(zoo_network("vgg16", {{"batch", 3}}).streamed.front().read_elements, 3 * 64 * 224 * 224);
}

TEST(Zoo, HasThePublishedMultiplyAccumulatesAndLayers) {
    EXPECT_EQ(zoo_networks().size(), kExpected.size());
    for (const ZooEntry& entry : zoo_networks()) {
        SCOPED_TRACE(entry.name);
        const Network network = zoo_network(entry.name);
        const Expected& expected = kExpected.at(entry.name);
        EXPECT_EQ(total_macs(network), expected.macs);
        EXPECT_EQ(network.layers.size(), expected.layers);
        EXPECT_EQ(distinct_layers(network).size(), expected.distinct);
    }
}

TEST(Zoo, EveryLayerIsSoundAndReadsEarlierOnes) {
    for (const ZooEntry& entry : zoo_networks()) {
        const Network network = zoo_network(entry.name);
        EXPECT_EQ(network.name, entry.name);
        std::map<std::string, Einsum> by_name;
        for (std::size_t i = 0; i < network.layers.size(); ++i) {
            const Layer& layer = network.layers[i];
            EXPECT_EQ(problem_with(layer.einsum), "") << entry.name << " " << layer.name;
            EXPECT_EQ(by_name.emplace(layer.einsum.name, layer.einsum).first->second, layer.einsum);
            for (const int source : layer.feeds_from) EXPECT_LT(source, static_cast<int>(i));
        }
    }
}

TEST(Zoo, ResidualConnectionsFeedLaterBlocks) {
    const Network network = zoo_network("resnet18");
    // conv1; layer1.0.conv1, conv2; layer1.1.conv1 reads the sum of conv1's and layer1.0.conv2's results.
    EXPECT_EQ(network.layers[3].name, "layer1.1.conv1");
    EXPECT_EQ(network.layers[3].feeds_from, (std::vector<int>{0, 2}));
}

TEST(Zoo, AnUnknownNameGetsTheNearestOne) {
    try {
        zoo_network("resnet-50");
        FAIL() << "no error";
    } catch (const InputError& error) {
        EXPECT_EQ(error.code(), ErrorCode::unknown_name);
        EXPECT_THAT(error.message(), HasSubstr("no network is called 'resnet-50'; did you mean 'resnet50'?"));
    }
}

/// The numbers of a flow map: "{R: 3, Wstride: 2}".
std::map<std::string, std::int64_t> flow_map(const std::string& text) {
    std::map<std::string, std::int64_t> numbers;
    const std::regex entry("(\\w+): (\\d+)");
    for (std::sregex_iterator it(text.begin(), text.end(), entry), end; it != end; ++it)
        numbers[(*it)[1]] = std::stoll((*it)[2]);
    return numbers;
}

Einsum layer_of_problem(const std::string& problem) {
    auto n = flow_map(problem.substr(problem.find("instance:")));
    const WindowAxis width{n["P"], n["R"], n["Wstride"], n["Wdilation"]};
    const WindowAxis height{n["Q"], n["S"], n["Hstride"], n["Hdilation"]};
    return convolution(
        {.batch = n["N"], .in_channels = n["C"], .out_channels = n["K"], .width = width, .height = height});
}

TEST(Zoo, ContainsTheLayersOfTheTimeloopMapperBaselines) {
    const std::filesystem::path inputs = "../shared/golden/timeloop/mapper/inputs";
    if (!std::filesystem::exists(inputs)) GTEST_SKIP() << inputs << " is not here";
    std::size_t checked = 0;
    for (const auto& entry : std::filesystem::directory_iterator(inputs)) {
        // eyeriss_rs__resnet50_02__uber_random_pruned_vc500_edp
        const std::string name = entry.path().filename().string();
        const std::string layer = name.substr(name.find("__") + 2);
        const Network network = zoo_network(layer.substr(0, layer.find('_')));
        const Einsum wanted = layer_of_problem(read_file(entry.path() / "problem.yaml"));
        EXPECT_TRUE(std::any_of(network.layers.begin(), network.layers.end(),
                                [&](const Layer& l) { return l.einsum == wanted; }))
            << name << ": " << wanted.name;
        ++checked;
    }
    EXPECT_GT(checked, 100U);
}

TEST(Zoo, ABatchMultipliesTheWorkOfEveryLayer) {
    for (const ZooEntry& entry : zoo_networks()) {
        if (entry.dimensions.empty()) continue;
        const Network one = zoo_network(entry.name);
        const Network three = zoo_network(entry.name, {{"batch", 3}});
        ASSERT_EQ(one.layers.size(), three.layers.size());
        for (std::size_t i = 0; i < one.layers.size(); ++i) {
            EXPECT_EQ(operation_count(three.layers[i].einsum), 3 * operation_count(one.layers[i].einsum)) << entry.name;
            EXPECT_NE(three.layers[i].einsum.name, one.layers[i].einsum.name) << "names tell shapes apart";
        }
        EXPECT_EQ(distinct_layers(one).size(), distinct_layers(three).size());
    }
}

TEST(Zoo, RefusesDimensionsThatANetworkLacks) {
    EXPECT_THROW(zoo_network("resnet18", {{"sequence", 3}}), InputError);
    EXPECT_THROW(zoo_network("deepbench", {{"batch", 3}}), InputError);
    for (const std::int64_t extent : {std::int64_t{0}, std::int64_t{-2}, kMostZooExtent + 1})
        EXPECT_THROW(zoo_network("resnet18", {{"batch", extent}}), InputError) << extent;
    EXPECT_EQ(zoo_network("gpt2", {{"sequence", 1024}}).layers, zoo_network("gpt2").layers);
}

}  // namespace
}  // namespace tilewright::zoo_test
