#include "workload/cascade/widths.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "workload/cascade/text.hpp"

namespace tilewright::cascade_widths_test {
namespace {

Cascade two_products() {
    return parse_cascade(
        "size m=4, e=2, k=3, n=5; input A[4,2]; weight V, W;"
        "up: B[m,k] += A[m,e] * V[e,k]; down: C[m,n] += B[m,k] * W[k,n];");
}

std::int64_t bits_of(const Cascade& cascade, const char* tensor) {
    return cascade.tensors[find_tensor(cascade, tensor)].bits;
}

std::string refusal_of(const std::vector<TensorWidth>& widths) {
    Cascade cascade = two_products();
    try {
        static_cast<void>(set_widths(cascade, widths));
    } catch (const InputError& error) {
        return error.message();
    }
    return "";
}

TEST(CascadeWidths, WhatEinsumsWriteHasTheWidthOfTheirOutputs) {
    Cascade cascade = two_products();
    const std::vector<std::string> notes =
        set_widths(cascade, {{"*", "Weights", 4}, {"*", "Inputs", 8}, {"*", "Outputs", 12}});
    EXPECT_EQ(bits_of(cascade, "A"), 8);
    EXPECT_EQ(bits_of(cascade, "V"), 4);
    EXPECT_EQ(bits_of(cascade, "B"), 12);
    EXPECT_EQ(bits_of(cascade, "W"), 4);
    EXPECT_EQ(bits_of(cascade, "C"), 12);
    EXPECT_EQ(problem_with(cascade), "");
    ASSERT_EQ(notes.size(), 1U);  // never in silence
    EXPECT_EQ(notes.front(),
              "words of what einsums write are as wide as Outputs of these: 'B' has 12 bits where 'down' reads it as "
              "Inputs, not 8 bits");
}

TEST(CascadeWidths, NamesDecideAndEqualWidthsNeedNoWord) {
    Cascade cascade = two_products();
    EXPECT_TRUE(set_widths(cascade, {{"*", "B", 8}, {"*", "Inputs", 8}, {"down", "Outputs", 16}}).empty());
    EXPECT_EQ(bits_of(cascade, "B"), 8);
    EXPECT_EQ(bits_of(cascade, "C"), 16);
    EXPECT_EQ(bits_of(cascade, "V"), 0);
}

TEST(CascadeWidths, ATensorHasOneWidth) {
    Cascade square = parse_cascade("size m=4, n=4, e=2; input A[4,2]; S[m,n] += A[m,e] * A[n,e]; T[m] += S[m,n];");
    try {
        static_cast<void>(set_widths(square, {{"*", "Inputs", 8}, {"*", "Weights", 4}}));
        FAIL() << "it has two";
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.message()).find("'A' is stored once and would have"), std::string::npos)
            << error.message();
    }
    static_cast<void>(set_widths(square, {{"*", "Inputs", 8}, {"*", "Weights", 4}, {"*", "A", 8}}));
    EXPECT_EQ(bits_of(square, "A"), 8);
}

TEST(CascadeWidths, WhatIsNoTensorIsRefused) {
    EXPECT_NE(
        refusal_of({{"*", "Weight", 4}}).find("has a tensor 'Weight', nor one that plays such a part; did you mean"),
        std::string::npos);
    EXPECT_NE(refusal_of({{"middle", "Weights", 4}}).find("no layer 'middle'"), std::string::npos);
}

}  // namespace
}  // namespace tilewright::cascade_widths_test
