#include "mapper/timeloop/timeloop.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "fixtures/product.hpp"
#include "mapping/validity.hpp"

namespace tilewright::timeloop_test {
namespace {

using timeloop_search::Contest;
using timeloop_search::Draws;
using timeloop_search::Metric;
using timeloop_search::Number;
using timeloop_search::Prune;
using timeloop_search::Slice;
using timeloop_search::Space;

Architecture four_multipliers() {
    Architecture a;
    a.memories.resize(2);
    a.memories[0].name = "DRAM";
    a.memories[0].energy.read_pj.value = 200.0;
    a.memories[0].energy.update_pj.value = 200.0;
    a.memories[1].name = "Buffer";
    a.memories[1].capacity_words = 64;
    a.memories[1].energy.read_pj.value = 1.0;
    a.compute.mesh = {4, 1};
    a.compute.instances = 4;
    return a;
}

struct Layer {
    Einsum einsum = fixtures::matrix_product(16, 12, 8);
    Architecture architecture = four_multipliers();
    Mapspace mapspace{einsum, architecture, {}};
    LeanEvaluator evaluator{einsum, architecture};
};

#ifdef __GLIBCXX__
// Timeloop is built with this library; its engine and distribution differ between platforms.
TEST(TimeloopDraws, AreThoseOfTheStandardLibraryItIsBuiltWith) {
    for (const std::uint64_t bound : {2ULL, 7ULL, 1'000'003ULL, 2147483646ULL, 2147483647ULL, 3694928583060ULL}) {
        Draws ours(bound, 1);
        std::default_random_engine engine;
        std::uniform_int_distribution<std::uint64_t> theirs(0, bound - 1);
        for (int i = 0; i < 1000; ++i) ASSERT_EQ(static_cast<std::uint64_t>(ours.next()), theirs(engine)) << bound;
    }
}
#endif

TEST(TimeloopDraws, ReachBeyond64BitsAndStayBelowTheirBound) {
    const Number bound = Number{1'000'000} << 64U;
    Draws draws(bound, 1);
    bool large = false;
    for (int i = 0; i < 1000; ++i) {
        const Number drawn = draws.next();
        ASSERT_LT(drawn, bound);
        large = large || drawn >= bound / 2;
    }
    EXPECT_TRUE(large);
}

TEST(TimeloopSpace, HasEveryFactorisationOnceTheLargestInnerTilesFirst) {
    const Layer layer;
    const Space space(layer.mapspace, layer.einsum, layer.architecture);
    // Three levels: the buffer's fan-out and temporal loops, DRAM's loops. 16 = 2^4, 12 = 2^2 * 3, 8 = 2^3.
    ASSERT_EQ(static_cast<int>(space.sizes().factorizations), 15 * 18 * 10);
    EXPECT_EQ(static_cast<int>(space.sizes().splits), 4);
    EXPECT_EQ(static_cast<int>(space.sizes().bypasses), 8);
    std::set<std::vector<std::int32_t>> seen;
    for (Number f = 0; f < space.sizes().factorizations; ++f) {
        std::vector<std::int32_t> factors;
        for (const Slice::Level& level : space.slice(f, Prune::yes).levels)
            factors.insert(factors.end(), level.factors.begin(), level.factors.end());
        for (std::size_t d = 0; d < 3; ++d)
            ASSERT_EQ(factors[d] * factors[3 + d] * factors[6 + d], layer.einsum.dimensions[d].extent);
        seen.insert(factors);
    }
    EXPECT_EQ(seen.size(), 15U * 18U * 10U);
    EXPECT_EQ(space.slice(0, Prune::no).levels.front().factors, (std::vector<std::int32_t>{16, 12, 8}));
}

// Passing at once leads to the place of single steps, and each step has no room on the fan-out.
TEST(TimeloopWalk, PassesOnlyWhatHasNoRoomAndNothingElse) {
    const Layer layer;
    const Space space(layer.mapspace, layer.einsum, layer.architecture);
    const auto same = [](const timeloop_search::Choice& a, const timeloop_search::Choice& b) {
        return a.factorization == b.factorization && a.permutation == b.permutation && a.split == b.split &&
               a.bypass == b.bypass;
    };
    for (const auto algorithm : {TimeloopMapper::Algorithm::hybrid, TimeloopMapper::Algorithm::random_pruned,
                                 TimeloopMapper::Algorithm::linear_pruned, TimeloopMapper::Algorithm::random}) {
        const timeloop_search::WalkPlan plan{.algorithm = algorithm};
        const auto stepping = make_walk(space, plan);
        const auto jumping = make_walk(space, plan);
        TilingPoint point = layer.mapspace.point();
        std::int64_t passed = 0;
        for (int i = 0; i < 3000 && !stepping->done(); ++i) {
            ASSERT_TRUE(same(stepping->choice(), jumping->choice()));
            for (std::int64_t left = jumping->doomed(), gone = left; gone > 1; --gone) {
                if (gone == left) jumping->pass(left - 1);
                ASSERT_FALSE(space.write(stepping->slice(), stepping->choice(), point));
                stepping->report(timeloop_search::Outcome::no_fanout);
                ++passed;
            }
            ASSERT_TRUE(same(stepping->choice(), jumping->choice()));
            const auto outcome = space.write(stepping->slice(), stepping->choice(), point)
                                     ? timeloop_search::Outcome::valid
                                     : timeloop_search::Outcome::no_fanout;
            stepping->report(outcome);
            jumping->report(outcome);
        }
        EXPECT_EQ(passed > 0, algorithm != TimeloopMapper::Algorithm::random);
    }
}

TEST(TimeloopContest, CallsATenthOfAPercentEqualWhereAnotherMetricDecides) {
    const Contest both{{Metric::delay, Metric::energy}, {}};
    EXPECT_TRUE(both.is_better({90.0, 100'050}, {100.0, 100'000}));
    EXPECT_FALSE(both.is_better({90.0, 100'150}, {100.0, 100'000}));
    EXPECT_FALSE(both.is_better({100.0, 100'000}, {100.0, 100'000})) << "of equals the incumbent stays";
    const Contest one{{Metric::delay}, {}};
    EXPECT_FALSE(one.is_better({90.0, 100'050}, {100.0, 100'000}));
    EXPECT_TRUE(one.is_better({110.0, 99'999}, {100.0, 100'000}));
}

TEST(TimeloopMapper, StreamsDecideAndThreadsDoNot) {
    const Layer layer;
    for (const std::string_view name : timeloop_mapper_names()) {
        std::set<std::int64_t> sampled;
        for (const int streams : {1, 3}) {
            const auto mapper = make_timeloop_mapper(name, {.streams = streams, .timeout = 200});
            const auto found = [&](int threads) {
                Budget budget;
                budget.victory = 50;
                budget.threads = threads;
                return mapper->search(layer.mapspace, layer.evaluator, {}, budget);
            };
            const SearchResult alone = found(1);
            const SearchResult side_by_side = found(4);
            EXPECT_EQ(alone.statistics.sampled, side_by_side.statistics.sampled) << name;
            ASSERT_EQ(alone.best.has_value(), side_by_side.best.has_value()) << name;
            sampled.insert(alone.statistics.sampled);
            if (!alone.best) continue;
            EXPECT_EQ(*alone.best, *side_by_side.best) << name;
            EXPECT_TRUE(check(layer.einsum, layer.architecture, mapping_of(alone.best->point)).empty()) << name;
        }
        EXPECT_EQ(sampled.size(), 2U) << name;
    }
}

// Each of the four numbers of a search ends it alone.
TEST(TimeloopMapper, StreamsShareTheSearchSizeRoundedUp) {
    const Layer layer;
    Budget budget;
    budget.evaluations = 5;
    const auto mapper = make_timeloop_mapper("timeloop-random", {.streams = 2});
    const SearchResult found = mapper->search(layer.mapspace, layer.evaluator, {}, budget);
    EXPECT_EQ(found.statistics.valid, 6);
    EXPECT_EQ(found.stopped, StopReason::evaluations);
}

TEST(TimeloopMapper, GivesUpAfterItsTimeout) {
    Layer layer;
    layer.architecture.memories[1].capacity_words = 2;  // three tiles of a word do not fit
    Constraints keep_all;
    keep_all.levels.resize(2);
    keep_all.levels[1].must_keep = TensorSet::all(3);
    const Mapspace mapspace(layer.einsum, layer.architecture, keep_all);
    const LeanEvaluator evaluator(layer.einsum, layer.architecture);
    const auto mapper = make_timeloop_mapper("timeloop-random", {.streams = 2, .timeout = 30});
    const SearchResult found = mapper->search(mapspace, evaluator, {}, {});
    EXPECT_FALSE(found.best);
    EXPECT_EQ(found.stopped, StopReason::fruitless);
    EXPECT_EQ(found.statistics.sampled, 60);
}

}  // namespace
}  // namespace tilewright::timeloop_test
