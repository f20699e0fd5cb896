#include "gemmini_rows.hpp"

#include <sstream>
#include <stdexcept>

#include "mapping_text.hpp"
#include "silicon/gemmini/tiler.hpp"

namespace tilewright::silicon_study {
namespace {

using silicon::Axis;

constexpr std::int64_t kWidth = 16;
constexpr std::string_view kLetters = "CKNPQRS";

Axis axis_of(char letter) {
    const std::size_t index = kLetters.find(letter);
    if (index == std::string_view::npos) throw std::runtime_error(std::string("no dimension ") + letter);
    return static_cast<Axis>(index);
}

silicon::Window window_of(std::int64_t positions, std::int64_t kernel, std::int64_t stride) {
    silicon::Window window = silicon::padded_window(positions, kernel, stride);
    window.outputs = (window.image - kernel + 2 * window.padding) / stride + 1;
    return window;
}

silicon::TiledLayer shape_of(const Table& table, std::size_t row) {
    silicon::TiledLayer layer;
    for (const char letter : kLetters) layer.whole[axis_of(letter)] = table.integer(row, std::string("prob.") + letter);
    const std::int64_t stride = table.integer(row, "prob.Hstride");
    const silicon::AxisExtents& whole = layer.whole;
    layer.is_product = whole[Axis::q] == 1 && whole[Axis::r] == 1 && whole[Axis::s] == 1;
    layer.columns = window_of(whole[Axis::p], whole[Axis::r], stride);
    layer.rows = window_of(whole[Axis::q], whole[Axis::s], stride);
    return layer;
}

bool is_in_tile(const TextLevel& level, const TextLoop& loop) {
    if (level.number == 1) return true;
    if (level.number == 2) return loop.spatial;
    return level.number == 0 && (loop.dimension == 'P' || loop.dimension == 'Q');
}

void take_mapping(const std::string& text, silicon::TiledLayer& layer) {
    for (const TextLevel& level : parse_mapping(text)) {
        for (const TextLoop& loop : level.loops)
            if (is_in_tile(level, loop)) layer.tile[axis_of(loop.dimension)] *= loop.extent;
        if (level.number != 3) continue;
        for (auto loop = level.loops.rbegin(); loop != level.loops.rend(); ++loop)
            layer.order.push_back(axis_of(loop->dimension));
    }
    silicon::gemmini::round_to_blocks(layer, kWidth);
}

// "1_1_80_1_64_96_1": R, S, P, Q, C, K, N.
std::optional<silicon::TiledLayer> own_tiling(const std::string& text, silicon::TiledLayer layer) {
    std::istringstream in(text);
    std::string size;
    for (const char letter : std::string_view("RSPQCKN")) {
        if (!std::getline(in, size, '_')) return std::nullopt;
        layer.tile[axis_of(letter)] = std::stoll(size);
    }
    layer.order = {Axis::c, Axis::r, Axis::s, Axis::k, Axis::p, Axis::q, Axis::n};
    silicon::gemmini::round_to_blocks(layer, kWidth);
    return layer;
}

std::string shape_name(const silicon::TiledLayer& layer) {
    std::string name;
    for (const char letter : kLetters) name += (name.empty() ? "" : "_") + std::to_string(layer.whole[axis_of(letter)]);
    return name;
}

}  // namespace

std::vector<GemminiRow> gemmini_rows(const Table& table) {
    std::vector<GemminiRow> rows;
    for (std::size_t i = 0; i < table.size(); ++i) {
        GemminiRow row;
        const silicon::TiledLayer shape = shape_of(table, i);
        row.shape = shape_name(shape);
        row.layer = shape;
        take_mapping(table.text(i, "mapping.mapping"), row.layer);
        row.measured = table.number(i, "target.gemmini_cycle");
        if (table.has("target.cycle")) row.timeloop = table.number(i, "target.cycle");
        if (table.has("dse.auto_tiling")) row.own = own_tiling(table.text(i, "dse.auto_tiling"), shape);
        if (row.own) row.own_measured = table.number(i, "target.gemmini_auto_cycle");
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace tilewright::silicon_study
