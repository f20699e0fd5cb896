// How many different words of a tensor the instances of a memory ever hold: the first arrival of a partial sum needs no
// read.
#include <algorithm>
#include <map>
#include <utility>

#include "base/checked.hpp"
#include "model/traffic.hpp"

namespace tilewright {
namespace {

struct Interval {
    std::int64_t low = 0;
    std::int64_t high = 0;  // exclusive

    auto operator<=>(const Interval&) const = default;
};

struct Tile {
    std::int64_t start = 0;
    std::int64_t extent = 1;
};

// The tiles of one dimension at memory `level`, by instance along that dimension.
std::vector<std::vector<Tile>> tiles_by_instance(const Nest& nest, int level, int dimension) {
    struct Place {
        std::int64_t start = 0;
        std::int64_t instance = 0;
    };
    std::vector<Place> places{{}};
    std::int64_t instances = 1;
    const std::int64_t extent = nest.einsum->dimensions[dimension].extent;
    for (int k = 0; k < nest.levels[level].first; ++k) {
        const NestLoop& loop = nest.loops[k];
        if (loop.dimension != dimension) continue;
        if (loop.is_spatial()) instances = checked_mul(instances, loop.extent);
        std::vector<Place> next;
        for (const Place& outer : places)
            for (std::int64_t i = 0; i < loop.extent && outer.start + i * loop.step < extent; ++i)
                next.push_back({outer.start + i * loop.step,
                                loop.is_spatial() ? outer.instance * loop.extent + i : outer.instance});
        places = std::move(next);
    }
    std::vector<std::vector<Tile>> tiles(static_cast<std::size_t>(instances));
    for (const Place& place : places)
        tiles[static_cast<std::size_t>(place.instance)].push_back(
            {place.start, std::min(nest.levels[level].full[dimension], extent - place.start)});
    return tiles;
}

std::int64_t spatial_extent(const Nest& nest, int level, int dimension) {
    std::int64_t extent = 1;
    for (int k = 0; k < nest.levels[level].first; ++k)
        if (nest.loops[k].dimension == dimension && nest.loops[k].is_spatial())
            extent = checked_mul(extent, nest.loops[k].extent);
    return extent;
}

std::int64_t union_words(std::vector<Interval> intervals) {
    std::sort(intervals.begin(), intervals.end());
    std::int64_t words = 0;
    std::int64_t covered = intervals.front().low;
    for (const Interval& interval : intervals) {
        words += std::max<std::int64_t>(0, interval.high - std::max(covered, interval.low));
        covered = std::max(covered, interval.high);
    }
    return words;
}

// Union of boxes (one interval per rank), rank by rank: between two neighbouring borders of the first rank the boxes
// that span the gap form a problem of one rank less.
std::int64_t union_words(const std::vector<std::vector<Interval>>& boxes, std::size_t rank) {
    if (boxes.empty()) return 0;
    if (rank + 1 == boxes.front().size()) {
        std::vector<Interval> intervals;
        for (const std::vector<Interval>& box : boxes) intervals.push_back(box[rank]);
        return union_words(std::move(intervals));
    }
    std::vector<std::int64_t> borders;
    for (const std::vector<Interval>& box : boxes) {
        borders.push_back(box[rank].low);
        borders.push_back(box[rank].high);
    }
    std::sort(borders.begin(), borders.end());
    borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
    std::int64_t words = 0;
    for (std::size_t i = 0; i + 1 < borders.size(); ++i) {
        std::vector<std::vector<Interval>> spanning;
        for (const std::vector<Interval>& box : boxes)
            if (box[rank].low <= borders[i] && box[rank].high >= borders[i + 1]) spanning.push_back(box);
        words = checked_add(words, checked_mul(borders[i + 1] - borders[i], union_words(spanning, rank + 1)));
    }
    return words;
}

// Ranks that share dimensions have to be looked at together; the others multiply.
std::vector<std::vector<int>> independent_ranks(const Tensor& tensor) {
    std::vector<std::vector<int>> groups;
    std::vector<std::vector<int>> dimensions;
    for (int r = 0; r < static_cast<int>(tensor.ranks.size()); ++r) {
        std::vector<int> ranks{r};
        std::vector<int> used;
        for (const Term& term : tensor.ranks[r].terms) used.push_back(term.dimension);
        for (std::size_t g = 0; g < groups.size();) {
            const bool shares = std::any_of(used.begin(), used.end(), [&](int d) {
                return std::find(dimensions[g].begin(), dimensions[g].end(), d) != dimensions[g].end();
            });
            if (!shares) {
                ++g;
                continue;
            }
            ranks.insert(ranks.end(), groups[g].begin(), groups[g].end());
            used.insert(used.end(), dimensions[g].begin(), dimensions[g].end());
            groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(g));
            dimensions.erase(dimensions.begin() + static_cast<std::ptrdiff_t>(g));
        }
        groups.push_back(std::move(ranks));
        dimensions.push_back(std::move(used));
    }
    return groups;
}

Interval interval_of(const Rank& rank, const std::map<int, Tile>& tiles) {
    Interval interval{0, 1};
    for (const Term& term : rank.terms) {
        const Tile& tile = tiles.at(term.dimension);
        const std::int64_t first = checked_mul(term.coefficient, tile.start);
        const std::int64_t last = checked_mul(term.coefficient, tile.start + tile.extent - 1);
        interval.low += std::min(first, last);
        interval.high += std::max(first, last);
    }
    return interval;
}

// Sum over the instances along these ranks' dimensions, by listing every tile. Only results with overlapping tiles
// (transposed convolutions and the like) come here.
class Listing {
   public:
    Listing(const Nest& nest, int level, const Tensor& tensor, const std::vector<int>& ranks)
        : tensor_(tensor), ranks_(ranks) {
        for (const int r : ranks)
            for (const Term& term : tensor.ranks[r].terms)
                if (!tiles_.contains(term.dimension)) {
                    tiles_.emplace(term.dimension, tiles_by_instance(nest, level, term.dimension));
                    dimensions_.push_back(term.dimension);
                }
    }

