// Cuts a mapspace into blocks for the searches that walk it: tiling after tiling, each with its orders. Internal to
// mapper/.
#pragma once

#include <vector>

#include "mapper/chunks.hpp"
#include "mapspace/tilings.hpp"

namespace tilewright {

class Blocks {
   public:
    /// Both have to outlive it.
    Blocks(const Mapspace& mapspace, const LeanEvaluator& evaluator);

    /// The next few thousand mappings; false when there are no more, or a stop was requested.
    bool deal(std::vector<Block>& blocks, const Interrupt& interrupt);

   private:
    double cut_orders(std::vector<Block>& blocks);
    bool pruned(const TilingPoint& point) const;

    const LeanEvaluator& evaluator_;
    const Mapspace& space_;
    TilingWalk tilings_;
    double keeps_;         ///< ways to keep tensors
    TilingPoint point_;    ///< the tiling at hand, in the first order that is not dealt yet
    double orders_ = 0.0;  ///< of it that are not dealt yet
};

/// Mappings in the whole space; stops counting beyond `limit` (0: never) or when `interrupt` asks, and returns what it
/// has by then.
double count_mappings(const Mapspace& mapspace, double limit, const Interrupt& interrupt);

}  // namespace tilewright
