#include "silicon/systolic/demand.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/numbers/checked.hpp"

namespace tilewright::silicon {
namespace {

struct Span {
    std::int64_t offset = 0;
    std::int64_t size = 0;
};

std::vector<Span> spans(std::int64_t extent, std::int64_t tile) {
    std::vector<Span> result;
    for (std::int64_t offset = 0; offset < extent; offset += tile)
        result.push_back({offset, std::min(tile, extent - offset)});
    return result;
}

// A tile's extents along one axis of the image. The order of the members is that of the counting map.
struct Along {
    std::int64_t outputs = 0;
    std::int64_t kernel = 0;
    std::int64_t pixels = 0;   ///< of the image
    std::int64_t padding = 0;  ///< beside them
    bool is_first = false;     ///< of the kernel, hence of the sums
    bool is_last = false;

    auto operator<=>(const Along&) const = default;
};

Along along_of(const Window& window, const Span& out, std::int64_t kernel, const Span& part) {
    const std::int64_t first = out.offset * window.stride + part.offset - window.padding;
    const std::int64_t extent = out.size * window.stride + part.size - 1;
    const std::int64_t before = std::max<std::int64_t>(0, -first);
    const std::int64_t behind = std::max<std::int64_t>(0, first + extent - window.image);
    return {out.size,        part.size,        std::max<std::int64_t>(0, extent - before - behind),
            before + behind, part.offset == 0, part.offset + part.size >= kernel};
}

std::map<Along, double> along(const Window& window, std::int64_t step, std::int64_t kernel, std::int64_t kernel_step) {
    std::map<Along, double> kinds;
    for (const Span& out : spans(window.outputs, step))
        for (const Span& part : spans(kernel, kernel_step)) ++kinds[along_of(window, out, kernel, part)];
    return kinds;
}

// Reduced channels of a tile, and whether sums begin or end with it.
struct Reduced {
    std::int64_t channels = 0;
    bool is_first = false;
    bool is_last = false;

    auto operator<=>(const Reduced&) const = default;
};

std::map<Reduced, double> reduced(std::int64_t extent, std::int64_t tile) {
    std::map<Reduced, double> kinds;
    for (const Span& span : spans(extent, tile))
        ++kinds[{span.size, span.offset == 0, span.offset + span.size >= extent}];
    return kinds;
}

std::map<std::int64_t, double> sizes(std::int64_t extent, std::int64_t tile) {
    std::map<std::int64_t, double> kinds;
    for (const Span& span : spans(extent, tile)) ++kinds[span.size];
    return kinds;
}

// A row of outputs in pieces of at most `most`.
void cut_in_pieces(std::int64_t row, std::int64_t most, double rows, TileDemand& demand) {
    const std::int64_t whole = row / most;
    demand.pieces[0] = {most, static_cast<double>(whole) * rows};
    demand.pieces[1] = {row % most, row % most > 0 ? rows : 0.0};
    demand.starts_whole = row >= most;
}

class Demands {
   public:
    Demands(const TiledLayer& layer, const SystolicMachine& machine) : layer_(layer), machine_(machine) {}

    TileDemand convolution(const Along& rows, const Along& columns, const Reduced& c, std::int64_t k,
                           double images) const {
        const auto k_blocks = static_cast<double>(ceil_div(k, machine_.array.columns));
        const auto c_blocks = static_cast<double>(ceil_div(c.channels, machine_.array.rows));
        const double kernel = static_cast<double>(rows.kernel * columns.kernel);
        const double pixels = static_cast<double>(rows.pixels * columns.pixels) * images;
        const double window =
            static_cast<double>((rows.pixels + rows.padding) * (columns.pixels + columns.padding)) * images;
        const double outputs = static_cast<double>(rows.outputs * columns.outputs) * images;
        TileDemand demand;
        demand.weight_blocks = k_blocks * kernel * c_blocks;
        cut_in_pieces(columns.outputs, machine_.array.block_rows, static_cast<double>(rows.outputs) * images, demand);
        demand.input_requests = pixels * requests(c.channels);
        demand.weight_requests = kernel * static_cast<double>(c.channels) * requests(k);
        demand.zero_rows = (window - pixels) * c_blocks;
        if (rows.is_first && columns.is_first && c.is_first) demand.zero_rows += outputs * k_blocks;
        if (rows.is_last && columns.is_last && c.is_last) demand.writes = outputs * writes(k, machine_.dma.store_bytes);
        return demand;
    }

    TileDemand product(std::int64_t rows, const Reduced& c, std::int64_t k) const {
        TileDemand demand;
        demand.weight_blocks =
            static_cast<double>(ceil_div(k, machine_.array.columns) * ceil_div(c.channels, machine_.array.rows));
        cut_in_pieces(rows, machine_.array.block_rows, 1.0, demand);
        demand.input_requests = static_cast<double>(rows) * requests(c.channels);
        demand.weight_requests = static_cast<double>(c.channels) * requests(k);
        if (c.is_last) demand.writes = static_cast<double>(rows) * writes(k, machine_.dma.product_store_bytes);
        return demand;
    }

