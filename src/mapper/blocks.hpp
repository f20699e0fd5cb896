// Cuts a mapspace into blocks for walks: tiling by tiling, each with its orders. Internal to mapper/.
#pragma once

#include <vector>

#include "mapper/chunks.hpp"
#include "mapspace/tilings.hpp"

namespace tilewright {

class Blocks {
   public:
    /// Both have to outlive it.
    Blocks(const Mapspace& mapspace, const LeanEvaluator& evaluator);

    /// The next few thousand mappings; false at the end or if stopped.
    bool deal(std::vector<Block>& blocks, const Interrupt& interrupt);

   private:
    double cut_orders(std::vector<Block>& blocks);
    bool pruned(const TilingPoint& point) const;

    const LeanEvaluator& evaluator_;
    const Mapspace& space_;
    TilingWalk tilings_;
    double keeps_;         ///< choices of kept tensors
    TilingPoint point_;    ///< the current tiling, in its first order not dealt
    double orders_ = 0.0;  ///< not dealt
};

/// Mappings in the space; beyond `limit` (0: none) or when interrupted the count so far.
double count_mappings(const Mapspace& mapspace, double limit, const Interrupt& interrupt);

}  // namespace tilewright
