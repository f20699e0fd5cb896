#include "mapper/optimal/geometry/lattice.hpp"

#include <gtest/gtest.h>

namespace tilewright::optimal::point_set_test {
namespace {

// More than a word of points, strides below and above one.
Lattice lattice() { return {{12.0, 9.0, 40.0, 7.0}, 4}; }

PointSet some_of(const Lattice& lattice, std::minstd_rand& random) {
    PointSet points(lattice.size());
    for (int point = 0; point < lattice.size(); ++point)
        if (random() % 16 == 0) points.add(point);
    return points;
}

bool divides(const Lattice& lattice, int inside, int outside, std::uint32_t along) {
    for (int d = 0; d < 4; ++d) {
        const auto few = static_cast<int>(lattice.loops(inside)[d]);
        const auto many = static_cast<int>(lattice.loops(outside)[d]);
        if ((along >> d & 1U) != 0 ? many % few != 0 : many != few) return false;
    }
    return true;
}

TEST(PointSet, SpreadsToAllPointsThatLoopsLeadTo) {
    const Lattice all = lattice();
    std::minstd_rand random(5);
    for (std::uint32_t along = 0; along < 16; ++along) {
        const PointSet some = some_of(all, random);
        PointSet outside = some;
        PointSet inside = some;
        all.spread_outwards(along, outside);
        all.spread_inwards(along, inside);
        for (int point = 0; point < all.size(); ++point) {
            bool leads_here = false;
            bool leads_away = false;
            some.visit([&](int other) {
                leads_here = leads_here || divides(all, other, point, along);
                leads_away = leads_away || divides(all, point, other, along);
            });
            EXPECT_EQ(outside.has(point), leads_here) << point << " along " << along;
            EXPECT_EQ(inside.has(point), leads_away) << point << " along " << along;
        }
    }
}

TEST(PointSet, PointsBeforeOthersStepOntoThem) {
    const Lattice all = lattice();
    std::minstd_rand random(7);
    for (const Axis& axis : all.axes()) {
        const PointSet some = some_of(all, random);
        const PointSet before = some.before(axis.stride, all.may_step(axis));
        for (int point = 0; point < all.size(); ++point) {
            const bool may_step = all.exponent(point, axis) < axis.most;
            EXPECT_EQ(before.has(point), may_step && some.has(point + axis.stride)) << point;
        }
    }
}

}  // namespace
}  // namespace tilewright::optimal::point_set_test