    std::int64_t words() { return instances(0); }

   private:
    std::int64_t instances(std::size_t i) {
        if (i == dimensions_.size()) {
            boxes_.clear();
            list(0);
            return union_words(boxes_, 0);
        }
        std::int64_t words = 0;
        for (const std::vector<Tile>& tiles : tiles_.at(dimensions_[i])) {
            chosen_[dimensions_[i]] = &tiles;
            words = checked_add(words, instances(i + 1));
        }
        return words;
    }

    void list(std::size_t i) {
        if (i == dimensions_.size()) {
            std::vector<Interval> box;
            for (const int r : ranks_) box.push_back(interval_of(tensor_.ranks[r], now_));
            boxes_.push_back(std::move(box));
            return;
        }
        for (const Tile& tile : *chosen_.at(dimensions_[i])) {
            now_[dimensions_[i]] = tile;
            list(i + 1);
        }
    }

    const Tensor& tensor_;
    const std::vector<int>& ranks_;
    std::vector<int> dimensions_;
    std::map<int, std::vector<std::vector<Tile>>> tiles_;
    std::map<int, const std::vector<Tile>*> chosen_;
    std::map<int, Tile> now_;
    std::vector<std::vector<Interval>> boxes_;
};

std::int64_t words_along(const Nest& nest, int level, const Tensor& tensor, const std::vector<int>& ranks) {
    const Rank& first = tensor.ranks[ranks.front()];
    if (ranks.size() == 1 && first.terms.empty()) return 1;
    if (ranks.size() == 1 && first.terms.size() == 1) {
        // Tiles do not meet; a coefficient above 1 leaves gaps inside each tile's box, not between tiles.
        const int d = first.terms[0].dimension;
        const std::int64_t stride = std::abs(first.terms[0].coefficient);
        return checked_mul(stride, nest.einsum->dimensions[d].extent) -
               checked_mul(stride - 1, tile_count(nest, level, d));
    }
    return Listing(nest, level, tensor, ranks).words();
}

}  // namespace

std::int64_t distinct_words(const Nest& nest, int level, int tensor) {
    const Tensor& t = nest.einsum->tensors[tensor];
    std::int64_t words = 1;
    for (const std::vector<int>& ranks : independent_ranks(t))
        words = checked_mul(words, words_along(nest, level, t, ranks));
    for (int d = 0; d < nest.einsum->dimension_count(); ++d)
        if (!is_relevant(t, d)) words = checked_mul(words, spatial_extent(nest, level, d));
    return words;
}

}  // namespace tilewright
