// Nests whose factors are drawn from each factor rule: the loops are legal, and the model agrees with the oracle.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "base/numbers/random.hpp"
#include "compare.hpp"
#include "mapping/validity.hpp"
#include "mapspace/factors/chains.hpp"
#include "mapspace/factors/factor_rule.hpp"
#include "nest.hpp"
#include "random_nest.hpp"
#include "repair.hpp"

namespace tilewright::property {
namespace {

constexpr int kNests = 1500;
constexpr std::int64_t kOperations = 2000;

/// Below every memory: the fan-out along X and Y, what is left of it while dimensions take their shares.
using FanOuts = std::vector<std::array<std::int64_t, 2>>;

FanOuts random_fan_outs(Random& random, int memories) {
    FanOuts fan_outs(static_cast<std::size_t>(memories), {1, 1});
    for (std::int64_t fan_out = random.between(0, 2); fan_out > 0; --fan_out)
        fan_outs[random.below(fan_outs.size())] = {random.between(1, 5), random.between(1, 3)};
    return fan_outs;
}

/// By memory, innermost first: axis Y, axis X, temporal.
ChainSpace chains_of(FactorRule rule, std::int64_t extent, const FanOuts& room) {
    std::vector<ChainSlot> slots;
    const std::int64_t imperfect_spatial = allows_remainders(rule, true) ? INT64_MAX : 1;
    const std::int64_t imperfect_temporal = allows_remainders(rule, false) ? INT64_MAX : 1;
    for (auto memory = room.rbegin(); memory != room.rend(); ++memory) {
        slots.push_back({1, (*memory)[1], imperfect_spatial});
        slots.push_back({1, (*memory)[0], imperfect_spatial});
        slots.push_back({1, INT64_MAX, imperfect_temporal});
    }
    return {extent, std::move(slots)};
}

/// Puts the loops of one dimension outside those of the dimensions before it and takes their share of the fan-outs.
void add_loops(std::vector<MappingLevel>& levels, int dimension, std::int64_t extent, const Chain& chain,
               FanOuts& room) {
    constexpr std::array kKinds{LoopKind::spatial_y, LoopKind::spatial_x, LoopKind::temporal};
    const std::vector<std::int64_t> remainders = remainders_of(extent, chain);
    for (std::size_t i = 0; i < chain.size(); ++i) {
        const std::size_t memory = levels.size() - 1 - i / 3;
        const Loop loop{dimension, chain[i], remainders[i], kKinds[i % 3]};
        if (loop.extent == 1) continue;
        std::vector<Loop>& list = loop.is_spatial() ? levels[memory].spatial : levels[memory].temporal;
        list.insert(list.begin(), loop);
        if (loop.is_spatial()) room[memory][loop.kind == LoopKind::spatial_y ? 1 : 0] /= loop.extent;
    }
}

/// A random problem on a random machine, its factors drawn from the rule. Padded: one dimension is.
Nest random_nest_of(FactorRule rule, std::uint64_t seed) {
    Nest nest = random_nest(seed, kOperations);
    Random random(Random::split(seed, 1));
    FanOuts room = random_fan_outs(random, nest.architecture.memory_count());
    std::vector<MappingLevel> levels = levels_of(nest.mapping, nest.architecture.memory_count());
    for (MappingLevel& level : levels) level.temporal = level.spatial = {};
    std::vector<int> dimensions(nest.einsum.dimensions.size());
    std::iota(dimensions.begin(), dimensions.end(), 0);
    for (std::size_t i = dimensions.size(); i > 1; --i) std::swap(dimensions[i - 1], dimensions[random.below(i)]);
    for (const int d : dimensions) {
        std::int64_t& extent = nest.einsum.dimensions[d].extent;
        if (rule == FactorRule::padded && d == dimensions.front()) extent = padded_extent(extent, room.front()[0]);
        add_loops(levels, d, extent, chains_of(rule, extent, room).draw(random), room);
    }
    nest.mapping = mapping_of(levels);
    repair(nest, levels);  // sets the meshes
    EXPECT_EQ(nest.mapping, mapping_of(levels)) << "the loops were not whole:\n" << to_text(nest);
    return nest;
}

class Rules : public testing::TestWithParam<FactorRule> {};

TEST_P(Rules, GiveNestsOnWhichModelAndOracleAgree) {
    int imperfect = 0;
    for (int i = 0; i < kNests; ++i) {
        const Nest nest = random_nest_of(GetParam(), Random::split(31, static_cast<std::uint64_t>(i)));
        const std::vector<Violation> violations = check(nest.einsum, nest.architecture, nest.mapping);
        ASSERT_TRUE(violations.empty()) << to_text(nest) << violations.front().message;
        Mapping restored = nest.mapping;
        ASSERT_TRUE(restore_remainders(restored, nest.einsum)) << to_text(nest);
        ASSERT_EQ(restored, nest.mapping) << to_text(nest);
        ASSERT_EQ(differences(nest), "") << "nest " << i << "\n" << to_text(nest);
        imperfect += is_perfect(nest.mapping) ? 0 : 1;
    }
    const bool remainders = allows_remainders(GetParam(), true) || allows_remainders(GetParam(), false);
    EXPECT_EQ(imperfect > kNests / 5, remainders) << imperfect << " imperfect nests";
    EXPECT_EQ(imperfect == 0, !remainders);
}

INSTANTIATE_TEST_SUITE_P(Every, Rules,
                         testing::Values(FactorRule::perfect, FactorRule::ruby, FactorRule::ruby_s, FactorRule::ruby_t,
                                         FactorRule::padded),
                         [](const auto& shown) {
                             std::string name(name_of(shown.param));
                             std::ranges::replace(name, '-', '_');
                             return name;
                         });

}  // namespace
}  // namespace tilewright::property
