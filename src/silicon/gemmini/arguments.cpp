#include "silicon/gemmini/arguments.hpp"

#include <utility>
#include <vector>

namespace tilewright::silicon::gemmini {
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
