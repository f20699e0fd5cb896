#include "mapper/optimal/wires/step_hops.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "model/exact/costs.hpp"

namespace tilewright::optimal::step_hops_test {
namespace {

// Neighbour by neighbour: those with the same words form a group.
double place_by_place(const Mesh& grid, const std::vector<StepLoop>& loops) {
    std::int64_t count = 1;
    for (const StepLoop& loop : loops) count *= loop.trips;
    std::map<std::vector<std::int64_t>, std::vector<std::int64_t>> groups;
    for (std::int64_t place = 0; place < count; ++place) {
        std::vector<std::int64_t> words;
        bool is_sent = true;
        std::int64_t rest = place;
        for (const StepLoop& loop : loops) {
            const std::int64_t index = rest % loop.trips;
            rest /= loop.trips;
            is_sent = is_sent && loop.first <= index && index < loop.end;
            if (loop.tells_apart) words.push_back(index);
        }
        if (is_sent) groups[words].push_back(place);
    }
    std::vector<ColumnSpan> columns(static_cast<std::size_t>(grid.x));
    double hops = 0.0;
    for (const auto& [words, places] : groups) hops += group_hops(places, grid, columns);
    return hops;
}

Mesh grid_for(std::int64_t count, std::mt19937& random) {
    const std::int64_t x = std::uniform_int_distribution<std::int64_t>(1, count)(random);
    const std::int64_t spare = std::uniform_int_distribution<std::int64_t>(0, 2)(random);
    return {x, (count + x - 1) / x + spare};
}

TEST(StepHops, AreThoseOfEveryGroup) {
    std::mt19937 random(11);
    const auto up_to = [&](std::int64_t most) { return std::uniform_int_distribution<std::int64_t>(0, most)(random); };
    for (int step = 0; step < 20000; ++step) {
        std::vector<StepLoop> loops(static_cast<std::size_t>(up_to(3)));
        std::int64_t count = 1;
        for (StepLoop& loop : loops) {
            loop.trips = 1 + up_to(4);
            count *= loop.trips;
            loop.first = up_to(2) == 0 ? up_to(loop.trips - 1) : 0;
            loop.end = up_to(1) == 0 ? loop.first + 1 + up_to(loop.trips - loop.first - 1) : loop.trips;
            loop.tells_apart = up_to(1) == 0;
        }
        const Mesh grid = grid_for(count, random);
        ASSERT_EQ(step_hops(grid, loops), place_by_place(grid, loops)) << step;
    }
}

// A row, a column, and more rows than words reach.
TEST(StepHops, OfTheFirstNeighbours) {
    for (const Mesh& grid : {Mesh{7, 1}, Mesh{1, 6}, Mesh{1, 7}, Mesh{4, 5}, Mesh{3, 4}}) {
        for (std::int64_t count = 1; count <= grid.size(); ++count) {
            const std::vector<StepLoop> apart{{count, 0, count, true}};
            const std::vector<StepLoop> together{{count, 0, count, false}};
            EXPECT_EQ(hops_one_each(grid, count), place_by_place(grid, apart));
            EXPECT_EQ(hops_together(grid, count), place_by_place(grid, together));
            double nearest = hops_together(grid, count);
            for (std::int64_t place = 0; place < count; ++place)
                nearest = std::min(nearest, place_by_place(grid, {{count, place, place + 1, true}}));
            EXPECT_EQ(hops_to_nearest(grid, count), nearest);
        }
    }
}

}  // namespace
}  // namespace tilewright::optimal::step_hops_test
