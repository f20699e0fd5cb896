// Distributions against all matrices of tiny shapes, drawn one by one.
#include "sparse/occupancy.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <map>

#include "sparse/design.hpp"

namespace tilewright::sparse::occupancy_test {
namespace {

/// All ways to fill a matrix of rows x columns elements that `allows` takes, each as likely as any other.
template <typename Allows>
std::vector<std::uint32_t> matrices(int elements_count, const Allows& allows) {
    std::vector<std::uint32_t> all;
    for (std::uint32_t bits = 0; bits < 1U << elements_count; ++bits)
        if (allows(bits)) all.push_back(bits);
    return all;
}

bool at(std::uint32_t bits, std::int64_t row, std::int64_t column, std::int64_t columns) {
    return (bits >> (row * columns + column) & 1U) != 0;
}

/// Elements in the tile whose corner is there.
std::int64_t held(std::uint32_t bits, std::int64_t row, std::int64_t column, const Tile& tile, const Tile& tensor) {
    std::int64_t count = 0;
    for (std::int64_t i = row; i < row + tile[0]; ++i)
        for (std::int64_t j = column; j < column + tile[1]; ++j) count += at(bits, i, j, tensor[1]) ? 1 : 0;
    return count;
}

/// Over all matrices and all tiles that lie side by side from the corner.
std::map<std::int64_t, double> counted(const std::vector<std::uint32_t>& all, const Tile& tile, const Tile& tensor) {
    std::map<std::int64_t, double> chances;
    const double tiles = static_cast<double>(tensor[0] / tile[0] * (tensor[1] / tile[1]));
    for (const std::uint32_t bits : all)
        for (std::int64_t i = 0; i + tile[0] <= tensor[0]; i += tile[0])
            for (std::int64_t j = 0; j + tile[1] <= tensor[1]; j += tile[1])
                chances[held(bits, i, j, tile, tensor)] += 1.0 / tiles / static_cast<double>(all.size());
    return chances;
}

/// Returns the number of chances that were compared.
int expect_equal(const Occupancy& model, const std::map<std::int64_t, double>& counted, const Tile& tile) {
    double expected = 0.0;
    int compared = 0;
    for (std::int64_t k = 0; k <= elements(tile); ++k, ++compared) {
        const auto found = counted.find(k);
        const double chance = found == counted.end() ? 0.0 : found->second;
        EXPECT_NEAR(model.probability(tile, k), chance, 1e-10) << model.name() << " " << k;
        expected += chance * static_cast<double>(k);
    }
    EXPECT_NEAR(model.expected(tile), expected, 1e-9);
    EXPECT_EQ(model.most(tile), counted.rbegin()->first);
    EXPECT_NEAR(model.least_share(tile) * static_cast<double>(elements(tile)),
                static_cast<double>(counted.begin()->first), 1e-12);
    double sum = 0.0;
    for (const Outcome& outcome : model.outcomes(tile)) sum += outcome.probability;
    EXPECT_NEAR(sum, 1.0, 1e-12);
    return compared;
}

/// Tiles that divide a matrix.
std::vector<Tile> tiles_of(const Tile& tensor) {
    std::vector<Tile> tiles;
    for (std::int64_t h = 1; h <= tensor[0]; ++h)
        for (std::int64_t v = 1; v <= tensor[1]; ++v)
            if (tensor[0] % h == 0 && tensor[1] % v == 0) tiles.push_back({h, v});
    return tiles;
}

TEST(Occupancy, UniformRandomIsThatOfAllMatrices) {
    int compared = 0;
    for (const Tile& tensor : {Tile{3, 4}, Tile{2, 6}, Tile{4, 4}})
        for (const int marked : {0, 1, 3, 5, 8}) {
            const auto all = matrices(static_cast<int>(elements(tensor)),
                                      [&](std::uint32_t bits) { return std::popcount(bits) == marked; });
            const auto model = occupancy_of(
                UniformRandom{static_cast<double>(marked) / static_cast<double>(elements(tensor))}, tensor);
            for (const Tile& tile : tiles_of(tensor))
                compared += expect_equal(*model, counted(all, tile, tensor), tile);
        }
    EXPECT_GE(compared, 300);
}

TEST(Occupancy, AnNOfMPatternIsThatOfAllMatrices) {
    int compared = 0;
    for (const Pattern& pattern : {Pattern{2, 4, 1}, Pattern{1, 2, 1}, Pattern{1, 4, 1}, Pattern{1, 2, 0}}) {
        const Tile tensor{2, 8};
        const auto all = matrices(16, [&](std::uint32_t bits) {
            const std::int64_t other = 1 - pattern.rank;
            for (std::int64_t line = 0; line < tensor[other]; ++line)
                for (std::int64_t group = 0; group < tensor[pattern.rank]; group += pattern.of) {
                    const Tile tile = pattern.rank == 1 ? Tile{1, pattern.of} : Tile{pattern.of, 1};
                    const std::int64_t row = pattern.rank == 1 ? line : group;
                    const std::int64_t column = pattern.rank == 1 ? group : line;
                    if (held(bits, row, column, tile, tensor) != pattern.kept) return false;
                }
            return true;
        });
        const auto model = occupancy_of(pattern, tensor);
        for (const Tile& tile : tiles_of(tensor)) compared += expect_equal(*model, counted(all, tile, tensor), tile);
    }
    EXPECT_GE(compared, 150);
}

TEST(Occupancy, ABandIsCountedTileByTile) {
    int compared = 0;
    for (const std::int64_t half_width : {0, 1, 2, 5}) {
        const Tile tensor{4, 4};
        std::uint32_t bits = 0;
        for (std::int64_t i = 0; i < 4; ++i)
            for (std::int64_t j = 0; j < 4; ++j)
                if (std::abs(i - j) <= half_width) bits |= 1U << (i * 4 + j);
        const auto model = occupancy_of(Banded{half_width}, tensor);
        for (const Tile& tile : tiles_of(tensor)) compared += expect_equal(*model, counted({bits}, tile, tensor), tile);
    }
    EXPECT_GE(compared, 100);
}

TEST(Occupancy, WithinAnOuterTileItIsThatOfTheMatricesThatHaveOne) {
    const Tile tensor{3, 4};
    const Tile outer{3, 2};
    const Tile tile{1, 2};
    const auto model = occupancy_of(UniformRandom{5.0 / 12.0}, tensor);
    const auto all = matrices(12, [](std::uint32_t bits) { return std::popcount(bits) == 5; });
    for (std::int64_t occupied = 0; occupied <= 5; ++occupied) {
        double fitting = 0.0;
        double empty = 0.0;
        for (const std::uint32_t bits : all) {
            if (held(bits, 0, 0, outer, tensor) != occupied) continue;
            ++fitting;
            empty += held(bits, 0, 0, tile, tensor) == 0 ? 1.0 : 0.0;
        }
        EXPECT_NEAR(model->probability_within(tile, 0, {outer, 6, occupied}), empty / fitting, 1e-12) << occupied;
    }
}

TEST(Occupancy, FixedStructuredLiesBetweenTwoWholeNumbers) {
    const auto model = occupancy_of(FixedStructured{0.3}, {4, 4});
    EXPECT_DOUBLE_EQ(model->expected({1, 4}), 1.2);
    EXPECT_NEAR(model->probability({1, 4}, 1), 0.8, 1e-12);
    EXPECT_NEAR(model->probability({1, 4}, 2), 0.2, 1e-12);
    EXPECT_EQ(model->most({1, 4}), 2);
    EXPECT_NEAR(model->probability_within({1, 2}, 0, {{1, 4}, 4, 1}), 0.5, 1e-12);
}

TEST(Hypergeometric, SumsToOneOnLargeTensors) {
    for (const std::int64_t all : {10'000, 1'000'000}) {
        double sum = 0.0;
        double mean = 0.0;
        for (const Outcome& one : hypergeometric_outcomes(1000, all / 10, all)) {
            sum += one.probability;
            mean += one.probability * static_cast<double>(one.occupied);
        }
        EXPECT_NEAR(sum, 1.0, 1e-9);
        EXPECT_NEAR(mean, 100.0, 1e-6);
    }
}

TEST(Density, WhatIsMeaninglessIsSaid) {
    EXPECT_EQ(problem_with(FixedStructured{0.5}, {4}), "");
    EXPECT_NE(problem_with(FixedStructured{1.5}, {4}), "");
    EXPECT_NE(problem_with(UniformRandom{-0.1}, {4}), "");
    EXPECT_NE(problem_with(FixedStructured{std::nan("")}, {4}), "");
    EXPECT_EQ(problem_with(Pattern{2, 4, 0}, {8}), "");
    EXPECT_NE(problem_with(Pattern{4, 2, 0}, {8}), "");
    EXPECT_NE(problem_with(Pattern{2, 4, 0}, {6}), "");
    EXPECT_NE(problem_with(Pattern{2, 4, 1}, {8}), "");
    EXPECT_NE(problem_with(Banded{1}, {4, 6}), "");
    EXPECT_NE(problem_with(Banded{-1}, {4, 4}), "");
}

}  // namespace
}  // namespace tilewright::sparse::occupancy_test
