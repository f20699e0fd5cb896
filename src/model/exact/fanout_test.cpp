#include "model/exact/fanout.hpp"

#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "base/numbers/random.hpp"

namespace tilewright::fanout_test {
namespace {

// One memory with spatial loops inside, some with a remainder.
struct RandomBlock {
    Einsum einsum{"", {{"a", 1}, {"b", 1}, {"c", 1}}, {}};
    Tensor tensor{"T", {{{{0, 1}}}, {{{1, 2}, {2, -1}}}}, false};
    Nest nest;

    explicit RandomBlock(Random& random) {
        nest.einsum = &einsum;
        const auto loops = static_cast<int>(random.below(5));
        for (int k = 0; k < loops; ++k) {
            NestLoop loop{static_cast<int>(random.below(3)), random.between(2, 5), 1, random.between(1, 9),
                          LoopKind::spatial_x};
            loop.remainder = random.between(1, loop.extent);
            nest.loops.push_back(loop);
        }
        NestLevel level;
        level.end = loops;
        nest.levels.push_back(level);
    }
};

struct Listed {
    std::vector<std::int64_t> index;
    LastMask last = 0;
    TileOffset offset{};
};

// Loop by loop, by definition.
void list(const RandomBlock& block, std::size_t k, const Listed& so_far, std::vector<Listed>& all) {
    if (k == block.nest.loops.size()) return all.push_back(so_far);
    const NestLoop& loop = block.nest.loops[k];
    const LastMask bit = LastMask{1} << loop.dimension;
    const std::int64_t trips = (so_far.last & bit) != 0 ? loop.remainder : loop.extent;
    for (std::int64_t i = 0; i < trips; ++i) {
        Listed inner = so_far;
        inner.index.push_back(i);
        if (i + 1 < trips) inner.last &= ~bit;
        for (std::size_t r = 0; r < block.tensor.ranks.size(); ++r)
            inner.offset[r] += i * block.nest.shift(static_cast<int>(k), block.tensor.ranks[r]);
        list(block, k + 1, inner, all);
    }
}

TEST(Fanout, NeighboursAreThoseOfTheLoops) {
    Random random(1);
    std::size_t compared = 0;
    for (int n = 0; n < 300; ++n) {
        const RandomBlock block(random);
        for (LastMask last = 0; last < 8; ++last) {
            std::vector<Listed> all;
            list(block, 0, {{}, last, {}}, all);
            const Fanout fanout(block.nest, 0, last);
            ASSERT_EQ(fanout.size(), static_cast<std::int64_t>(all.size()));
            FanoutWalk walk(fanout, block.nest, 0, block.tensor);
            FanoutWalk sought(fanout, block.nest, 0, block.tensor);
            for (std::size_t i = 0; i < all.size(); ++i, walk.advance(), ++compared) {
                const auto number = static_cast<std::int64_t>(i);
                sought.seek(number);
                EXPECT_EQ(fanout.at(number).index, all[i].index);
                for (const FanoutWalk& one : {walk, sought}) {
                    ASSERT_TRUE(one.exists());
                    EXPECT_EQ(one.number(), number);
                    EXPECT_EQ(one.last(), all[i].last);
                    EXPECT_EQ(one.offset(), all[i].offset);
                }
                EXPECT_EQ(fanout.at(number).last, all[i].last);
            }
            EXPECT_FALSE(walk.exists());
            sought.seek(fanout.size());
            EXPECT_FALSE(sought.exists());
        }
    }
    EXPECT_GT(compared, 50'000);
}

TEST(Fanout, NeighboursOfARunDifferByTheInnermostLoopAlone) {
    Random random(2);
    int longer = 0;
    for (int n = 0; n < 300; ++n) {
        const RandomBlock block(random);
        const Fanout fanout(block.nest, 0, static_cast<LastMask>(random.below(8)));
        FanoutWalk walk(fanout, block.nest, 0, block.tensor);
        while (walk.exists()) {
            const std::int64_t run = walk.alike();
            ASSERT_GE(run, 1);
            longer += run > 1 ? 1 : 0;
            const Neighbour first = fanout.at(walk.number());
            for (std::int64_t i = 1; i < run; ++i) {
                Neighbour expected = first;
                expected.index.back() += i;
                const Neighbour other = fanout.at(walk.number() + i);
                EXPECT_EQ(other.index, expected.index);
                EXPECT_EQ(other.last, expected.last);
            }
            walk.advance(run);
        }
        EXPECT_EQ(walk.number(), fanout.size());
    }
    EXPECT_GT(longer, 1000);
}

TEST(MulticastGroups, CountAsTheirTreesOneByOne) {
    Random random(3);
    for (int n = 0; n < 300; ++n) {
        const Mesh grid{random.between(1, 9), random.between(1, 9)};
        MulticastGroups groups(grid, 2, grid.size());
        std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::int64_t>> members;
        for (std::int64_t number = 0; number < grid.size();) {
            const std::int64_t count = std::min(random.between(1, 3), grid.size() - number);
            const std::pair position{random.between(-2, 2), random.between(-1, 1)};
            if (random.below(4) > 0) {
                groups.add({position.first, position.second}, number, count);
                for (std::int64_t i = 0; i < count; ++i) members[position].push_back(number + i);
            }
            number += count;
        }
        Traffic expected;
        for (const auto& [position, numbers] : members)
            expected.add(static_cast<std::int64_t>(numbers.size()), 1, tree_hops(grid, numbers));
        const Traffic found = groups.traffic();
        EXPECT_EQ(found.words, expected.words);
        EXPECT_EQ(found.delivered, expected.delivered);
        EXPECT_EQ(found.by_copies, expected.by_copies);
    }
}

TEST(Fanout, ClosedFormsOfHopsAreSumsOverTheNeighbours) {
    int compared = 0;
    for (std::int64_t x = 1; x <= 7; ++x)
        for (std::int64_t y = 1; y <= 7; ++y)
            for (std::int64_t count = 1; count <= x * y; ++count) {
                const Mesh grid{x, y};
                std::vector<std::int64_t> all(static_cast<std::size_t>(count));
                std::iota(all.begin(), all.end(), 0);
                double each = 0.0;
                for (const std::int64_t number : all) each += tree_hops(grid, {number});
                EXPECT_EQ(hops_to_each(grid, count), each) << x << " x " << y << ", " << count;
                EXPECT_EQ(hops_to_all(grid, count), tree_hops(grid, all)) << x << " x " << y << ", " << count;
                ++compared;
            }
    EXPECT_EQ(compared, 784);
}

TEST(Fanout, AMeshOfAnySizeTakesNoTime) {
    const Mesh grid{1 << 26, 1 << 26};
    const std::int64_t count = (std::int64_t{1} << 51) + 12345;
    EXPECT_GT(hops_to_each(grid, count), 0.0);
    EXPECT_GT(hops_to_all(grid, count), 0.0);
    EXPECT_EQ(tree_hops(grid, {count}), tree_hops(grid, {count}));
}

}  // namespace
}  // namespace tilewright::fanout_test
