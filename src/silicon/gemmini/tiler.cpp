#include "silicon/gemmini/tiler.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "base/numbers/checked.hpp"

namespace tilewright::silicon::gemmini {
namespace {

// Order of reducing equals and of growing.
constexpr std::array kAxesInOrder{Axis::n, Axis::q, Axis::p, Axis::k, Axis::s, Axis::r, Axis::c};

bool is_channel(Axis axis) { return axis == Axis::k || axis == Axis::c; }

std::int64_t reduced(Axis axis, std::int64_t size, std::int64_t width) {
    if (!is_channel(axis)) return size - 1;
    const std::int64_t next = size % width != 0 ? size / width * width : size - width;
    return std::max<std::int64_t>(1, next);
}

// A row of columns fills the array; it is not shortened below while there are other rows.
bool may_shrink(Axis axis, const AxisExtents& tile, std::int64_t width) {
    return !(axis == Axis::p && tile[Axis::p] <= width && tile[Axis::q] > 1);
}

void shrink(const TiledLayer& layer, const Room& room, AxisExtents& tile) {
    while (!fits(layer, tile, room)) {
        Axis largest = kAxesInOrder.front();
        std::int64_t size = 0;
        for (const Axis axis : kAxesInOrder) {
            if (tile[axis] <= size || !may_shrink(axis, tile, room.width)) continue;
            largest = axis;
            size = tile[axis];
        }
        if (size <= 1) return;
        tile[largest] = reduced(largest, size, room.width);
    }
}

bool grow(const TiledLayer& layer, const Room& room, Axis axis, AxisExtents& tile) {
    if (tile[axis] >= layer.whole[axis]) return false;
    AxisExtents more = tile;
    ++more[axis];
    if (!fits(layer, more, room)) return false;
    tile = more;
    return true;
}

AxisExtents convolution_tile(const TiledLayer& layer, const Room& room) {
    AxisExtents tile = layer.whole;
    shrink(layer, room, tile);
    while (grow(layer, room, Axis::p, tile)) {
    }
    for (bool has_grown = true; has_grown;) {
        has_grown = false;
        for (const Axis axis : kAxesInOrder) has_grown |= grow(layer, room, axis, tile);
    }
    return tile;
}

// In blocks: a square of results, and the longest reduction beside it.
AxisExtents product_tile(const TiledLayer& layer, const Room& room) {
    const auto blocks = [&](Axis axis) { return ceil_div(layer.whole[axis], room.width); };
    const std::int64_t results = room.accumulator_rows / room.width;
    const auto square = static_cast<std::int64_t>(std::sqrt(static_cast<double>(results)));
    AxisExtents tile;
    tile[Axis::p] = std::min(square, blocks(Axis::p));
    tile[Axis::k] = std::min(square, blocks(Axis::k));
    tile[Axis::c] = std::min(room.scratchpad_rows / 2 / room.width / square, blocks(Axis::c));
    const auto holds = [&](const AxisExtents& some) {
        const std::int64_t operands = (some[Axis::p] + some[Axis::k]) * some[Axis::c];
        return operands * room.width <= room.scratchpad_rows &&
               some[Axis::p] * some[Axis::k] * room.width <= room.accumulator_rows;
    };
    for (bool has_grown = true; has_grown;) {
        has_grown = false;
        for (const Axis axis : {Axis::k, Axis::p, Axis::c}) {
            AxisExtents more = tile;
            ++more[axis];
            if (more[axis] > blocks(axis) || !holds(more)) continue;
            tile = more;
            has_grown = true;
        }
    }
    for (const Axis axis : {Axis::p, Axis::k, Axis::c}) tile[axis] *= room.width;
    return tile;
}

}  // namespace

TiledLayer tiled_by_gemmini(const TiledLayer& layer, const Room& room) {
    TiledLayer result = layer;
    result.order = {Axis::c, Axis::r, Axis::s, Axis::k, Axis::p, Axis::q, Axis::n};
    result.tile = layer.is_product ? product_tile(layer, room) : convolution_tile(layer, room);
    return result;
}

void round_to_blocks(TiledLayer& layer, std::int64_t width) {
    if (!layer.is_product) return;
    for (const Axis axis : {Axis::p, Axis::k, Axis::c})
        layer.tile[axis] = std::max<std::int64_t>(1, layer.tile[axis] / width) * width;
}

namespace {

using Fields = std::vector<std::pair<const char*, std::int64_t>>;

std::string line(const char* key, const Fields& fields) {
    std::string text = std::string("  ") + key + ": {";
    for (const auto& [name, value] : fields) {
        if (text.back() != '{') text += ", ";
        text += std::string(name) + ": " + std::to_string(value);
    }
    return text + "}\n";
}

std::int64_t blocks(std::int64_t words, std::int64_t width) { return (words + width - 1) / width; }

std::string product_text(const TiledLayer& layer, std::int64_t width) {
    const auto& [whole, tile] = std::pair(layer.whole, layer.tile);
    return "  function: tiled_matmul\n" +
           line("shape", {{"dim_I", whole[Axis::p]}, {"dim_J", whole[Axis::k]}, {"dim_K", whole[Axis::c]}}) +
           line("tile", {{"tile_I", blocks(tile[Axis::p], width)},
                         {"tile_J", blocks(tile[Axis::k], width)},
                         {"tile_K", blocks(tile[Axis::c], width)}});
}

std::string convolution_text(const TiledLayer& layer) {
    const auto& [whole, tile] = std::pair(layer.whole, layer.tile);
    return "  function: tiled_conv\n" +
           line("shape", {{"batch_size", whole[Axis::n]},
                          {"in_dim", layer.columns.image},
                          {"in_channels", whole[Axis::c]},
                          {"out_channels", whole[Axis::k]},
                          {"out_dim", layer.columns.outputs},
                          {"stride", layer.columns.stride},
                          {"padding", layer.columns.padding},
                          {"kernel_dim", whole[Axis::r]}}) +
           line("tile", {{"batches", tile[Axis::n]},
                         {"porows", tile[Axis::q]},
                         {"pocols", tile[Axis::p]},
                         {"pochs", tile[Axis::k]},
                         {"krows", tile[Axis::s]},
                         {"kcols", tile[Axis::r]},
                         {"kchs", tile[Axis::c]}});
}

std::string order_text(const TiledLayer& layer) {
    std::string order;
    for (const Axis axis : layer.order) order += letter_of(axis);
    for (const char letter : {'C', 'R', 'S', 'K', 'P', 'Q', 'N'})
        if (order.find(letter) == std::string::npos) order += letter;
    return order;
}

}  // namespace

std::string arguments_text(const std::string& name, const TiledLayer& layer, std::int64_t width) {
    return "gemmini:\n  layer: \"" + name + "\"\n" +
           (layer.is_product ? product_text(layer, width) : convolution_text(layer)) + "  perm: " + order_text(layer) +
           "  # innermost first; only DOSA's branch takes it\n";
}

std::string problem_with(const TiledLayer& layer, std::int64_t width) {
    if (!layer.is_product) {
        if (layer.whole[Axis::p] != layer.whole[Axis::q] || layer.whole[Axis::r] != layer.whole[Axis::s])
            return "tiled_conv takes square images and kernels only";
        if (!(layer.columns == layer.rows)) return "tiled_conv takes one stride for rows and columns";
        return "";
    }
    for (const Axis axis : {Axis::p, Axis::k, Axis::c}) {
        const bool is_whole = layer.tile[axis] >= layer.whole[axis];
        if (!is_whole && layer.tile[axis] % width != 0)
            return std::string("tiled_matmul counts tiles in blocks of ") + std::to_string(width) + ": a tile of " +
                   std::to_string(layer.tile[axis]) + " along " + letter_of(axis) + " is none";
    }
    return "";
}

}  // namespace tilewright::silicon::gemmini
