#include "timeloop/sparse/peer_occupancy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "base/numbers/checked.hpp"
#include "sparse/models.hpp"

namespace tilewright::account {
namespace {

using sparse::Outcome;
using sparse::Outer;
using sparse::Tile;

/// The least share of a tile by integer division.
class PeerUniform : public sparse::Uniform {
   public:
    using Uniform::Uniform;

    double least_share(const Tile& tile) const override {
        const std::int64_t words = sparse::elements(tile);
        if (words <= all() - marked()) return 0.0;
        const std::int64_t share = (words - all() + marked()) / words;
        return static_cast<double>(share);
    }

    double expected(const Tile& tile) const override {
        double sum = 0.0;
        for (const Outcome& one : outcomes(tile)) sum += one.probability * static_cast<double>(one.occupied);
        return sum;
    }
};

struct Corner {
    std::int64_t row = 0;
    std::int64_t column = 0;
};

/// Rows of tiles form groups: those at the matrix's end count as those at its beginning, and the first row crossed by
/// the band from edge to edge stands for all in between.
class PeerBanded : public sparse::Occupancy {
   public:
    PeerBanded(std::int64_t half_width, const Tile& tensor) : width_(half_width), extent_(tensor[0]) {
        std::int64_t occupied = extent_;
        // Subtracts missing diagonals of a band wider than the matrix.
        occupied = checked_add(occupied, checked_mul(width_, 2 * extent_ - width_ - 1));
        density_ = static_cast<double>(occupied) / static_cast<double>(sparse::elements(tensor));
    }

    std::string name() const override { return "banded-" + std::to_string(width_); }

    std::vector<Outcome> outcomes(const Tile& tile) const override {
        std::vector<Outcome> outcomes;
        for (const auto& [occupied, chance] : distribution(tile))
            if (chance != 0.0) outcomes.push_back({occupied, chance});
        return outcomes;
    }

    double probability(const Tile& tile, std::int64_t occupied) const override {
        if (sparse::elements(tile) == 0) return occupied == 0 ? 1.0 : 0.0;
        const auto all = distribution(tile);
        const auto found = all.find(occupied);
        return found == all.end() ? 0.0 : found->second;
    }

    /// The outer tile's offset is added twice to the lower corner of its tiles.
    double probability_within(const Tile& tile, std::int64_t, const Outer& outer) const override {
        if (sparse::elements(tile) == 0) return 1.0;
        const std::optional<Corner> found = first_with(outer.tile, outer.occupied);
        if (!found) return std::numeric_limits<double>::quiet_NaN();
        const std::int64_t rows = outer.tile[0] / tile[0];
        const std::int64_t columns = outer.tile[1] / tile[1];
        std::int64_t empty = 0;
        for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t j = 0; j < columns; ++j) {
                const Corner at{found->row + i * tile[0], found->column + j * tile[1]};
                const std::int64_t held =
                    occupied({found->row + at.row, found->column + at.column}, {tile[0] + at.row, tile[1] + at.column});
                empty += held == 0 ? 1 : 0;
            }
        return static_cast<double>(empty) / static_cast<double>(rows * columns);
    }

    std::int64_t most(const Tile& tile) const override {
        return sparse::elements(tile) == 0 ? 0 : distribution(tile).rbegin()->first;
    }

    double least_share(const Tile& tile) const override {
        const std::int64_t words = sparse::elements(tile);
        return words == 0 ? 0.0 : static_cast<double>(distribution(tile).begin()->first) / static_cast<double>(words);
    }

    double expected(const Tile& tile) const override { return static_cast<double>(sparse::elements(tile)) * density_; }

   private:
    /// Band elements from corner `low` to before corner `high`.
    std::int64_t occupied(Corner low, Corner high) const {
        std::int64_t sum = 0;
        for (std::int64_t row = low.row; row < high.row; ++row) {
            const std::int64_t first = std::max({low.column, row - width_, std::int64_t{0}});
            sum += std::max<std::int64_t>(0, std::min(high.column, row + width_ + 1) - first);
        }
        return sum;
    }

    struct Rows {
        std::int64_t all;
        std::int64_t columns;
        std::int64_t edge;    ///< rows of tiles before a full crossing of the band
        std::int64_t listed;  ///< rows examined
        std::int64_t weight(std::int64_t group) const {
            if (group >= edge) return std::max<std::int64_t>(all - 2 * edge, 0);
            return edge != all ? 2 : 1;
        }
    };

    Rows rows_of(const Tile& tile) const {
        Rows rows{extent_ / tile[0], extent_ / tile[1], 0, 0};
        rows.edge = static_cast<std::int64_t>(std::ceil(static_cast<double>(width_) / static_cast<double>(tile[0])));
        rows.listed = std::min(rows.edge + 1, rows.all);
        return rows;
    }

    std::map<std::int64_t, double> distribution(const Tile& tile) const {
        const Rows rows = rows_of(tile);
        std::map<std::int64_t, std::int64_t> counts{{0, 0}};
        for (std::int64_t group = 0; group < rows.listed; ++group) {
            const std::int64_t row = group * tile[0];
            for (std::int64_t j = 0; j < rows.columns; ++j) {
                const std::int64_t column = j * tile[1];
                if (column > row + tile[0] - 1 + width_) {
                    counts[0] += (rows.columns - j) * rows.weight(group);
                    break;
                }
                counts[occupied({row, column}, {row + tile[0], column + tile[1]})] += rows.weight(group);
            }
        }
        std::map<std::int64_t, double> distribution;
        for (const auto& [held, count] : counts)
            distribution[held] = static_cast<double>(count) / static_cast<double>(rows.all * rows.columns);
        return distribution;
    }

    std::optional<Corner> first_with(const Tile& tile, std::int64_t wanted) const {
        const Rows rows = rows_of(tile);
        for (std::int64_t group = 0; group < rows.listed; ++group) {
            const std::int64_t row = group * tile[0];
            for (std::int64_t j = 0; j < rows.columns; ++j) {
                const std::int64_t column = j * tile[1];
                if (column > row + tile[0] - 1 + width_) {
                    if (wanted == 0) return Corner{row, column};
                    break;
                }
                if (occupied({row, column}, {row + tile[0], column + tile[1]}) == wanted) return Corner{row, column};
            }
        }
        return std::nullopt;
    }

    std::int64_t width_;
    std::int64_t extent_;
    double density_ = 0.0;
};

}  // namespace

std::unique_ptr<sparse::Occupancy> peer_occupancy(const sparse::Density& density, const Tile& tensor) {
    if (const auto* uniform = std::get_if<sparse::UniformRandom>(&density))
        return std::make_unique<PeerUniform>(uniform->density, sparse::elements(tensor));
    if (const auto* banded = std::get_if<sparse::Banded>(&density))
        return std::make_unique<PeerBanded>(banded->half_width, tensor);
    return sparse::occupancy_of(density, tensor);
}

}  // namespace tilewright::account
