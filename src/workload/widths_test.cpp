#include "workload/widths.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "workload/shapes.hpp"

namespace tilewright::widths_test {
namespace {

Network two_layers() {
    Network network;
    network.name = "net";
    network.layers.push_back({"conv1", "Conv", conv2d(3, 8, 4, 3), 1, {}});
    network.layers.push_back({"conv2", "Conv", conv2d(3, 8, 4, 3), 1, {}});
    return network;
}

std::int64_t bits(const Network& network, int layer, const char* tensor) {
    const Einsum& einsum = network.layers[layer].einsum;
    return einsum.tensors[find_tensor(einsum, tensor)].bits;
}

std::string refusal(const std::vector<TensorWidth>& widths) {
    Network network = two_layers();
    try {
        set_widths(network, widths);
    } catch (const InputError& error) {
        return error.message();
    }
    return "";
}

TEST(Widths, OfTwoAboutOneTensorTheLaterCounts) {
    Network network = two_layers();
    EXPECT_EQ(own_width_in(network), "");
    set_widths(network, {{"*", "Weights", 4}, {"conv2", "Weights", 8}, {"conv?", "Outputs", 32}});
    EXPECT_EQ(bits(network, 0, "Weights"), 4);
    EXPECT_EQ(bits(network, 1, "Weights"), 8);
    EXPECT_EQ(bits(network, 1, "Outputs"), 32);
    EXPECT_EQ(bits(network, 1, "Inputs"), 0) << "as wide as each memory's words";
    EXPECT_THAT(own_width_in(network), ::testing::HasSubstr("layer 'conv1' has words of 4 bits in 'Weights'"));
}

TEST(Widths, LayersOfOtherWidthsAreOtherLayers) {
    Network network = two_layers();
    ASSERT_EQ(distinct_layers(network).size(), 1U);
    set_widths(network, {{"conv2", "Weights", 8}});
    EXPECT_EQ(distinct_layers(network).size(), 2U);
}

TEST(Widths, NamesThatNothingHasAreRefused) {
    EXPECT_THAT(refusal({{"conv9", "Weights", 4}}), ::testing::HasSubstr("no layer 'conv9'"));
    EXPECT_THAT(refusal({{"*", "Weight", 4}}), ::testing::HasSubstr("has a tensor 'Weight'; did you mean 'Weights'"));
}

}  // namespace
}  // namespace tilewright::widths_test
