// The tools of the property tests: the random nests are legal and varied, their text reads back, shrinking ends small.
#include <gmock/gmock.h>

#include <algorithm>
#include <stdexcept>

#include "base/numbers/random.hpp"
#include "mapping/validity.hpp"
#include "nest.hpp"
#include "random_nest.hpp"
#include "shrink.hpp"

namespace tilewright::property {
namespace {

constexpr int kNests = 2000;

Nest nest_of(int i) { return random_nest(Random::split(11, static_cast<std::uint64_t>(i)), 1000); }

TEST(RandomNests, AreLegal) {
    for (int i = 0; i < kNests; ++i) {
        const Nest nest = nest_of(i);
        ASSERT_EQ(problem_with(nest.einsum), "") << to_text(nest);
        ASSERT_EQ(problem_with(nest.architecture), "") << to_text(nest);
        const std::vector<Violation> violations = check(nest.einsum, nest.architecture, nest.mapping);
        ASSERT_TRUE(violations.empty()) << to_text(nest) << violations.front().message;
        ASSERT_LE(operation_count(nest.einsum), 1000);
    }
}

TEST(RandomNests, UnevenOnesAreLegalAndMostlyUneven) {
    int uneven = 0;
    for (int i = 0; i < kNests; ++i) {
        const Nest nest = random_uneven_nest(Random::split(13, static_cast<std::uint64_t>(i)), 1000);
        const std::vector<Violation> violations = check(nest.einsum, nest.architecture, nest.mapping);
        ASSERT_TRUE(violations.empty()) << to_text(nest) << violations.front().message;
        uneven += is_even(nest.mapping, nest.architecture.memory_count()) ? 0 : 1;
    }
    EXPECT_GT(uneven, kNests / 2);
}

TEST(RandomNests, AreVaried) {
    int imperfect = 0, spatial = 0, bypassing = 0, overlapping = 0, outer_bypass = 0;
    for (int i = 0; i < kNests; ++i) {
        const Nest nest = nest_of(i);
        const std::vector<MappingLevel> levels = levels_of(nest.mapping, nest.architecture.memory_count());
        const TensorSet all = TensorSet::all(nest.einsum.tensor_count());
        imperfect += is_perfect(nest.mapping) ? 0 : 1;
        spatial += std::ranges::any_of(levels, [](const MappingLevel& l) { return !l.spatial.empty(); });
        bypassing += std::ranges::any_of(levels, [&](const MappingLevel& l) { return l.keep != all; });
        outer_bypass += levels.front().keep != all;
        overlapping += std::ranges::any_of(nest.einsum.tensors.back().ranks,
                                           [](const Rank& rank) { return rank.terms.size() > 1; });
    }
    for (const int share : {imperfect, spatial, bypassing, overlapping, outer_bypass}) {
        EXPECT_GT(share, kNests / 10);
        EXPECT_LT(share, kNests * 9 / 10);
    }
}

TEST(RandomNests, AreTheSameForTheSameSeed) {
    for (int i = 0; i < 100; ++i) EXPECT_EQ(to_text(nest_of(i)), to_text(nest_of(i)));
    EXPECT_NE(to_text(nest_of(0)), to_text(nest_of(1)));
}

TEST(NestText, ReadsBack) {
    for (int i = 0; i < kNests; ++i) {
        const Nest nest = nest_of(i);
        const Nest again = parse_nest(to_text(nest));
        ASSERT_EQ(to_text(again), to_text(nest));
        ASSERT_EQ(again.mapping, nest.mapping);
        ASSERT_EQ(again.einsum.tensors, nest.einsum.tensors);
    }
}

TEST(NestText, RefusesWhatIsNotANest) {
    EXPECT_THROW(parse_nest("einsum O[a] += I[a]\nextents a=4\nmemory 1x1 keeps O X\n"), std::invalid_argument);
    EXPECT_THROW(parse_nest("einsum O[a] += I[a]\nextents a=4\nmemory 1x1 keeps O I\n  for a 3\n"),
                 std::invalid_argument);
    EXPECT_THROW(parse_nest("loop\n"), std::invalid_argument);
}

TEST(Shrink, EndsAtTheSmallestNestThatFails) {
    const auto imperfect = [](const Nest& nest) { return !is_perfect(nest.mapping); };
    for (int i = 0; i < 100; ++i) {
        if (!imperfect(nest_of(i))) continue;
        const Nest nest = shrink(nest_of(i), imperfect);
        // Two trips of two, the last one short, is the least that has a remainder.
        EXPECT_EQ(operation_count(nest.einsum), 3) << to_text(nest);
        EXPECT_EQ(nest.architecture.memory_count(), 1) << to_text(nest);
        EXPECT_EQ(nest.einsum.tensor_count(), 1) << to_text(nest);
    }
}

TEST(Shrink, OnlyShowsLegalNests) {
    int shown = 0;
    const auto spatial = [&](const Nest& nest) {
        ++shown;
        EXPECT_THAT(check(nest.einsum, nest.architecture, nest.mapping), testing::IsEmpty()) << to_text(nest);
        return nest.architecture.compute.mesh.size() > 3;
    };
    for (int i = 0; i < 50; ++i)
        if (spatial(nest_of(i))) shrink(nest_of(i), spatial);
    EXPECT_GT(shown, 100);
}

}  // namespace
}  // namespace tilewright::property
