// Everything against the definition: chains accepted by restore_remainders(), once per list of loops.
#include "mapspace/factors/chains.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "mapping/mapping.hpp"
#include "mapspace/factors/factor_rule.hpp"
#include "workload/einsum_text.hpp"

namespace tilewright::chains_test {
namespace {

constexpr std::int64_t kAny = INT64_MAX;

/// A slot of a rule, with or without a cap.
ChainSlot slot_of(FactorRule rule, bool spatial, std::int64_t cap = kAny) {
    return {1, cap, allows_remainders(rule, spatial) ? kAny : 1};
}

/// Temporal inside, two axes of a fan-out, temporal outside.
std::vector<ChainSlot> processor_slots(FactorRule rule) {
    return {slot_of(rule, false), slot_of(rule, true, 3), slot_of(rule, true, 2), slot_of(rule, false)};
}

struct Space {
    std::string name;
    std::vector<ChainSlot> slots;
};

std::vector<Space> spaces() {
    std::vector<Space> all;
    for (const FactorRule rule : {FactorRule::perfect, FactorRule::ruby, FactorRule::ruby_s, FactorRule::ruby_t}) {
        const std::string name(name_of(rule));
        all.push_back({name + ", processors", processor_slots(rule)});
        all.push_back({name + ", spatial outside", {slot_of(rule, false), slot_of(rule, false), slot_of(rule, true)}});
        all.push_back({name + ", at least 2", {{2, kAny, kAny}, slot_of(rule, true, 4), slot_of(rule, false)}});
        all.push_back({name + ", exactly 3", {slot_of(rule, false), {3, 3, kAny}, slot_of(rule, false)}});
    }
    all.push_back({"remainders up to 3", {{1, 6, 3}, {1, kAny, 1}, {1, kAny, kAny}}});
    all.push_back({"one slot", {{}}});
    all.push_back({"no slot", {}});
    return all;
}

Einsum line(std::int64_t extent) { return parse_einsum("O[d] += I[d]", {{"d", extent}}); }

/// The loops of a chain, outermost first, without those of one step; `place` tells slots apart.
std::vector<std::pair<int, Loop>> loops_of(const Chain& chain) {
    std::vector<std::pair<int, Loop>> loops;
    for (int slot = static_cast<int>(chain.size()) - 1; slot >= 0; --slot)
        if (chain[slot] > 1) loops.push_back({slot, Loop{0, chain[slot], chain[slot], LoopKind::temporal}});
    return loops;
}

/// The loops with the mapping library's remainders, or nothing if illegal.
std::optional<std::vector<std::pair<int, Loop>>> restored(std::int64_t extent, const Chain& chain) {
    std::vector<std::pair<int, Loop>> loops = loops_of(chain);
    Mapping mapping;
    for (const auto& [slot, loop] : loops) mapping.nodes.emplace_back(loop);
    if (!restore_remainders(mapping, line(extent))) return std::nullopt;
    for (std::size_t i = 0; i < loops.size(); ++i) loops[i].second = std::get<Loop>(mapping.nodes[i]);
    return loops;
}

bool slots_allow(const std::vector<ChainSlot>& slots, const Chain& chain,
                 const std::vector<std::pair<int, Loop>>& loops) {
    for (std::size_t i = 0; i < slots.size(); ++i)
        if (chain[i] < slots[i].at_least || chain[i] > slots[i].at_most) return false;
    return std::ranges::all_of(loops, [&](const auto& entry) {
        const auto& [slot, loop] = entry;
        return loop.is_perfect() || loop.extent <= slots[slot].imperfect_up_to;
    });
}

/// Every legal list of extents up to `extent` + 1 in lexicographic order; once per list of loops.
std::vector<Chain> by_definition(std::int64_t extent, const std::vector<ChainSlot>& slots) {
    std::vector<Chain> chains;
    std::set<std::vector<std::array<std::int64_t, 3>>> seen;
    for (Chain chain(slots.size(), 1);;) {
        const auto loops = restored(extent, chain);
        if (loops && slots_allow(slots, chain, *loops)) {
            std::vector<std::array<std::int64_t, 3>> key;
            for (const auto& [slot, loop] : *loops) key.push_back({slot, loop.extent, loop.remainder});
            if (seen.insert(key).second) chains.push_back(chain);
        }
        int slot = static_cast<int>(slots.size()) - 1;
        while (slot >= 0 && chain[slot] > extent) chain[slot--] = 1;
        if (slot < 0) return chains;
        ++chain[slot];
    }
}

std::vector<Chain> enumerated(const ChainSpace& space) {
    std::vector<Chain> chains;
    space.enumerate([&](const Chain& chain) {
        chains.push_back(chain);
        return true;
    });
    return chains;
}

TEST(Chains, AreAllLegalLoopsOnce) {
    for (const Space& space : spaces())
        for (const std::int64_t extent : {1, 2, 3, 4, 5, 6, 7, 9, 12})
            EXPECT_EQ(enumerated(ChainSpace(extent, space.slots)), by_definition(extent, space.slots))
                << space.name << ", extent " << extent;
}

TEST(Chains, HaveTheRemaindersOfMappings) {
    for (const Space& space : spaces())
        for (const std::int64_t extent : {1, 5, 12, 37})
            for (const Chain& chain : enumerated(ChainSpace(extent, space.slots))) {
                const auto loops = restored(extent, chain);
                ASSERT_TRUE(loops.has_value());
                const std::vector<std::int64_t> remainders = remainders_of(extent, chain);
                for (const auto& [slot, loop] : *loops) EXPECT_EQ(remainders[slot], loop.remainder);
            }
}

TEST(Chains, CountRankAndListAgree) {
    for (const Space& space : spaces())
        for (const std::int64_t extent : {1, 2, 12, 37, 60, 64, 97}) {
            SCOPED_TRACE(space.name + ", extent " + std::to_string(extent));
            const ChainSpace chains(extent, space.slots);
            const std::vector<Chain> all = enumerated(chains);
            ASSERT_EQ(to_text(chains.count()), std::to_string(all.size()));
            ASSERT_TRUE(std::ranges::is_sorted(all));
            for (std::size_t i = 0; i < all.size(); ++i) {
                ASSERT_TRUE(chains.contains(all[i]));
                ASSERT_EQ(to_text(chains.rank(all[i])), std::to_string(i));
                ASSERT_EQ(chains.at(i), all[i]);
            }
        }
}

TEST(Chains, ContainsNothingElse) {
    const ChainSpace space(7, {{1, kAny, kAny}, {1, 3, 1}});
    EXPECT_TRUE(space.contains({4, 2}));
    EXPECT_TRUE(space.contains({3, 3}));
    EXPECT_FALSE(space.contains({3, 4})) << "runs three times whatever the extent: (3 3)";
    EXPECT_FALSE(space.contains({2, 4})) << "above the bound";
    EXPECT_FALSE(space.contains({2, 2})) << "covers only 4";
    EXPECT_FALSE(space.contains({2, 3})) << "covers only 6";
    EXPECT_FALSE(space.contains({7, 0}));
    EXPECT_FALSE(space.contains({7}));
    EXPECT_FALSE(ChainSpace(7, {{}, {}}).contains({4, 2})) << "4 leaves a remainder";
}

TEST(Chains, KeepSixProcessorsBusy) {
    const ChainSpace space(100, {{.at_most = 6, .imperfect_up_to = 6}, {}});
    EXPECT_EQ(enumerated(space), (std::vector<Chain>{{1, 100}, {2, 50}, {3, 34}, {4, 25}, {5, 20}, {6, 17}}));
    EXPECT_EQ(remainders_of(100, {6, 17}), (std::vector<std::int64_t>{4, 17})) << "the paper's Fig. 5";
}

TEST(Chains, StopWhenAsked) {
    const ChainSpace space(60, processor_slots(FactorRule::ruby));
    int seen = 0;
    EXPECT_FALSE(space.enumerate([&](const Chain&) { return ++seen < 5; }));
    EXPECT_EQ(seen, 5);
    EXPECT_FALSE(space.visit_neighbours(space.at(0), [&](const Chain&) { return ++seen < 9; }));
    EXPECT_EQ(seen, 9);
}

/// Pearson's statistic of equally likely outcomes, in standard deviations above its mean.
double surprise(const std::map<Chain, int>& seen, std::size_t outcomes, int draws) {
    const double expected = static_cast<double>(draws) / static_cast<double>(outcomes);
    double statistic = expected * static_cast<double>(outcomes - seen.size());
    for (const auto& [chain, times] : seen) statistic += (times - expected) * (times - expected) / expected;
    const auto freedom = static_cast<double>(outcomes - 1);
    return (statistic - freedom) / std::sqrt(2 * freedom);
}

TEST(Chains, AreDrawnEquallyOften) {
    for (const Space& space : spaces()) {
        const ChainSpace chains(24, space.slots);
        if (chains.count() < 2) continue;
        const auto outcomes = static_cast<std::size_t>(chains.count());
        const int draws = static_cast<int>(outcomes) * 100;
        std::map<Chain, int> seen;
        Random random(20);
        for (int i = 0; i < draws; ++i) ++seen[chains.draw(random)];
        for (const auto& [chain, times] : seen) ASSERT_TRUE(chains.contains(chain));
        EXPECT_LT(std::abs(surprise(seen, outcomes, draws)), 4.0) << space.name << ": " << outcomes << " chains";
    }
}

int slots_that_differ(const Chain& a, const Chain& b) {
    int differ = 0;
    for (std::size_t i = 0; i < a.size(); ++i) differ += a[i] != b[i];
    return differ;
}

TEST(Neighbours, AreTheChainsThatDifferInOneOrTwoSlots) {
    for (const Space& space : spaces())
        for (const std::int64_t extent : {1, 5, 12, 21}) {
            const ChainSpace chains(extent, space.slots);
            const std::vector<Chain> all = enumerated(chains);
            for (const Chain& chain : all) {
                std::vector<Chain> expected, found;
                for (const Chain& other : all)
                    if (other != chain && slots_that_differ(chain, other) <= 2) expected.push_back(other);
                chains.visit_neighbours(chain, [&](const Chain& other) {
                    found.push_back(other);
                    return true;
                });
                std::ranges::sort(found);
                ASSERT_EQ(found, expected) << space.name << ", extent " << extent;
            }
        }
}

TEST(Neighbours, OfEachPairAreDrawnEquallyOften) {
    const ChainSpace space(30, processor_slots(FactorRule::ruby));
    const Chain chain{4, 2, 2, 2};
    ASSERT_TRUE(space.contains(chain));
    std::map<std::pair<int, int>, std::map<Chain, int>> seen;  // by pair, of those that differ in both
    Random random(3);
    for (int i = 0; i < 60'000; ++i) {
        Chain other = chain;
        ASSERT_TRUE(space.step(random, other));
        ASSERT_TRUE(space.contains(other));
        std::vector<int> differ;
        for (int slot = 0; slot < 4; ++slot)
            if (other[slot] != chain[slot]) differ.push_back(slot);
        ASSERT_FALSE(differ.empty());
        ASSERT_LE(differ.size(), 2U);
        if (differ.size() == 2) ++seen[{differ[0], differ[1]}][other];
    }
    int pairs = 0;
    for (const auto& [pair, chains] : seen) {
        if (chains.size() < 2) continue;
        int draws = 0;
        for (const auto& [other, times] : chains) draws += times;
        EXPECT_LT(std::abs(surprise(chains, chains.size(), draws)), 4.0) << pair.first << " and " << pair.second;
        ++pairs;
    }
    EXPECT_GE(pairs, 3);
}

TEST(Neighbours, ReachEveryChainFromEveryChain) {
    for (const FactorRule rule : {FactorRule::perfect, FactorRule::ruby, FactorRule::ruby_s, FactorRule::ruby_t}) {
        const ChainSpace space(36, processor_slots(rule));
        std::set<Chain> reached{space.at(0)};
        std::vector<Chain> to_visit{space.at(0)};
        while (!to_visit.empty()) {
            const Chain chain = to_visit.back();
            to_visit.pop_back();
            space.visit_neighbours(chain, [&](const Chain& other) {
                if (reached.insert(other).second) to_visit.push_back(other);
                return true;
            });
        }
        EXPECT_EQ(std::to_string(reached.size()), to_text(space.count())) << name_of(rule);
    }
}

TEST(Neighbours, DoNotExistWhereNothingCanMove) {
    Random random(1);
    Chain alone{7};
    EXPECT_FALSE(ChainSpace(7, {{}}).step(random, alone));
    Chain forced{7, 1};
    EXPECT_FALSE(ChainSpace(7, {{2, kAny, 1}, {}}).step(random, forced));
    EXPECT_EQ(forced, (Chain{7, 1}));
}

TEST(Chains, AreCountedForAMillionInTwelveSlots) {
    std::vector<ChainSlot> slots;
    for (int i = 0; i < 12; ++i) slots.push_back(slot_of(FactorRule::ruby, i % 3 == 1, i % 3 == 1 ? 16 : kAny));
    const ChainSpace space(1'000'000, slots);
    Random random(1);
    for (int i = 0; i < 1000; ++i) {
        Chain chain = space.draw(random);
        ASSERT_TRUE(space.contains(chain));
        ASSERT_EQ(to_text(space.rank(space.at(space.rank(chain)))), to_text(space.rank(chain)));
        ASSERT_TRUE(space.step(random, chain));
        ASSERT_TRUE(space.contains(chain));
    }
    RecordProperty("chains", to_text(space.count()));
}

TEST(Chains, RefuseExtentsThatAreNoLoops) {
    EXPECT_THROW(ChainSpace(0, {{}}), OverflowError);
    EXPECT_THROW(ChainSpace(std::int64_t{1} << 31, {{}}), OverflowError);
}

TEST(FactorRules, AreNamed) {
    for (const std::string name : {"perfect", "ruby", "ruby-s", "ruby-t", "padded"})
        EXPECT_EQ(name_of(factor_rule_named(name).value()), name);
    EXPECT_EQ(factor_rule_named("Ruby"), std::nullopt);
}

TEST(FactorRules, PadUpToTheFanOut) {
    EXPECT_EQ(padded_extent(127, 16), 128);
    EXPECT_EQ(padded_extent(113, 16), 128);
    EXPECT_EQ(padded_extent(128, 16), 128);
    EXPECT_EQ(padded_extent(3, 16), 16);
    EXPECT_THROW(padded_extent(INT64_MAX, 2), OverflowError);
}

}  // namespace
}  // namespace tilewright::chains_test
