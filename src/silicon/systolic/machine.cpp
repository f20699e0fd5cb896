#include "silicon/systolic/machine.hpp"

#include <algorithm>
#include <string>

#include "base/numbers/checked.hpp"

namespace tilewright::silicon {
namespace {

std::string number(double value) {
    std::string text = std::to_string(value);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text;
}

std::string problem_with(const SystolicArray& array, std::string& where) {
    where = "least_rows";
    if (array.least_rows > array.block_rows)
        return "a computation takes at most " + std::to_string(array.block_rows) +
               " rows (block_rows), so it cannot take " + std::to_string(array.least_rows) + " at least";
    where = "latency_cycles";
    const double through = array.fill_cycles() + array.drain_cycles();
    if (array.latency_cycles < through)
        return "words take " + number(through) + " cycles through " + std::to_string(array.rows) + " rows and " +
               std::to_string(array.columns) + " columns with a skew of " + number(array.skew_cycles) +
               ": a latency of " + number(array.latency_cycles) +
               " is too short (silicon.systolic_array.latency_cycles=" + number(through) + ")";
    where = "preload_cycles";
    const auto longest = static_cast<double>(array.block_rows);
    if (array.preload_behind && array.preload_cycles > longest && array.in_flight == 1)
        return "with one computation in flight, of " + number(longest) + " cycles, a preload of " +
               number(array.preload_cycles) + " cannot hide behind it";
    return "";
}

}  // namespace

std::string problem_with(const SystolicMachine& machine, std::string& where) {
    if (std::string problem = problem_with(machine.array, where); !problem.empty()) return problem;
    where = "caches";
    for (const Cache& cache : machine.caches)
        if (cache.bytes < cache.line_bytes) return "cache '" + cache.name + "' is smaller than one of its lines";
    where = "store_bytes";
    if (machine.dma.store_bytes > machine.dma.request_bytes)
        return "a write of " + std::to_string(machine.dma.store_bytes) + " bytes is more than a request of " +
               std::to_string(machine.dma.request_bytes);
    where.clear();
    return "";
}

namespace {

int written_tensor(const Einsum& einsum) {
    const auto found = std::ranges::find_if(einsum.tensors, [](const Tensor& tensor) { return tensor.written; });
    return static_cast<int>(found - einsum.tensors.begin());
}

}  // namespace

std::int64_t scratchpad_rows(const TiledLayer& layer, const AxisExtents& tile, const Room& room) {
    const std::int64_t height = tile[Axis::q] * layer.rows.stride + tile[Axis::s] - 1;
    const std::int64_t width = tile[Axis::p] * layer.columns.stride + tile[Axis::r] - 1;
    const std::int64_t inputs = ceil_div(tile[Axis::c], room.width) * tile[Axis::n] * height * width;
    const std::int64_t weights = ceil_div(tile[Axis::k], room.width) * tile[Axis::s] * tile[Axis::r] * tile[Axis::c];
    return inputs + weights;
}

std::int64_t accumulator_rows(const TiledLayer&, const AxisExtents& tile, const Room& room) {
    return ceil_div(tile[Axis::k], room.width) * tile[Axis::n] * tile[Axis::q] * tile[Axis::p];
}

bool fits(const TiledLayer& layer, const AxisExtents& tile, const Room& room) {
    return scratchpad_rows(layer, tile, room) <= room.scratchpad_rows &&
           accumulator_rows(layer, tile, room) <= room.accumulator_rows;
}

std::optional<Room> room_of(const Einsum& einsum, const Architecture& architecture, const std::vector<TensorSet>& keep,
                            const SystolicMachine& machine) {
    const int results = written_tensor(einsum);
    std::optional<std::int64_t> operands;
    std::optional<std::int64_t> sums;
    for (int level = 1; level < architecture.memory_count(); ++level) {
        const std::optional<std::int64_t> words = architecture.memories[level].usable_words();
        const TensorSet kept = keep[level];
        if (!operands && !kept.empty() && !(kept == TensorSet::of(results))) operands = words;
        if (!sums && kept.has(results)) sums = words;
    }
    if (!operands || !sums) return std::nullopt;
    return Room{machine.array.rows, *operands / machine.array.rows, *sums};
}

namespace {

// A dimension per axis; products name their rows p, whatever the einsum's name.
class Dimensions {
   public:
    Dimensions(const Einsum& einsum, bool is_product) {
        index_.fill(-1);
        const std::vector<std::optional<Axis>> axes = axes_of(einsum);
        for (int d = 0; d < einsum.dimension_count(); ++d)
            if (axes[d] && einsum.dimensions[d].extent > 1) index_[static_cast<std::size_t>(*axes[d])] = d;
        int& p = index_[static_cast<std::size_t>(Axis::p)];
        int& n = index_[static_cast<std::size_t>(Axis::n)];
        if (is_product && p < 0) std::swap(p, n);
    }

