#include "silicon/systolic/search.hpp"

#include <algorithm>

#include "base/numbers/checked.hpp"

namespace tilewright::silicon {
namespace {

constexpr std::array kReduced{Axis::c, Axis::r, Axis::s};
constexpr std::array kKept{Axis::k, Axis::p, Axis::q, Axis::n};

// Sizes in steps of `step`, the smallest per number of tiles, ascending.
std::vector<std::int64_t> sizes_of(std::int64_t extent, std::int64_t step) {
    const std::int64_t blocks = ceil_div(extent, step);
    std::vector<std::int64_t> sizes;
    for (std::int64_t tiles = blocks; tiles >= 1; --tiles) {
        const std::int64_t size = std::min(extent, ceil_div(blocks, tiles) * step);
        if (sizes.empty() || size > sizes.back()) sizes.push_back(size);
    }
    return sizes;
}

std::int64_t step_of(Axis axis, const TiledLayer& layer, const SystolicMachine& machine) {
    if (axis == Axis::c) return machine.array.rows;
    if (axis == Axis::k) return machine.array.columns;
    return axis == Axis::p && layer.is_product ? machine.array.block_rows : 1;
}

// Axis by axis; misfit is monotone in the tile size.
void add_tiles(const TiledLayer& layer, const SystolicMachine& machine, const Fits& fits, int index, AxisExtents& tile,
               std::vector<AxisExtents>& all) {
    if (index == kAxes) {
        all.push_back(tile);
        return;
    }
    const auto axis = static_cast<Axis>(index);
    for (const std::int64_t size : sizes_of(layer.whole[axis], step_of(axis, layer, machine))) {
        tile[axis] = size;
        if (!fits(tile)) break;
        add_tiles(layer, machine, fits, index + 1, tile, all);
    }
    tile[axis] = 1;
}

template <std::size_t kCount>
std::vector<Axis> stepped(const TiledLayer& layer, const std::array<Axis, kCount>& axes) {
    std::vector<Axis> result;
    for (const Axis axis : axes)
        if (layer.tile[axis] < layer.whole[axis]) result.push_back(axis);
    return result;
}

// traffic_of() with every request a hit: a lower bound for all orders.
double least_cycles(const TiledLayer& layer, SystolicMachine machine) {
    machine.caches.clear();
    return systolic_latency(layer, machine).cycles;
}

struct Bounded {
    double least = 0.0;
    AxisExtents tile;
};

std::vector<Bounded> bounded_tiles(const TiledLayer& layer, const SystolicMachine& machine, const Fits& fits,
                                   const StopSource* stop) {
    std::vector<Bounded> result;
    TiledLayer tiled = layer;
    for (const AxisExtents& tile : tiles_that_fit(layer, machine, fits)) {
        if (stop != nullptr && stop->requested()) break;
        tiled.tile = tile;
        result.push_back({least_cycles(tiled, machine), tile});
    }
    std::ranges::stable_sort(result, {}, &Bounded::least);
    return result;
}

void try_orders(TiledLayer tiled, const SystolicMachine& machine, std::optional<SystolicAnswer>& best,
                std::int64_t& compared) {
    for (std::vector<Axis>& order : orders_of(tiled)) {
        tiled.order = std::move(order);
        ++compared;
        const SystolicLatency latency = systolic_latency(tiled, machine);
        if (best && latency.cycles >= best->latency.cycles) continue;
        best.emplace();
        best->layer = tiled;
        best->latency = latency;
    }
}

}  // namespace

std::vector<AxisExtents> tiles_that_fit(const TiledLayer& layer, const SystolicMachine& machine, const Fits& fits) {
    std::vector<AxisExtents> all;
    AxisExtents tile;
    add_tiles(layer, machine, fits, 0, tile, all);
    return all;
}

std::vector<std::vector<Axis>> orders_of(const TiledLayer& layer) {
    std::vector<std::vector<Axis>> orders;
    std::vector<Axis> inner = stepped(layer, kReduced);
    do {
        std::vector<Axis> outer = stepped(layer, kKept);
        do {
            orders.push_back(inner);
            orders.back().insert(orders.back().end(), outer.begin(), outer.end());
        } while (std::ranges::next_permutation(outer).found);
    } while (std::ranges::next_permutation(inner).found);
    return orders;
}

std::optional<SystolicAnswer> best_tiling(const TiledLayer& layer, const SystolicMachine& machine, const Fits& fits,
                                          const StopSource* stop) {
    const std::vector<Bounded> tiles = bounded_tiles(layer, machine, fits, stop);
    std::optional<SystolicAnswer> best;
    std::int64_t compared = 0;
    bool proven = stop == nullptr || !stop->requested();
    for (const Bounded& tile : tiles) {
        if (best && tile.least >= best->latency.cycles) break;  // and so are all that follow
        if (stop != nullptr && stop->requested()) {
            proven = false;
            break;
        }
        TiledLayer tiled = layer;
        tiled.tile = tile.tile;
        try_orders(std::move(tiled), machine, best, compared);
    }
    if (!best) return std::nullopt;
    best->tiles = static_cast<std::int64_t>(tiles.size());
    best->compared = compared;
    best->proven = proven;
    return best;
}

}  // namespace tilewright::silicon
