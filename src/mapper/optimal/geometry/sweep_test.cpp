#include "mapper/optimal/geometry/sweep.hpp"

#include <gtest/gtest.h>

#include <set>

#include "mapspace/mapspace.hpp"
#include "workload/shapes.hpp"

namespace tilewright::optimal::sweep_test {
namespace {

constexpr int kFilterRow = 0;
constexpr int kRow = 2;

/// Two memories; the inner one has `spread` instances sharing the rows.
struct Problem {
    Architecture architecture;
    Einsum einsum;
    lean::Setup setup;
    Charges charges;

    Problem(const Einsum& e, std::int32_t spread)
        : architecture(machine(spread)), einsum(e), setup(e, architecture), charges(setup, point(spread)) {}

    static Architecture machine(std::int32_t spread) {
        Architecture a;
        a.memories.resize(2);
        a.memories[1].mesh = a.compute.mesh = {spread, 1};
        a.memories[1].instances = a.compute.instances = spread;
        return a;
    }

    TilingPoint point(std::int32_t spread) const {
        TilingPoint point = Mapspace(einsum, architecture, {}).first_point();
        for (int l = 0; l < 2; ++l) point[l].keep = TensorSet::all(static_cast<int>(einsum.tensors.size()));
        point[0].spread(kRow, spread, 1);
        return point;
    }

    const lean::TensorForm& inputs() const { return setup.tensors[1]; }

    std::span<const lean::Term> rows() const {
        std::size_t rank = 0;
        while ((dimensions_of(rank_terms(inputs(), rank)) >> kRow & 1U) == 0) ++rank;
        return rank_terms(inputs(), rank);
    }
};

// Input rows in all tiles of the first instance: its neighbours' rows lie between them.
double counted(const Problem& problem, double spread, const Extents& tile) {
    std::set<double> rows;
    const double stride = problem.rows()[0].dimension == kRow ? problem.rows()[0].reach : problem.rows()[1].reach;
    const double width = stride * (tile[kRow] - 1.0) + tile[kFilterRow];
    for (double r = 0.0; r < problem.setup.extents[kFilterRow]; r += tile[kFilterRow])
        for (double p = 0.0; p < problem.setup.extents[kRow]; p += tile[kRow] * spread)
            for (double i = 0.0; i < width; ++i) rows.insert(r + stride * p + i);
    return static_cast<double>(rows.size());
}

Extents tile_of(double filter_rows, double rows) {
    Extents tile;
    tile.fill(1.0);
    tile[kFilterRow] = filter_rows;
    tile[kRow] = rows;
    return tile;
}

TEST(Sweep, ATileThatGoesEverywhereCoversEveryWordOnce) {
    for (const int stride : {1, 2, 3, 4}) {
        const Problem problem(conv2d(4, 4, 12, 3, stride), 1);
        for (const double filter_rows : {1.0, 3.0})
            for (const double rows : {1.0, 2.0, 3.0, 6.0, 12.0}) {
                const Extents tile = tile_of(filter_rows, rows);
                EXPECT_EQ(swept_words(problem.charges, 1, problem.rows(), tile), counted(problem, 1.0, tile))
                    << stride << ' ' << filter_rows << ' ' << rows;
            }
    }
}

TEST(Sweep, RowsOfOneInstanceOfManyAreBounded) {
    for (const int stride : {1, 2, 3}) {
        const Problem problem(conv2d(4, 4, 12, 3, stride), 2);
        for (const double filter_rows : {1.0, 3.0})
            for (const double rows : {1.0, 2.0, 3.0, 6.0}) {
                const Extents tile = tile_of(filter_rows, rows);
                EXPECT_LE(swept_words(problem.charges, 1, problem.rows(), tile), counted(problem, 2.0, tile))
                    << stride << ' ' << filter_rows << ' ' << rows;
            }
    }
}

TEST(Sweep, WholeTensorsAreSweptWhateverTheTile) {
    const Problem problem(conv2d(4, 4, 12, 3), 1);
    EXPECT_EQ(swept_words(problem.charges, 1, problem.inputs()), 4.0 * 14.0 * 14.0);
    const Problem strided(conv2d(4, 4, 12, 1, 2), 1);  // every second row and column is never touched
    EXPECT_EQ(swept_words(strided.charges, 1, strided.inputs()), 4.0 * 12.0 * 12.0);
}

}  // namespace
}  // namespace tilewright::optimal::sweep_test
