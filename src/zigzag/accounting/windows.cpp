// Splitting loops inside sliding windows (ZigZag 3.8.5, mapping_assist_funcs.py: decouple_pr_loop).
#include "zigzag/accounting/spatial.hpp"

namespace tilewright::zigzag {
namespace {

/// Extent of the loops so far in each window.
class WindowWalk {
   public:
    explicit WindowWalk(const Layer& layer)
        : layer_(layer), tile_(unit_tile()), reached_(layer.windows.size(), 1.0), reused_(layer.windows.size(), 1.0) {}

    /// Multiplies a loop's parts into `split`; false for a dimension outside every window.
    bool step(const ParallelLoop& loop, Split& split) {
        bool inside = false;
        for (std::size_t w = 0; w < layer_.windows.size(); ++w) {
            const DimensionRelation& window = layer_.windows[w];
            if (loop.dimension != window.first && loop.dimension != window.second) continue;
            if (!inside) tile_[loop.dimension] *= loop.size;
            inside = true;
            const auto reached = static_cast<double>(positions(window, tile_));
            const double reused = tile_[window.first] * tile_[window.second] / reached;
            split.relevant *= reached / reached_[w];
            split.irrelevant *= reused / reused_[w];
            reached_[w] = reached;
            reused_[w] = reused;
        }
        return inside;
    }

   private:
    const Layer& layer_;
    TileSizes tile_;
    std::vector<double> reached_;  ///< positions
    std::vector<double> reused_;   ///< iterations per position
};

}  // namespace

std::vector<Split> split_windows(const Layer& layer, const Operand& operand,
                                 const std::vector<std::vector<ParallelLoop>>& levels) {
    WindowWalk walk(layer);
    std::vector<Split> splits;
    for (const std::vector<ParallelLoop>& loops : levels) {
        Split& split = splits.emplace_back();
        for (const ParallelLoop& loop : loops) {
            if (operand.relevant.has(loop.dimension)) {
                split.relevant *= loop.size;
            } else if (operand.irrelevant.has(loop.dimension)) {
                split.irrelevant *= loop.size;
            } else if (operand.windowed) {
                walk.step(loop, split);
            }
        }
    }
    return splits;
}

}  // namespace tilewright::zigzag
