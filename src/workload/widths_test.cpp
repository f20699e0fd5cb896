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

TEST(Widths, RolesNameTensorsThatHaveNamesOfTheirOwn) {
    Network network;
    network.layers.push_back({"product", "MatMul", gemm(4, 4, 4), 1, {}});
    const std::array names{"W", "X", "Y"};
    for (std::size_t t = 0; t < names.size(); ++t) network.layers[0].einsum.tensors[t].name = names[t];
    set_widths(network, {{"*", "Weights", 4}, {"*", "Outputs", 8}});
    EXPECT_EQ(bits(network, 0, "W"), 4);
    EXPECT_EQ(bits(network, 0, "X"), 0);
    EXPECT_EQ(bits(network, 0, "Y"), 8);
}

TEST(Widths, NamesThatNothingHasAreRefused) {
    EXPECT_THAT(refusal({{"conv9", "Weights", 4}}), ::testing::HasSubstr("no layer 'conv9'"));
    EXPECT_THAT(refusal({{"*", "Weight", 4}}), ::testing::HasSubstr("has a tensor 'Weight'; did you mean 'Weights'"));
}

TensorWidth width(const std::string& text) { return parse_widths("--bits", {text}).front(); }

std::string refusal_of_text(const std::string& text) {
    try {
        width(text);
    } catch (const InputError& error) {
        return error.message();
    }
    return "";
}

TEST(WidthText, FinalWordsPartialSumsAndBlocks) {
    const TensorWidth plain = width("Weights=4");
    EXPECT_EQ(plain.layers, "*");
    EXPECT_EQ(plain.tensor, "Weights");
    EXPECT_EQ(plain.bits, 4);
    EXPECT_EQ(plain.partial_bits, 0);
    EXPECT_FALSE(plain.blocks.is_given());
    const TensorWidth sums = width("conv2*:Outputs=8/32");
    EXPECT_EQ(sums.layers, "conv2*");
    EXPECT_EQ(sums.bits, 8);
    EXPECT_EQ(sums.partial_bits, 32);
    const TensorWidth blocks = width("a=b:c:Weights=4/32:8");
    EXPECT_EQ(blocks.layers, "a=b:c");
    EXPECT_EQ(blocks.bits, 4);
    EXPECT_EQ(blocks.blocks, (BlockFormat{32, 8}));
    EXPECT_TRUE(have_partial_sums({plain, sums}) && have_blocks({plain, blocks}));
    EXPECT_FALSE(have_partial_sums({plain, blocks}) || have_blocks({plain, sums}));
}

TEST(WidthText, RefusesInTheWordsOfTheFormThatWasMeant) {
    for (const char* text : {"Weights", "=4", ":Weights=4", "Weights=", "Weights=-1", "Weights=4097", "Weights=4.5"})
        EXPECT_THAT(refusal_of_text(text),
                    testing::AllOf(testing::StartsWith("--bits takes TENSOR=BITS or"),
                                   testing::EndsWith("have; found '" + std::string(text) + "'")));
    for (const char* text : {"O=8/", "O=/32", "O=8/0", "O=8/32/64", "O=8/9999"})
        EXPECT_THAT(refusal_of_text(text),
                    testing::EndsWith(", or FINAL/PARTIAL bits of results; found '" + std::string(text) + "'"));
    for (const char* text : {"W=4/0:8", "W=4/32:-1", "W=0/32:8", "W=4/:8", "W=4/1000001:8"})
        EXPECT_THAT(refusal_of_text(text), testing::HasSubstr(", or BITS/WORDS:SCALE"));
}

}  // namespace
}  // namespace tilewright::widths_test