   private:
    double requests(std::int64_t words) const { return writes(words, machine_.dma.request_bytes); }
    double writes(std::int64_t words, std::int64_t bytes) const {
        return static_cast<double>(ceil_div(words * machine_.word_bytes, bytes));
    }

    const TiledLayer& layer_;
    const SystolicMachine& machine_;
};

// Range of an axis' steps.
std::int64_t extent_of(const TiledLayer& layer, Axis axis) {
    if (layer.is_product) return layer.whole[axis];
    if (axis == Axis::p) return layer.columns.outputs;
    return axis == Axis::q ? layer.rows.outputs : layer.whole[axis];
}

// The axes of the loops around the tiles, outermost first.
std::vector<Axis> outermost_first(const TiledLayer& layer) {
    std::vector<Axis> axes = layer.order;
    for (const Axis axis : {Axis::c, Axis::r, Axis::s, Axis::k, Axis::p, Axis::q, Axis::n})
        if (std::ranges::find(axes, axis) == axes.end()) axes.push_back(axis);
    std::ranges::reverse(axes);
    return axes;
}

TileDemand demand_at(const TiledLayer& layer, const Demands& demands, const std::array<Span, kAxes>& at) {
    const auto span = [&](Axis axis) { return at[static_cast<std::size_t>(axis)]; };
    const AxisExtents& whole = layer.whole;
    const Span c = span(Axis::c);
    const Reduced reduced{c.size, c.offset == 0, c.offset + c.size >= whole[Axis::c]};
    TileDemand demand = layer.is_product
                            ? demands.product(span(Axis::p).size, reduced, span(Axis::k).size)
                            : demands.convolution(along_of(layer.rows, span(Axis::q), whole[Axis::s], span(Axis::s)),
                                                  along_of(layer.columns, span(Axis::p), whole[Axis::r], span(Axis::r)),
                                                  reduced, span(Axis::k).size, static_cast<double>(span(Axis::n).size));
    demand.count = 1.0;
    return demand;
}

std::vector<TileDemand> of_convolution(const TiledLayer& layer, const SystolicMachine& machine) {
    const AxisExtents& whole = layer.whole;
    const AxisExtents& tile = layer.tile;
    const Demands demands(layer, machine);
    std::vector<TileDemand> result;
    const auto columns = along(layer.columns, tile[Axis::p], whole[Axis::r], tile[Axis::r]);
    const auto channels = reduced(whole[Axis::c], tile[Axis::c]);
    const auto filters = sizes(whole[Axis::k], tile[Axis::k]);
    const auto images = sizes(whole[Axis::n], tile[Axis::n]);
    for (const auto& [row, rows] : along(layer.rows, tile[Axis::q], whole[Axis::s], tile[Axis::s]))
        for (const auto& [column, n1] : columns)
            for (const auto& [c, n2] : channels)
                for (const auto& [k, n3] : filters)
                    for (const auto& [image, n4] : images) {
                        result.push_back(demands.convolution(row, column, c, k, static_cast<double>(image)));
                        result.back().count = rows * n1 * n2 * n3 * n4;
                    }
    return result;
}

std::vector<TileDemand> of_product(const TiledLayer& layer, const SystolicMachine& machine) {
    const Demands demands(layer, machine);
    std::vector<TileDemand> result;
    for (const auto& [rows, n1] : sizes(layer.whole[Axis::p], layer.tile[Axis::p]))
        for (const auto& [c, n2] : reduced(layer.whole[Axis::c], layer.tile[Axis::c]))
            for (const auto& [k, n3] : sizes(layer.whole[Axis::k], layer.tile[Axis::k])) {
                result.push_back(demands.product(rows, c, k));
                result.back().count = n1 * n2 * n3;
            }
    return result;
}

}  // namespace

std::vector<TileDemand> demands_of(const TiledLayer& layer, const SystolicMachine& machine) {
    return layer.is_product ? of_product(layer, machine) : of_convolution(layer, machine);
}

void for_each_tile(const TiledLayer& layer, const SystolicMachine& machine,
                   const std::function<void(const TileDemand&)>& take) {
    const Demands demands(layer, machine);
    const std::vector<Axis> axes = outermost_first(layer);
    std::array<Span, kAxes> at{};
    const std::function<void(std::size_t)> step = [&](std::size_t depth) {
        if (depth == axes.size()) return take(demand_at(layer, demands, at));
        for (const Span& span : spans(extent_of(layer, axes[depth]), layer.tile[axes[depth]])) {
            at[static_cast<std::size_t>(axes[depth])] = span;
            step(depth + 1);
        }
    };
    step(0);
}

double requests_per_piece(std::int64_t stride_bytes, std::int64_t request_bytes) {
    const std::int64_t step = std::gcd(stride_bytes, request_bytes);
    const std::int64_t width = std::min(request_bytes, stride_bytes);
    std::int64_t requests = 0;
    for (std::int64_t offset = 0; offset < request_bytes; offset += step)
        requests += offset + width > request_bytes ? 2 : 1;
    return static_cast<double>(requests * step) / static_cast<double>(request_bytes);
}

}  // namespace tilewright::silicon
