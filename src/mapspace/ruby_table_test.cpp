// Table I of the Ruby paper: mappings of one dimension on two memories with nine processors between. Source of our
// counts in docs/ruby.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include "mapspace/factors/chains.hpp"
#include "mapspace/factors/factor_rule.hpp"

namespace tilewright::ruby_table_test {
namespace {

using enum FactorRule;
using Row = std::vector<std::int64_t>;

const Row kExtents{3, 64, 100, 1000, 4096};
constexpr std::int64_t kAny = INT64_MAX;
constexpr std::int64_t kProcessors = 9;
constexpr std::int64_t kScratchpad = 1024;  ///< words of one byte

/// The processor's scratchpad, the fan-out, the memory outside.
ChainSpace space_of(FactorRule rule, std::int64_t extent, std::int64_t fan_out, std::int64_t scratchpad = kAny) {
    const std::int64_t spatial = allows_remainders(rule, true) ? kAny : 1;
    const std::int64_t temporal = allows_remainders(rule, false) ? kAny : 1;
    return {extent, {{1, scratchpad, temporal}, {1, fan_out, spatial}, {1, kAny, temporal}}};
}

Row counts(FactorRule rule, std::int64_t fan_out, std::int64_t scratchpad = kAny) {
    Row row;
    for (const std::int64_t extent : kExtents)
        row.push_back(static_cast<std::int64_t>(space_of(rule, extent, fan_out, scratchpad).count()));
    return row;
}

TEST(RubyTable, PerfectMappingsAreThePapers) {
    EXPECT_EQ(counts(perfect, kProcessors, kScratchpad), (Row{3, 22, 24, 52, 43}));
    EXPECT_EQ(counts(perfect, kProcessors).back(), 46) << "three tiles of 4096 do not fit the scratchpad";
}

TEST(RubyTable, OurCounts) {
    EXPECT_EQ(counts(ruby_s, kProcessors, kScratchpad), (Row{4, 42, 57, 119, 93}));
    EXPECT_EQ(counts(ruby_t, kProcessors, kScratchpad), (Row{5, 146, 228, 2297, 2903}));
    EXPECT_EQ(counts(ruby, kProcessors, kScratchpad), (Row{6, 232, 366, 3711, 7716}));
    EXPECT_EQ(counts(ruby_s, kProcessors), (Row{4, 42, 57, 119, 96}));
    EXPECT_EQ(counts(ruby_t, kProcessors), (Row{5, 146, 228, 2297, 9387}));
    EXPECT_EQ(counts(ruby, kProcessors), (Row{6, 232, 366, 3711, 15223}));
    EXPECT_EQ(counts(perfect, kAny), (Row{3, 28, 36, 100, 91}));
    EXPECT_EQ(counts(ruby_s, kAny), (Row{4, 127, 217, 2340, 8191}));
    EXPECT_EQ(counts(ruby_t, kAny), (Row{5, 157, 247, 2492, 10131}));
    EXPECT_EQ(counts(ruby, kAny), (Row{6, 337, 573, 8053, 38803}));
}

Row minus(Row a, const Row& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
    return a;
}

TEST(RubyTable, TemporalRemaindersWithoutLimitsAreThePapers) {
    EXPECT_EQ(counts(ruby_t, kAny)[1], 157);
    EXPECT_EQ(counts(ruby_t, kAny)[2], 247);
    const Row ruby_t_only = minus(counts(ruby_t, kAny), counts(perfect, kAny));
    EXPECT_EQ(ruby_t_only[3], 2392);
    EXPECT_EQ(ruby_t_only[4], 10040);
    const Row ruby_only = minus(counts(ruby, kAny), counts(ruby_s, kAny));
    EXPECT_EQ(ruby_only[3], 5713);
    EXPECT_EQ(ruby_only[4], 30612);
}

/// The extents tried by Timeloop's generator for remainders up to `most`.
std::vector<std::int64_t> tried_by_timeloop(std::int64_t extent, std::int64_t most) {
    std::set<std::int64_t> tried{extent};
    for (std::int64_t factor = 1; factor < extent; ++factor)
        for (std::int64_t remainder = 1; remainder <= most; ++remainder)
            if (remainder * extent * ceil_div(extent, remainder) % factor == 0) tried.insert(factor);
    return {tried.begin(), tried.end()};
}

struct Listed {
    Row chains;      ///< chains
    Row unfilled;    ///< outermost loop never reaching its extent
    Row duplicates;  ///< of either

