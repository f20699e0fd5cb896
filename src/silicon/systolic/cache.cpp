#include "silicon/systolic/cache.hpp"

#include <algorithm>
#include <cmath>

namespace tilewright::silicon {
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

}  // namespace tilewright::silicon
