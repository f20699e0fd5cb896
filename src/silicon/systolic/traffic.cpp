#include "silicon/systolic/traffic.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/numbers/checked.hpp"

namespace tilewright::silicon {
namespace {

struct Requests {
    double inputs = 0.0;
    double weights = 0.0;
    double writes = 0.0;
};

Requests total(const std::vector<TileDemand>& tiles) {
    Requests sum;
    for (const TileDemand& tile : tiles) {
        sum.inputs += tile.count * tile.input_requests;
        sum.weights += tile.count * tile.weight_requests;
        sum.writes += tile.count * tile.writes;
    }
    return sum;
}

// A line of results is visited once per pixel and tile of output channels: writes into one line are consecutive.
double line_visits(double writes, const TiledLayer& layer, const SystolicMachine& machine) {
    const std::int64_t line = machine.dma.request_bytes;
    const std::int64_t write = machine.dma.store_bytes;
    const std::int64_t row = layer.whole[Axis::k] * machine.word_bytes;
    const std::int64_t tile = layer.tile[Axis::k] * machine.word_bytes;
    if (row < write) return writes * static_cast<double>(row) / static_cast<double>(line);
    if (layer.is_product && tile >= line) return writes;
    return writes * static_cast<double>(write) / static_cast<double>(std::max(write, std::min(line, tile)));
}

// A cache passes on at most its input.
void add_share(double misses, double most, double requests, std::vector<double>& shares) {
    const double share = std::min(misses, most) / std::max(1.0, requests);
    shares.push_back(shares.empty() ? share : std::min(shares.back(), share));
}

}  // namespace

Traffic traffic_of(const TiledLayer& layer, const SystolicMachine& machine) {
    Traffic traffic;
    traffic.tiles = demands_of(layer, machine);
    const double per_input = requests_per_piece(layer.whole[Axis::c] * machine.word_bytes, machine.dma.request_bytes);
    const double per_weight = requests_per_piece(layer.whole[Axis::k] * machine.word_bytes, machine.dma.request_bytes);
    for (TileDemand& tile : traffic.tiles) {
        tile.input_requests *= per_input;
        tile.weight_requests *= per_weight;
        traffic.tile_count += tile.count;
    }
    const Requests all = total(traffic.tiles);
    const double visits = line_visits(all.writes, layer, machine);
    for (const Cache& cache : machine.caches) {
        const LineCounts missed = cache_misses(layer, machine, cache);
        add_share(missed.inputs, std::max(1.0, all.inputs), all.inputs, traffic.misses.inputs);
        add_share(missed.weights, std::max(1.0, all.weights), all.weights, traffic.misses.weights);
        add_share(missed.outputs, visits, all.writes, traffic.misses.outputs);
    }
    return traffic;
}

namespace {

constexpr std::int64_t kMostIdleSets = 1024;  // a column of a power-of-two stride reaches at least this few sets
constexpr int kSteps = 60;                    // of the fixed point below, converging from below

class Footprints {
   public:
    Footprints(const TiledLayer& layer, const SystolicMachine& machine, const Cache& cache)
        : layer_(layer), machine_(machine), cache_(cache) {}

    /// Bytes, in whole lines.
    LineCounts of(const AxisExtents& box) const {
        const auto outputs = static_cast<double>(box[Axis::p] * box[Axis::q] * box[Axis::n]);
        const auto kernel = static_cast<double>(box[Axis::c] * box[Axis::r] * box[Axis::s]);
        return {pixels(box) * row(box[Axis::c], layer_.whole[Axis::c]),
                kernel * row(box[Axis::k], layer_.whole[Axis::k]), outputs * row(box[Axis::k], layer_.whole[Axis::k])};
    }

    /// Share of one iteration's footprint of `box` still cached in the next.
    double kept(const AxisExtents& box) const {
        const LineCounts bytes = of(box);
        const double by_k = idle_sets(box[Axis::k], layer_.whole[Axis::k]);
        const double by_c = idle_sets(box[Axis::c], layer_.whole[Axis::c]);
        const double load = (bytes.weights + bytes.outputs) * by_k + bytes.inputs * by_c;
        return share_kept(load / static_cast<double>(cache_.bytes), cache_.random_replacement);
    }