    Row all() const {
        Row sum = chains;
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += unfilled[i] + duplicates[i];
        return sum;
    }
};

/// A list's limits: the rule of its chains and the most processors of the spatial loop.
struct List {
    FactorRule rule = perfect;
    std::int64_t extent = 1;
    std::int64_t fan_out = kAny;

    std::vector<std::int64_t> tried() const { return tried_by_timeloop(extent, std::min(fan_out, extent)); }

    /// Timeloop takes a chain whose outermost extent is the rest of the other two.
    bool takes(const Chain& chain) const {
        const std::int64_t chunks = ceil_div(extent, chain[0]);
        if (!allows_remainders(rule, false) && extent % chain[0] != 0) return false;
        if (!allows_remainders(rule, true) && chunks % chain[1] != 0) return false;
        if (chain[1] > fan_out || (chunks == 1 && chain[1] > 1)) return false;  // one step, for any extent
        std::int64_t product = 1;
        for (const std::int64_t factor : chain) product *= std::max<std::int64_t>(factor - 1, 1);
        return product <= extent;
    }
};

/// Timeloop walks the chains once for each slot: that slot's extent may exceed the root, the others may not.
int times_listed(const Chain& chain, std::int64_t extent) {
    const auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(extent)) + 1.5);
    int times = 0;
    for (std::size_t large = 0; large < chain.size(); ++large) {
        bool listed = large == 0 || chain[large] >= root;
        for (std::size_t slot = 0; slot < chain.size(); ++slot) listed &= slot == large || chain[slot] <= root;
        times += listed ? 1 : 0;
    }
    return times;
}

Listed listed_by_timeloop(FactorRule rule, const Row& extents, std::int64_t fan_out) {
    Listed listed;
    for (const std::int64_t extent : extents) {
        const List list{rule, extent, fan_out};
        const std::vector<std::int64_t> tried = list.tried();
        const ChainSpace space = space_of(rule, extent, fan_out);
        std::int64_t chains = 0, unfilled = 0, duplicates = 0;
        for (const std::int64_t inner : tried)
            for (const std::int64_t spatial : tried) {
                const Chain chain{inner, spatial, ceil_div(ceil_div(extent, inner), spatial)};
                const int times = times_listed(chain, extent);
                if (times == 0 || !std::ranges::binary_search(tried, chain[2]) || !list.takes(chain)) continue;
                ++(space.contains(chain) ? chains : unfilled);
                duplicates += times - 1;
            }
        listed.chains.push_back(chains);
        listed.unfilled.push_back(unfilled);
        listed.duplicates.push_back(duplicates);
    }
    return listed;
}

TEST(RubyTable, SpatialRemaindersAreThePapersAsTimeloopListsThem) {
    const Listed listed = listed_by_timeloop(ruby_s, kExtents, kProcessors);
    EXPECT_EQ(listed.chains, (Row{4, 42, 57, 112, 79}));
    EXPECT_EQ(listed.unfilled, (Row{0, 3, 3, 4, 3}));
    EXPECT_EQ(listed.duplicates, (Row{2, 4, 0, 0, 0}));
    EXPECT_EQ(minus({7, 50, 61, 117, 83}, listed.all()), (Row{1, 1, 1, 1, 1})) << "one more than the list";
}

TEST(RubyTable, SmallExtentsAreThePapersAsTimeloopListsThem) {
    const Listed temporal = listed_by_timeloop(ruby_t, {3, 64, 100}, kAny);
    EXPECT_EQ(temporal.chains, (Row{5, 157, 247}));
    EXPECT_EQ(temporal.unfilled, (Row{0, 0, 0}));
    EXPECT_EQ(temporal.all(), (Row{7, 157, 247})) << "as in the paper";
    const Listed any = listed_by_timeloop(ruby, {3, 64, 100}, kAny);
    EXPECT_EQ(any.chains, (Row{6, 337, 573}));
    EXPECT_EQ(any.unfilled, (Row{1, 67, 105}));
    EXPECT_EQ(any.duplicates, (Row{3, 9, 11}));
    EXPECT_EQ(minus({11, 414, 690}, any.all()), (Row{1, 1, 1})) << "one more than the list";
}

}  // namespace
}  // namespace tilewright::ruby_table_test
