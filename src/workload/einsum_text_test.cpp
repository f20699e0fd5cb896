#include "workload/einsum_text.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/numbers/random.hpp"

namespace tilewright::einsum_text_test {
namespace {

using Extents = std::vector<std::pair<std::string, std::int64_t>>;

const Extents kConvolution{{"n", 1}, {"k", 64}, {"c", 32}, {"p", 14}, {"q", 14}, {"r", 3}, {"s", 3}};

struct Mistake {
    ErrorCode code;
    int column;
    std::string message;
};

Mistake mistake_in(std::string_view text, const Extents& extents) {
    try {
        (void)parse_einsum(text, extents);
    } catch (const InputError& error) {
        return {error.code(), error.where().column, error.message()};
    }
    return {ErrorCode::usage, 0, "no mistake"};
}

TEST(EinsumText, ReadsAStridedConvolution) {
    const Einsum einsum = parse_einsum("O[n,k,p,q] += W[k,c,r,s] * I[n,c,2p+r,2*q+s]", kConvolution);
    ASSERT_EQ(einsum.tensor_count(), 3);
    EXPECT_EQ(einsum.tensors[0].name, "W");
    EXPECT_EQ(einsum.tensors[1].name, "I");
    EXPECT_EQ(einsum.tensors[2].name, "O");
    EXPECT_TRUE(einsum.tensors[2].written);
    EXPECT_FALSE(einsum.tensors[0].written);
    EXPECT_EQ(einsum.tensors[1].ranks[2], (Rank{{Term{3, 2}, Term{5, 1}}}));
    EXPECT_EQ(einsum.tensors[1].ranks[3], (Rank{{Term{4, 2}, Term{6, 1}}}));
    EXPECT_EQ(operation_count(einsum), 64LL * 32 * 14 * 14 * 9);
}

TEST(EinsumText, KeepsTheOrderOfTheExtents) {
    const Einsum einsum = parse_einsum("Z[m,n]=A[m,k]*B[k,n]", {{"k", 3}, {"n", 2}, {"m", 1}});
    EXPECT_EQ(einsum.dimensions[0].name, "k");
    EXPECT_EQ(einsum.dimensions[2], (Dimension{"m", 1}));
}

TEST(EinsumText, ReadsNegativeTermsScalarsAndFixedAxes) {
    const Einsum einsum = parse_einsum("Z += A[-p + 3r, 0] * B[]", {{"p", 4}, {"r", 2}});
    EXPECT_EQ(einsum.tensors[0].ranks[0], (Rank{{Term{0, -1}, Term{1, 3}}}));
    EXPECT_TRUE(einsum.tensors[0].ranks[1].terms.empty());
    EXPECT_TRUE(einsum.tensors[1].ranks.empty());
    EXPECT_TRUE(einsum.tensors[2].ranks.empty());
}

TEST(EinsumText, ReadsSeveralFactorsAndResults) {
    const Einsum einsum = parse_einsum("X[i], Y[i] = A[i,j] * B[j] * C[j]", {{"i", 2}, {"j", 3}});
    EXPECT_EQ(einsum.tensor_count(), 5);
    EXPECT_TRUE(einsum.tensors[3].written && einsum.tensors[4].written);
}

TEST(EinsumText, SaysWhereTheMistakeIs) {
    const Extents extents{{"row", 2}, {"col", 3}};
    EXPECT_EQ(mistake_in("O[row] += A[row, cl]", extents).column, 18);
    EXPECT_EQ(mistake_in("O[row] += A[row, cl]", extents).message,
              "no extent is given for dimension 'cl'; did you mean 'col'?");
    EXPECT_EQ(mistake_in("O[row] += A[row, col", extents).column, 21);
    EXPECT_EQ(mistake_in("O[row] A[row, col]", extents).message, "expected '=' or '+='");
    EXPECT_EQ(mistake_in("O[row] += A[row, col] B[row]", extents).column, 23);
    EXPECT_EQ(mistake_in("O[row] +=", extents).message, "expected the name of a tensor");
    EXPECT_EQ(mistake_in("", extents).column, 1);
}

TEST(EinsumText, ShowsTheFormulaWithACaret) {
    try {
        (void)parse_einsum("O[i] += A[i] * * B[i]", {{"i", 2}});
        FAIL();
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(),
                     "error: expected the name of a tensor [syntax]\n"
                     "    O[i] += A[i] * * B[i]\n"
                     "                   ^");
    }
}

TEST(EinsumText, RefusesWhatIsNoEinsum) {
    const Extents extents{{"i", 2}, {"j", 3}};
    EXPECT_EQ(mistake_in("O[i] += A[i,j] * A[j]", extents).code, ErrorCode::bad_value);
    EXPECT_EQ(mistake_in("O[i] += A[i+i,j]", extents).code, ErrorCode::bad_value);
    EXPECT_EQ(mistake_in("O[i] += A[0*j]", extents).code, ErrorCode::bad_value);
    EXPECT_EQ(mistake_in("O[i] += A[j+1]", extents).code, ErrorCode::unsupported);
    EXPECT_EQ(mistake_in("O[i] += A[i]", extents).message, "dimension 'j' has an extent but no tensor uses it");
    EXPECT_EQ(mistake_in("O[i] += A[i]", {{"i", 0}}).code, ErrorCode::bad_value);
    EXPECT_EQ(mistake_in("O[i] += A[i]", {{"i", 1}, {"i", 2}}).code, ErrorCode::bad_value);
    EXPECT_EQ(mistake_in("O[i] += A[99999999999999999999i]", {{"i", 2}}).code, ErrorCode::overflow);
    EXPECT_EQ(mistake_in("O[i] += A[j]", {{"i", 1LL << 40}, {"j", 1LL << 40}}).code, ErrorCode::overflow);
}

TEST(EinsumText, RefusesMoreThanTheEvaluatorsHold) {
    std::string many = "O[i] += A0[i]";
    for (int t = 1; t < 100; ++t) many += " * A" + std::to_string(t) + "[i]";
    EXPECT_EQ(mistake_in(many, {{"i", 2}}).code, ErrorCode::unsupported);
    EXPECT_EQ(mistake_in("O[i] += A[i,i,i,i,i,i,i,i,i]", {{"i", 2}}).code, ErrorCode::bad_value);
}

// Random einsums in the text form's order: operands, then results; all dimensions in use.
Einsum random_einsum(Random& random) {
    Einsum einsum;
    const int dimensions = static_cast<int>(random.between(1, kMaxDimensions));
    for (int d = 0; d < dimensions; ++d) einsum.dimensions.push_back({"d" + std::to_string(d), random.between(1, 9)});
    const int operands = static_cast<int>(random.between(1, 3));
    const int tensors = operands + static_cast<int>(random.between(1, 2));
    for (int t = 0; t < tensors; ++t) {
        Tensor tensor{"T_" + std::to_string(t), {}, t >= operands};
        const std::int64_t ranks = random.between(0, kMaxRanks);
        for (std::int64_t k = 0; k < ranks; ++k) {
            Rank rank;
            for (int d = 0; d < dimensions; ++d)
                if (random.chance(0.2))
                    rank.terms.push_back({d, random.chance(0.3) ? -random.between(1, 4) : random.between(1, 4)});
            tensor.ranks.push_back(rank);
        }
        einsum.tensors.push_back(tensor);
    }
    Rank all;
    for (int d = 0; d < dimensions; ++d) all.terms.push_back({d, 1});
    einsum.tensors[0].ranks.resize(1);
    einsum.tensors[0].ranks[0] = all;
    return einsum;
}

TEST(EinsumText, ReadsBackWhatToTextWrites) {
    Random random(7);
    for (int i = 0; i < 2000; ++i) {
        const Einsum einsum = random_einsum(random);
        Extents extents;
        for (const Dimension& dimension : einsum.dimensions) extents.emplace_back(dimension.name, dimension.extent);
        ASSERT_EQ(parse_einsum(to_text(einsum), extents), einsum) << to_text(einsum);
    }
}

TEST(EinsumText, NeverCrashesOnMutatedText) {
    Random random(11);
    const std::string good = "O[n,k,p,q] += W[k,c,r,s] * I[n,c,2p+r,2*q-s]";
    const std::string letters = "nkcpqrsOWI[],+-*=0129 _\n";
    for (int i = 0; i < 20000; ++i) {
        std::string text = good;
        for (std::int64_t k = random.between(1, 6); k > 0; --k)
            text[random.below(text.size())] = letters[random.below(letters.size())];
        try {
            EXPECT_EQ(problem_with(parse_einsum(text, kConvolution)), "");
        } catch (const InputError& error) {
            EXPECT_FALSE(error.message().empty());
        }
    }
}

}  // namespace
}  // namespace tilewright::einsum_text_test
