#include "workload/width_text.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"

namespace tilewright::width_text_test {
namespace {

TensorWidth width(const std::string& text) { return parse_widths("--bits", {text}).front(); }

std::string refusal(const std::string& text) {
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
        EXPECT_THAT(refusal(text), testing::AllOf(testing::StartsWith("--bits takes TENSOR=BITS or"),
                                                  testing::EndsWith("have; found '" + std::string(text) + "'")));
    for (const char* text : {"O=8/", "O=/32", "O=8/0", "O=8/32/64", "O=8/9999"})
        EXPECT_THAT(refusal(text),
                    testing::EndsWith(", or FINAL/PARTIAL bits of results; found '" + std::string(text) + "'"));
    for (const char* text : {"W=4/0:8", "W=4/32:-1", "W=0/32:8", "W=4/:8", "W=4/1000001:8"})
        EXPECT_THAT(refusal(text), testing::HasSubstr(", or BITS/WORDS:SCALE"));
}

}  // namespace
}  // namespace tilewright::width_text_test
