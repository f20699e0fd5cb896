#include "mapper/shortlist.hpp"

#include <gtest/gtest.h>

#include "fixtures/small_machine.hpp"
#include "mapper/by_name/by_name.hpp"
#include "mapping/validity.hpp"
#include "workload/shapes.hpp"

namespace tilewright::shortlist_test {
namespace {

struct Around {
    Einsum einsum = gemm(12, 8, 18);
    Architecture architecture = fixtures::small_machine();
    Mapspace mapspace;
    LeanEvaluator evaluator{einsum, architecture};

    explicit Around(FactorRule rule) : mapspace(einsum, architecture, {}, rule) {}

    TilingPoint best(const Objective& objective) const {
        Budget budget;
        budget.evaluations = 20'000;
        return make_mapper("hybrid")->search(mapspace, evaluator, objective, budget).best.value().point;
    }
};

TEST(Shortlist, HoldsDifferentLegalMappingsByTheirScore) {
    int listed = 0;
    for (const FactorRule rule : {FactorRule::perfect, FactorRule::ruby_s}) {
        for (const ObjectiveKind kind : {ObjectiveKind::edp, ObjectiveKind::energy, ObjectiveKind::latency}) {
            const Around problem(rule);
            const Objective objective{kind};
            const TilingPoint best = problem.best(objective);
            const std::vector<FrontPoint> all =
                shortlist(problem.mapspace, problem.evaluator, best, objective, {.count = 12});
            listed += static_cast<int>(all.size());
            EXPECT_EQ(std::ranges::count(all, FoundMapping{best}, &FrontPoint::mapping), 1)
                << "where it began is on the list";
            Score before{0.0, 0.0};
            for (const FrontPoint& one : all) {
                EXPECT_TRUE(problem.mapspace.contains(one.mapping.point));
                const Mapping mapping = mapping_of(one.mapping.point, problem.einsum).value();
                EXPECT_TRUE(check(problem.einsum, problem.architecture, mapping).empty());
                const LeanCost cost = problem.evaluator.evaluate(one.mapping.point);
                EXPECT_EQ(std::ranges::count_if(all,
                                                [&](const FrontPoint& other) {
                                                    return other.cost.energy_pj == cost.energy_pj &&
                                                           other.cost.cycles == cost.cycles;
                                                }),
                          1);
                EXPECT_EQ(cost.energy_pj, one.cost.energy_pj);
                const Score score = objective.score(cost.energy_pj, cost.cycles);
                EXPECT_LE(before, score);
                before = score;
            }
        }
    }
    EXPECT_EQ(listed, 6 * 12) << "there are enough mappings in each of these spaces";
}

TEST(Shortlist, TheSameSeedGivesTheSameList) {
    const Around problem(FactorRule::perfect);
    const TilingPoint best = problem.best({});
    const auto with_seed = [&](std::uint64_t seed) {
        std::vector<TilingPoint> points;
        const ShortlistOptions options{.count = 20, .moves = 300, .seed = seed};
        for (const FrontPoint& one : shortlist(problem.mapspace, problem.evaluator, best, {}, options))
            points.push_back(one.mapping.point);
        return points;
    };
    EXPECT_EQ(with_seed(3), with_seed(3));
    EXPECT_NE(with_seed(3), with_seed(4)) << "so few moves do not find all of the best";
}

TEST(Shortlist, AStopLeavesWhatIsOnItSoFar) {
    const Around problem(FactorRule::perfect);
    const TilingPoint best = problem.best({});
    StopSource stop;
    stop.request();
    const auto all = shortlist(problem.mapspace, problem.evaluator, best, {}, {.count = 5, .stop = &stop});
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all[0].mapping.point, best);
}

}  // namespace
}  // namespace tilewright::shortlist_test