   private:
    double pixels(const AxisExtents& box) const {
        if (layer_.is_product) return static_cast<double>(box[Axis::p]);
        const auto reach = [](const Window& window, std::int64_t outputs, std::int64_t kernel) {
            return static_cast<double>(std::min(outputs * window.stride + kernel - 1, window.image));
        };
        return reach(layer_.columns, box[Axis::p], box[Axis::r]) * reach(layer_.rows, box[Axis::q], box[Axis::s]) *
               static_cast<double>(box[Axis::n]);
    }

    // A partial row takes whole lines.
    double row(std::int64_t part, std::int64_t whole) const {
        const std::int64_t line = cache_.line_bytes;
        const std::int64_t bytes = part * machine_.word_bytes;
        return static_cast<double>(part >= whole ? whole * machine_.word_bytes : (bytes + line - 1) / line * line);
    }

    // Rows a power of two of lines apart leave sets idle: their footprint weighs by this factor.
    double idle_sets(std::int64_t part, std::int64_t whole) const {
        const std::int64_t stride = whole * machine_.word_bytes;
        if (part >= whole || stride % cache_.line_bytes != 0) return 1.0;
        const std::int64_t lines = stride / cache_.line_bytes;
        const std::int64_t power = lines & -lines;
        const std::int64_t used = (part * machine_.word_bytes + cache_.line_bytes - 1) / cache_.line_bytes;
        return std::max(1.0, static_cast<double>(std::min(power, kMostIdleSets)) / static_cast<double>(used));
    }

    const TiledLayer& layer_;
    const SystolicMachine& machine_;
    const Cache& cache_;
};

// Every axis, those of `order` first.
std::vector<Axis> walk_of(const std::vector<Axis>& order) {
    std::vector<Axis> walk;
    for (const Axis axis : order)
        if (std::ranges::find(walk, axis) == walk.end()) walk.push_back(axis);
    for (const Axis axis : {Axis::c, Axis::r, Axis::s, Axis::k, Axis::p, Axis::q, Axis::n})
        if (std::ranges::find(walk, axis) == walk.end()) walk.push_back(axis);
    return walk;
}

double grown(double bytes, double inside, double around, double kept, double steps) {
    const double growth = around / inside;
    return bytes * (kept * growth + (1.0 - kept) * std::max(steps, growth));
}

}  // namespace

double share_kept(double footprint_over_capacity, bool random_replacement) {
    if (footprint_over_capacity <= 1.0) return 1.0;
    if (!random_replacement) return 0.0;
    double kept = 0.0;
    for (int step = 0; step < kSteps; ++step) kept = std::exp(-(1.0 - kept) * footprint_over_capacity);
    return kept;
}

LineCounts cache_misses(const TiledLayer& layer, const SystolicMachine& machine, const Cache& cache) {
    const Footprints footprints(layer, machine, cache);
    AxisExtents box = layer.tile;
    LineCounts bytes = footprints.of(box);
    LineCounts inside = bytes;
    double kept = footprints.kept(box);
    for (const Axis axis : walk_of(layer.order)) {
        if (box[axis] >= layer.whole[axis]) continue;
        const double steps = static_cast<double>(layer.whole[axis]) / static_cast<double>(box[axis]);
        box[axis] = layer.whole[axis];
        const LineCounts around = footprints.of(box);
        bytes.inputs = grown(bytes.inputs, inside.inputs, around.inputs, kept, steps);
        bytes.weights = grown(bytes.weights, inside.weights, around.weights, kept, steps);
        bytes.outputs = grown(bytes.outputs, inside.outputs, around.outputs, kept, steps);
        inside = around;
        kept = footprints.kept(box);
    }
    const double cold = (1.0 - kept) / static_cast<double>(machine.dma.request_bytes);
    return {bytes.inputs * cold, bytes.weights * cold, bytes.outputs * cold};
}

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
