#include "sparse/models.hpp"

#include <algorithm>
#include <cmath>

#include "base/numbers/checked.hpp"
#include "sparse/occupancy.hpp"

namespace tilewright::sparse {
namespace {

// Up to so many factors are multiplied one by one; beyond, logarithms of factorials are as good and quicker.
constexpr std::int64_t kMostFactors = 300;

// C(n, k) by factors, the product kept near 1 by the quotient it is multiplied into.
class Product {
   public:
    void times_choices(std::int64_t n, std::int64_t k) {
        for (std::int64_t i = 0; i < k; ++i) {
            above_.push_back(static_cast<long double>(n - i));
            below_.push_back(static_cast<long double>(i + 1));
        }
    }
    void over_choices(std::int64_t n, std::int64_t k) {
        for (std::int64_t i = 0; i < k; ++i) {
            below_.push_back(static_cast<long double>(n - i));
            above_.push_back(static_cast<long double>(i + 1));
        }
    }
    long double value() const {
        long double product = 1.0L;
        std::size_t b = 0;
        for (const long double factor : above_) {
            product *= factor;
            while (product > 1.0L && b < below_.size()) product /= below_[b++];
        }
        while (b < below_.size()) product /= below_[b++];
        return product;
    }

   private:
    std::vector<long double> above_;
    std::vector<long double> below_;
};

long double log_choices(std::int64_t n, std::int64_t k) {
    const auto log_factorial = [](std::int64_t of) {
        int sign = 0;
        return lgammal_r(static_cast<long double>(of) + 1.0L, &sign);
    };
    return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

}  // namespace

double hypergeometric(std::int64_t hits, std::int64_t draws, std::int64_t marked, std::int64_t all) {
    if (draws > marked) std::swap(draws, marked);  // drawn and marked are the same kind of choice
    const std::int64_t misses = draws - hits;
    if (hits < 0 || misses < 0 || hits > marked || misses > all - marked) return 0.0;
    if (draws > kMostFactors)
        return static_cast<double>(
            std::exp(log_choices(marked, hits) + log_choices(all - marked, misses) - log_choices(all, draws)));
    Product product;
    product.over_choices(all, draws);
    product.times_choices(marked, hits);
    product.times_choices(all - marked, misses);
    return static_cast<double>(product.value());
}

std::vector<Outcome> hypergeometric_outcomes(std::int64_t draws, std::int64_t marked, std::int64_t all) {
    const std::int64_t least = std::max<std::int64_t>(0, draws - (all - marked));
    const std::int64_t most = std::min(draws, marked);
    const long double mean = static_cast<long double>(draws) * static_cast<long double>(marked) /
                             static_cast<long double>(std::max<std::int64_t>(all, 1));
    const auto middle = std::clamp(static_cast<std::int64_t>(mean), least, most);
    std::vector<Outcome> outcomes;
    for (std::int64_t hits = middle; hits >= least; --hits) {
        const double chance = hypergeometric(hits, draws, marked, all);
        if (chance == 0.0) break;
        outcomes.push_back({hits, chance});
    }
    std::reverse(outcomes.begin(), outcomes.end());
    for (std::int64_t hits = middle + 1; hits <= most; ++hits) {
        const double chance = hypergeometric(hits, draws, marked, all);
        if (chance == 0.0) break;
        outcomes.push_back({hits, chance});
    }
    return outcomes;
}

// N:M: the distribution of what tiles hold.

namespace {

/// Chances of 0, 1, 2, ... elements.
using Chances = std::vector<double>;

Chances sum_of(const Chances& a, const Chances& b) {
    Chances sum(a.size() + b.size() - 1, 0.0);
    for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t k = 0; k < b.size(); ++k) sum[i + k] += a[i] * b[k];
    return sum;
}

Chances sum_of_many(Chances one, std::int64_t count) {
    Chances sum{1.0};
    for (; count > 0; count >>= 1) {
        if ((count & 1) != 0) sum = sum_of(sum, one);
        if (count > 1) one = sum_of(one, one);
    }
    return sum;
}

/// Of a part of a group.
Chances part_of(const Pattern& pattern, std::int64_t places) {
    Chances chances;
    for (std::int64_t k = 0; k <= std::min(places, pattern.kept); ++k)
        chances.push_back(hypergeometric(k, places, pattern.kept, pattern.of));
    return chances;
}

/// Of one line of `length` places from `begin` on; what whole groups hold is added to `certain`.
Chances line_of(const Pattern& pattern, std::int64_t begin, std::int64_t length, std::int64_t& certain) {
    const std::int64_t end = begin + length;
    const std::int64_t first = (begin + pattern.of - 1) / pattern.of * pattern.of;
    const std::int64_t last = end / pattern.of * pattern.of;
    if (first > last) return part_of(pattern, length);
    certain = (last - first) / pattern.of * pattern.kept;
    return sum_of(part_of(pattern, first - begin), part_of(pattern, end - last));
}

}  // namespace

std::string Patterned::name() const { return std::to_string(pattern_.kept) + ":" + std::to_string(pattern_.of); }

std::vector<Outcome> Patterned::outcomes(const Tile& tile) const {
    const auto rank = static_cast<std::size_t>(pattern_.rank);
    const std::int64_t length = tile[rank];
    const std::int64_t lines = length == 0 ? 0 : elements(tile) / length;
    const std::int64_t tiles = length == 0 ? 1 : std::max<std::int64_t>(1, tensor_[rank] / length);
    const std::int64_t phases = std::min(tiles, pattern_.of);  // tiles begin at the same places of groups again
    std::vector<double> chances;
    for (std::int64_t i = 0; i < phases; ++i) {
        std::int64_t certain = 0;
        const Chances random = sum_of_many(line_of(pattern_, i * length, length, certain), lines);
        const std::int64_t alike = (tiles - i + phases - 1) / phases;
        const auto base = static_cast<std::size_t>(certain * lines);
        if (chances.size() < base + random.size()) chances.resize(base + random.size(), 0.0);
        for (std::size_t k = 0; k < random.size(); ++k)
            chances[base + k] += random[k] * static_cast<double>(alike) / static_cast<double>(tiles);
    }
    std::vector<Outcome> outcomes;
    for (std::size_t k = 0; k < chances.size(); ++k)
        if (chances[k] > 0.0) outcomes.push_back({static_cast<std::int64_t>(k), chances[k]});
    return outcomes;
}

double Patterned::probability(const Tile& tile, std::int64_t occupied) const {
    for (const Outcome& outcome : outcomes(tile))
        if (outcome.occupied == occupied) return outcome.probability;
    return 0.0;
}

double Patterned::probability_within(const Tile& tile, std::int64_t occupied, const Outer& outer) const {
    if (outer.tile[pattern_.rank] % pattern_.of == 0) return probability(tile, occupied);
    return hypergeometric(occupied, elements(tile), outer.occupied, outer.words);
}

std::int64_t Patterned::most(const Tile& tile) const { return outcomes(tile).back().occupied; }

double Patterned::least_share(const Tile& tile) const {
    const std::int64_t words = elements(tile);
    return words == 0 ? 0.0 : static_cast<double>(outcomes(tile).front().occupied) / static_cast<double>(words);
}

double Patterned::expected(const Tile& tile) const {
    return static_cast<double>(elements(tile)) * static_cast<double>(pattern_.kept) / static_cast<double>(pattern_.of);
}

// Elements at known places: tiles are counted, each once.

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