    void add(Axis axis, std::int64_t extent, LoopKind kind, std::vector<Loop>& loops) const {
        const int dimension = index_[static_cast<std::size_t>(axis)];
        if (extent > 1 && dimension >= 0) loops.push_back({dimension, extent, extent, kind});
    }

   private:
    std::array<int, kAxes> index_{};
};

void add_around(const TiledLayer& layer, const Dimensions& dimensions, std::vector<Loop>& loops) {
    std::vector<Axis> order = layer.order;
    for (const Axis axis : {Axis::c, Axis::r, Axis::s, Axis::k, Axis::p, Axis::q, Axis::n})
        if (std::ranges::find(order, axis) == order.end()) order.push_back(axis);
    for (auto axis = order.rbegin(); axis != order.rend(); ++axis)
        dimensions.add(*axis, ceil_div(layer.whole[*axis], layer.tile[*axis]), LoopKind::temporal, loops);
}

// The memory instanced by the array's columns, or (if none) the first inside DRAM.
int level_of_tile(const Architecture& architecture, const SystolicMachine& machine) {
    for (int level = machine.array.rows_level; level > 0; --level)
        if (!architecture.memories[level].spreads_only) return level;
    return 0;
}

}  // namespace

std::optional<Mapping> mapping_of(const TiledLayer& layer, const Einsum& einsum, const Architecture& architecture,
                                  const std::vector<TensorSet>& keep, const SystolicMachine& machine) {
    const Dimensions dimensions(einsum, layer.is_product);
    const SystolicArray& array = machine.array;
    const AxisExtents& tile = layer.tile;
    std::vector<MappingLevel> levels(architecture.memories.size());
    for (std::size_t level = 0; level < levels.size(); ++level) levels[level].keep = keep[level];
    add_around(layer, dimensions, levels.front().temporal);
    // Blocks of columns lie inside the array's: 24 channels on 16 columns are two on each of 12.
    const std::int64_t column_blocks = ceil_div(tile[Axis::k], array.columns);
    std::vector<Loop>& inside = levels[level_of_tile(architecture, machine)].temporal;
    dimensions.add(Axis::k, column_blocks, LoopKind::temporal, inside);
    dimensions.add(Axis::s, tile[Axis::s], LoopKind::temporal, inside);
    dimensions.add(Axis::r, tile[Axis::r], LoopKind::temporal, inside);
    dimensions.add(Axis::c, ceil_div(tile[Axis::c], array.rows), LoopKind::temporal, inside);
    dimensions.add(Axis::n, tile[Axis::n], LoopKind::temporal, inside);
    dimensions.add(Axis::q, tile[Axis::q], LoopKind::temporal, inside);
    dimensions.add(Axis::p, tile[Axis::p], LoopKind::temporal, inside);
    const auto along = [&](int level) {
        return architecture.fanout(level).x > 1 ? LoopKind::spatial_x : LoopKind::spatial_y;
    };
    dimensions.add(Axis::k, ceil_div(tile[Axis::k], column_blocks), along(array.columns_level),
                   levels[array.columns_level].spatial);
    dimensions.add(Axis::c, std::min(tile[Axis::c], array.rows), along(array.rows_level),
                   levels[array.rows_level].spatial);
    Mapping mapping = tilewright::mapping_of(levels);
    if (!restore_remainders(mapping, einsum)) return std::nullopt;
    return mapping;
}

}  // namespace tilewright::silicon
