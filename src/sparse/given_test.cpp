#include "sparse/given.hpp"

#include <gtest/gtest.h>

#include "fixtures/mistake.hpp"
#include "workload/shapes.hpp"

namespace tilewright::sparse::given_test {
namespace {

using fixtures::mistake_of;

Network two_layers() {
    Network network;
    network.name = "two";
    network.layers.push_back({"conv1", "Conv", conv2d(3, 8, 4, 3), 1, {}});
    network.layers.push_back({"conv2", "Conv", conv2d(8, 8, 4, 3), 1, {}});
    return network;
}

DensityRule rule(const std::string& layers, const std::string& tensor, const GivenDensity& density) {
    return {layers, tensor, density, layers + ":" + tensor};
}

Density density(const Network& network, const RulesOfLayers& rules, int layer, const char* tensor) {
    const Einsum& einsum = network.layers[layer].einsum;
    const int t = find_tensor(einsum, tensor);
    return density_of(rules.at(layer).at(t).value(), network.layers[layer].name, einsum, t);
}

TEST(GivenDensity, OfTwoRulesAboutATensorTheLaterOneCounts) {
    const Network network = two_layers();
    const RulesOfLayers rules =
        rules_of(network, {rule("*", "Weights", FixedStructured{0.5}), rule("conv2", "Weights", UniformRandom{0.25}),
                           rule("conv1", "Inputs", FixedStructured{0.75})});
    EXPECT_EQ(density(network, rules, 0, "Weights"), Density(FixedStructured{0.5}));
    EXPECT_EQ(density(network, rules, 1, "Weights"), Density(UniformRandom{0.25}));
    EXPECT_EQ(density(network, rules, 0, "Inputs"), Density(FixedStructured{0.75}));
    EXPECT_FALSE(rules[1][find_tensor(network.layers[1].einsum, "Inputs")]);
}

TEST(GivenDensity, RulesAboutLayersThatWereLeftOutSayNothing) {
    const Network network = two_layers();
    const RulesOfLayers rules = rules_of(network, {rule("fc*", "Weights", FixedStructured{0.5})}, {"fc1"});
    EXPECT_FALSE(rules[0][0] || rules[1][0]);
    EXPECT_EQ(mistake_of([&] { rules_of(network, {rule("gc*", "Weights", FixedStructured{0.5})}, {"fc1"}); }).code,
              ErrorCode::unknown_name);
}

TEST(GivenDensity, PatternsRunAlongWhatIsSummedUnlessTheySayAlongWhat) {
    const Network network = two_layers();
    const Einsum& einsum = network.layers[1].einsum;
    const int weights = find_tensor(einsum, "Weights");
    const auto dimension = [&](const GivenPattern& given) {
        const Density made = density_of(rule("*", "Weights", given), "conv2", einsum, weights);
        return einsum.dimensions[einsum.tensors[weights].ranks[std::get<Pattern>(made).rank].terms.front().dimension]
            .name;
    };
    EXPECT_EQ(dimension({2, 4, ""}), "C");
    EXPECT_EQ(dimension({2, 4, "K"}), "K");
}

TEST(GivenDensity, WhatCannotBeIsToldAtItsPlace) {
    const Network network = two_layers();
    const auto told = [&](const DensityRule& one, int layer) {
        return mistake_of([&] { density(network, rules_of(network, {one}), layer, one.tensor.c_str()); });
    };
    DensityRule pattern = rule("*", "Weights", GivenPattern{2, 4, ""});
    pattern.where = {"list.csv", 3, 1};
    const auto wrong = told(pattern, 0);
    EXPECT_EQ(wrong.where, pattern.where);
    EXPECT_EQ(wrong.message, "layer 'conv1': 'Weights': the groups of 2:4 do not divide a rank of 3 elements");
    EXPECT_EQ(told(rule("*", "Weights", GivenPattern{2, 4, "N"}), 1).code, ErrorCode::unknown_name);
    EXPECT_EQ(told(rule("*", "Outputs", GivenPattern{2, 4, ""}), 1).code, ErrorCode::bad_value);
    EXPECT_EQ(told(rule("*", "Weights", Banded{1}), 1).code, ErrorCode::bad_value);
    EXPECT_EQ(mistake_of([&] { rules_of(network, {rule("fc", "Weights", Banded{1})}); }).code, ErrorCode::unknown_name);
    const auto tensor = mistake_of([&] { rules_of(network, {rule("conv*", "Weight", Banded{1})}); });
    EXPECT_EQ(tensor.code, ErrorCode::unknown_tensor);
    EXPECT_EQ(tensor.message, "no layer 'conv*' of two has a tensor 'Weight'; did you mean 'Weights'?");
}

TEST(GivenDensity, SharesAreThoseOfTheElements) {
    const Tile square{4, 4};
    EXPECT_EQ(share_of(FixedStructured{0.3}, square), 0.3);
    EXPECT_EQ(share_of(Pattern{2, 4, 0}, square), 0.5);
    EXPECT_EQ(share_of(UniformRandom{0.3}, square), 5.0 / 16.0) << "a whole number of elements";
    EXPECT_EQ(share_of(Banded{0}, square), 4.0 / 16.0);
    EXPECT_EQ(share_of(Banded{1}, square), 10.0 / 16.0);
    EXPECT_EQ(share_of(Banded{7}, square), 1.0);
    const auto places = std::make_shared<std::vector<std::int64_t>>(std::vector<std::int64_t>{0, 5, 9});
    EXPECT_EQ(share_of(Measured{"w.npy", square, places}, square), 3.0 / 16.0);
}

}  // namespace
}  // namespace tilewright::sparse::given_test
