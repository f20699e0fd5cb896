// Elements at known places: tiles are counted, each once.
#include <algorithm>

#include "base/numbers/checked.hpp"
#include "sparse/models.hpp"

namespace tilewright::sparse {
namespace {

using Index = std::vector<std::int64_t>;

/// Tiles along every rank, those at the edge included.
Tile grid_of(const Tile& tensor, const Tile& tile) {
    Tile grid;
    for (std::size_t r = 0; r < tensor.size(); ++r)
        grid.push_back(tile[r] > 0 ? std::max<std::int64_t>(1, ceil_div(tensor[r], tile[r])) : 1);
    return grid;
}

/// Which tile of a shape a place lies in, as one number.
class Grid {
   public:
    Grid(const Tile& tensor, const Tile& tile) : tensor_(tensor), tile_(tile), grid_(grid_of(tensor, tile)) {}

    std::int64_t size() const { return elements(grid_); }

    std::int64_t tile_of(std::int64_t place) const {
        std::int64_t tile = 0;
        std::int64_t stride = 1;
        for (std::size_t r = tensor_.size(); r-- > 0;) {
            const std::int64_t at = place % tensor_[r];
            place /= tensor_[r];
            tile += at / std::max<std::int64_t>(tile_[r], 1) * stride;
            stride *= grid_[r];
        }
        return tile;
    }

   private:
    const Tile& tensor_;
    const Tile& tile_;
    Tile grid_;
};

using ByTile = std::map<std::int64_t, std::int64_t>;

ByTile occupied_by_tile(const std::vector<std::int64_t>& places, const Tile& tensor, const Tile& tile) {
    const Grid grid(tensor, tile);
    ByTile occupied;
    for (const std::int64_t place : places) ++occupied[grid.tile_of(place)];
    return occupied;
}

/// A place as seen from the corner of the outer tile that it lies in, and that tile.
class Nested {
   public:
    Nested(const Tile& tensor, const Tile& tile, const Tile& outer)
        : tensor_(tensor), tile_(tile), outer_(outer), grid_(grid_of(outer, tile)) {}

    std::int64_t tiles_inside() const { return elements(grid_); }

    std::int64_t inner_of(std::int64_t place) const {
        std::int64_t inner = 0;
        std::int64_t stride = 1;
        for (std::size_t r = tensor_.size(); r-- > 0;) {
            const std::int64_t at = place % tensor_[r] % std::max<std::int64_t>(outer_[r], 1);
            place /= tensor_[r];
            inner += at / std::max<std::int64_t>(tile_[r], 1) * stride;
            stride *= grid_[r];
        }
        return inner;
    }

   private:
    const Tile& tensor_;
    const Tile& tile_;
    const Tile& outer_;
    Tile grid_;
};

}  // namespace

const Placed::Counts& Placed::counts(const Tile& tile) const {
    const std::scoped_lock lock(mutex_);
    const auto known = counts_.find(tile);
    if (known != counts_.end()) return known->second;
    Counts counts;
    std::int64_t empty = Grid(tensor_, tile).size();
    for (const auto& [unused, occupied] : occupied_by_tile(*places_, tensor_, tile)) {
        ++counts[occupied];
        --empty;
    }
    if (empty > 0) counts[0] = empty;
    return counts_[tile] = std::move(counts);
}

const Placed::Inside& Placed::inside(const Tile& tile, const Tile& outer) const {
    const std::scoped_lock lock(mutex_);
    const auto known = inside_.find({tile, outer});
    if (known != inside_.end()) return known->second;
    const Grid around(tensor_, outer);
    const Nested nested(tensor_, tile, outer);
    std::map<std::int64_t, ByTile> held;  // by outer tile, by tile in it
    for (const std::int64_t place : *places_) ++held[around.tile_of(place)][nested.inner_of(place)];
    Inside inside;
    for (const auto& [unused, tiles] : held) {
        std::int64_t sum = 0;
        for (const auto& [inner, occupied] : tiles) sum += occupied;
        for (const auto& [inner, occupied] : tiles) ++inside[{sum, occupied}];
        const std::int64_t empty = nested.tiles_inside() - static_cast<std::int64_t>(tiles.size());
        if (empty > 0) inside[{sum, 0}] += empty;
    }
    return inside_[{tile, outer}] = std::move(inside);
}

std::vector<Outcome> Placed::outcomes(const Tile& tile) const {
    std::vector<Outcome> outcomes;
    const Counts& all = counts(tile);
    std::int64_t tiles = 0;
    for (const auto& [unused, count] : all) tiles += count;
    for (const auto& [occupied, count] : all)
        outcomes.push_back({occupied, static_cast<double>(count) / static_cast<double>(tiles)});
    return outcomes;
}

double Placed::probability(const Tile& tile, std::int64_t occupied) const {
    for (const Outcome& outcome : outcomes(tile))
        if (outcome.occupied == occupied) return outcome.probability;
    return 0.0;
}

double Placed::probability_within(const Tile& tile, std::int64_t occupied, const Outer& outer) const {
    if (outer.occupied == 0) return occupied == 0 ? 1.0 : 0.0;
    const Inside& all = inside(tile, outer.tile);
    std::int64_t tiles = 0;
    std::int64_t wanted = 0;
    for (auto one = all.lower_bound({outer.occupied, 0}); one != all.end() && one->first.first == outer.occupied;
         ++one) {
        tiles += one->second;
        if (one->first.second == occupied) wanted = one->second;
    }
    return tiles == 0 ? 0.0 : static_cast<double>(wanted) / static_cast<double>(tiles);
}

std::int64_t Placed::most(const Tile& tile) const { return counts(tile).rbegin()->first; }

double Placed::least_share(const Tile& tile) const {
    const std::int64_t words = elements(tile);
    return words == 0 ? 0.0 : static_cast<double>(counts(tile).begin()->first) / static_cast<double>(words);
}

double Placed::expected(const Tile& tile) const {
    double sum = 0.0;
    for (const Outcome& outcome : outcomes(tile)) sum += static_cast<double>(outcome.occupied) * outcome.probability;
    return sum;
}

Placed::Places places_in_band(const Banded& band, const Tile& tensor) {
    constexpr std::int64_t kMostPlaces = std::int64_t{1} << 26;
    const std::int64_t extent = tensor[0];
    const std::int64_t reach = std::min(band.half_width, extent - 1);
    if (checked_mul(extent, 2 * reach + 1) > kMostPlaces) throw OverflowError();
    auto places = std::make_shared<std::vector<std::int64_t>>();
    for (std::int64_t i = 0; i < extent; ++i)
        for (std::int64_t j = std::max<std::int64_t>(0, i - reach); j <= std::min(extent - 1, i + reach); ++j)
            places->push_back(i * extent + j);
    return places;
}

}  // namespace tilewright::sparse
