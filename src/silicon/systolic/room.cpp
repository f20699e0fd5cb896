#include "silicon/systolic/room.hpp"

#include <algorithm>

#include "base/numbers/checked.hpp"

namespace tilewright::silicon {
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

}  // namespace tilewright::silicon
