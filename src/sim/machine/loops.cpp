#include "sim/machine/loops.hpp"

#include <algorithm>
#include <utility>

#include "base/numbers/checked.hpp"

namespace tilewright::sim {
namespace {

std::optional<Box> common(const Box& a, const Box& b) {
    Box both;
    for (std::size_t r = 0; r < both.size(); ++r) {
        both[r] = {std::max(a[r].low, b[r].low), std::min(a[r].high, b[r].high)};
        if (both[r].size() <= 0) return std::nullopt;
    }
    return both;
}

/// `tile` minus `old` in canonical form: a smaller box if possible.
Words lacking(const Box& tile, const Box& old) {
    const std::optional<Box> both = common(tile, old);
    if (!both) return {tile, std::nullopt};
    std::size_t rank = 0;
    int narrowed = 0;
    for (std::size_t r = 0; r < tile.size(); ++r) {
        if ((*both)[r] == tile[r]) continue;
        ++narrowed;
        rank = r;
    }
    if (narrowed == 0) return {};
    const Interval known = (*both)[rank];
    if (narrowed > 1 || (known.low > tile[rank].low && known.high < tile[rank].high)) return {tile, both};
    Box rest = tile;
    rest[rank] =
        known.low > tile[rank].low ? Interval{tile[rank].low, known.low} : Interval{known.high, tile[rank].high};
    return {rest, std::nullopt};
}

}  // namespace

std::vector<SizedLevel> sized_levels(const Mapping& mapping, int memories) {
    const std::vector<MappingLevel> levels = levels_of(mapping, memories);
    std::vector<SizedLevel> sized(levels.size());
    std::array<std::int64_t, kMaxDimensions> points;
    points.fill(1);
    const auto add = [&](std::vector<SizedLoop>& to, const std::vector<Loop>& from) {
        for (std::size_t i = from.size(); i-- > 0;) {
            std::int64_t& inside = points[from[i].dimension];
            if (from[i].extent > 1) to.insert(to.begin(), {from[i].dimension, from[i].extent, inside});
            inside = checked_mul(inside, from[i].extent);
        }
    };
    for (std::size_t m = levels.size(); m-- > 0;) {
        sized[m].keep = levels[m].keep;
        add(sized[m].spatial, levels[m].spatial);
        add(sized[m].temporal, levels[m].temporal);
    }
    return sized;
}

Region whole_region(const Einsum& einsum) {
    Region region{};
    for (std::size_t d = 0; d < einsum.dimensions.size(); ++d) region[d] = {0, einsum.dimensions[d].extent};
    return region;
}

Box box_of(const Tensor& tensor, const Region& region) {
    Box box{};
    for (std::size_t r = 0; r < tensor.ranks.size(); ++r) {
        for (const Term& term : tensor.ranks[r].terms) {
            const Interval& along = region[term.dimension];
            const std::int64_t first = term.coefficient * along.low;
            const std::int64_t last = term.coefficient * (along.high - 1);
            box[r].low += std::min(first, last);
            box[r].high += std::max(first, last);
        }
    }
    return box;
}

std::int64_t words_of(const Box& box) {
    std::int64_t words = 1;
    for (const Interval& rank : box) words = checked_mul(words, rank.size());
    return words;
}

Words Holding::receive(const Box& tile) {
    if (!tile_) {
        tile_ = tile;
        return {tile, std::nullopt};
    }
    const Box old = std::exchange(*tile_, tile);
    Move move{};
    for (std::size_t r = 0; r < tile.size(); ++r) {
        const std::int64_t twice = (tile[r].low + tile[r].high) - (old[r].low + old[r].high);
        move[r] = (twice + (twice >= 0 ? 1 : -1)) / 2;
    }
    if (move == Move{}) return lacking(tile, old);
    if (direction_ && *direction_ != move) {
        direction_.reset();
        return {tile, std::nullopt};
    }
    direction_ = move;
    return lacking(tile, old);
}

std::vector<Flow> flows_of(const Einsum& einsum, const std::vector<SizedLevel>& levels, const Floor& floor) {
    std::vector<Flow> flows;
    const int memories = static_cast<int>(levels.size());
    for (int t = 0; t < einsum.tensor_count(); ++t) {
        int outer = -1;
        for (int m = 0; m <= memories; ++m) {
            if (m < memories && !levels[m].keep.has(t)) continue;
            const bool written = einsum.tensors[t].written;
            // Flows inside an element are part of its latency.
            if (outer >= 0 && outer < floor.element) flows.push_back({t, outer, m, written, m >= floor.element});
            outer = m;
        }
    }
    return flows;
}

namespace {

/// Steps over `points` iterations of a dimension by the loops from `at` on, innermost last.
std::int64_t time_of(const std::vector<std::pair<SizedLoop, bool>>& loops, std::size_t at, std::int64_t points) {
    if (at == loops.size()) return 1;
    const auto& [loop, spatial] = loops[at];
    const std::int64_t trips = ceil_div(points, loop.points);
    const std::int64_t last = points - (trips - 1) * loop.points;
    if (trips == 1) return time_of(loops, at + 1, last);
    const std::int64_t full = time_of(loops, at + 1, loop.points);
    return spatial ? full : (trips - 1) * full + time_of(loops, at + 1, last);
}

}  // namespace

std::int64_t element_cycles(const std::vector<SizedLevel>& levels, const Floor& floor, const Region& region,
                            int dimensions) {
    std::int64_t cycles = 1;
    for (int d = 0; d < dimensions; ++d) {
        std::vector<std::pair<SizedLoop, bool>> loops;
        for (std::size_t m = static_cast<std::size_t>(floor.spreads_from); m < levels.size(); ++m) {
            if (static_cast<int>(m) > floor.spreads_from) {
                for (const SizedLoop& loop : levels[m].temporal) {
                    if (loop.dimension == d) loops.emplace_back(loop, false);
                }
            }
            for (const SizedLoop& loop : levels[m].spatial) {
                if (loop.dimension == d) loops.emplace_back(loop, true);
            }
        }
        cycles = checked_mul(cycles, time_of(loops, 0, region[d].size()));
    }
    return cycles;
}

}  // namespace tilewright::sim
