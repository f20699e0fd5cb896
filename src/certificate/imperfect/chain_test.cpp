// A chain's counts against a list of all instances and steps.
#include "certificate/imperfect/chain.hpp"

#include <gtest/gtest.h>

#include <set>

namespace tilewright::certificate::chain_test {
namespace {

ChainLevel level(std::int64_t spread) {
    ChainLevel level;
    level.spread = spread;
    level.spatial.imperfect_up_to = INT64_MAX;
    return level;
}

// A loop of the nest, innermost first, with its memory.
struct Loop {
    int level = 0;
    bool spatial = false;
    std::int64_t factor = 1;
};

/// Of instances below the fan-outs of memories up to `first`: pairs with some work, with temporal loops run through.
Pairs listed(std::int64_t extent, const std::vector<Loop>& loops, int first) {
    std::int64_t product = 1;
    for (const Loop& loop : loops) product *= loop.factor;
    std::set<std::pair<std::int64_t, std::vector<std::int64_t>>> pairs;
    for (std::int64_t i = 0; i < extent; ++i) {
        std::vector<std::int64_t> instance;
        std::int64_t rest = i;
        for (const Loop& loop : loops) {
            if (loop.spatial && loop.level <= first) instance.push_back(rest % loop.factor);
            rest /= loop.factor;
        }
        pairs.emplace(rest, instance);
    }
    Pairs counted;
    counted.all = static_cast<double>(pairs.size());
    counted.last = 0.0;
    for (const auto& [chunk, instance] : pairs) counted.last += chunk == (extent - 1) / product ? 1.0 : 0.0;
    return counted;
}

/// Follows the loops; -1 if the chain does not have them.
int node_of(const Chain& chain, const std::vector<Loop>& loops) {
    int node = 0;
    int crossed = 3;
    const auto cross_to = [&](int level) {
        while (crossed > level && node >= 0) node = chain.across(--crossed, node);
    };
    for (const Loop& loop : loops) {
        cross_to(loop.level);
        if (loop.spatial || node < 0) continue;
        int to = -1;
        for (const Chain::Edge& edge : chain.edges(loop.level, node))
            if (edge.factor == loop.factor) to = edge.to;
        node = to;
        if (node < 0) return -1;
    }
    cross_to(0);
    return node;
}

TEST(Chain, CountsPairsOfInstancesAndSteps) {
    int compared = 0;
    for (const std::int64_t extent : {5, 7, 12, 14, 30})
        for (const std::int64_t outer : {1, 2, 3, 4})
            for (const std::int64_t inner : {1, 3, 4})
                for (const std::int64_t between : {1, 2})
                    for (const std::int64_t outside : {1, 2, 3}) {
                        const Chain chain(extent, {level(outer), level(inner), level(1)}, true);
                        std::vector<Loop> loops;
                        if (inner > 1) loops.push_back({1, true, inner});
                        if (between > 1) loops.push_back({1, false, between});
                        if (outer > 1) loops.push_back({0, true, outer});
                        if (outside > 1) loops.push_back({0, false, outside});
                        const int node = node_of(chain, loops);
                        if (node < 0) continue;
                        for (const int first : {0, 1}) {
                            // Temporal loops inside the instances are not run through: there are none here.
                            const Pairs expected = listed(extent, loops, first);
                            const Pairs pairs = chain.pairs(node, 0, first);
                            EXPECT_EQ(pairs.all, expected.all) << extent << ": " << inner << " " << between << " "
                                                               << outer << " " << outside << ", " << first;
                            EXPECT_EQ(pairs.last, expected.last);
                            EXPECT_GE(pairs.slots, pairs.all);
                            ++compared;
                        }
                    }
    EXPECT_GT(compared, 50);
}

// 14 over 5 neighbours leaves 3 chunks; over 4 it leaves 4, possibly two loops of two.
TEST(Chain, DealsWhatIsLeftToLoopsThatDivide) {
    const Chain five(14, {level(5)}, false);
    EXPECT_EQ(five.least_steps(), 3.0);
    EXPECT_TRUE(five.is_ever_imperfect());
    const Chain seven(14, {level(7)}, false);
    EXPECT_EQ(seven.least_steps(), 2.0);
    EXPECT_FALSE(seven.is_ever_imperfect());
    const Chain none(14, {level(15)}, false);
    EXPECT_EQ(none.least_steps(), Chain::kNever);
}

}  // namespace
}  // namespace tilewright::certificate::chain_test
