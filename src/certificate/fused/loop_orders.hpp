// Orders of the loops around a tile, told apart by what they make of the traffic: which loops that do not move an
// operand stand outside all of those that do.
//
// Memos; not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "workload/einsum.hpp"

namespace tilewright::certificate::fused_proof {

/// By operand: the loops, as bits, for each of whose steps its tile comes again.
using LoopOrder = std::array<std::uint32_t, kMaxTensors>;

class LoopOrders {
   public:
    /// `moves`: by loop, the operands that it moves. `held`: operands that do not come by these loops.
    LoopOrders(std::vector<std::uint32_t> moves, std::uint32_t held, int operands);

    /// Every order of the loops in `loops` makes the traffic of one of these.
    const std::vector<LoopOrder>& all(std::uint32_t loops) { return of(loops).all; }
    /// As far as operands that are not held go, no order lets them come less often than one of these.
    const std::vector<LoopOrder>& best(std::uint32_t loops) { return of(loops).best; }

   private:
    struct Known {
        std::vector<LoopOrder> all;
        std::vector<LoopOrder> best;
    };
    const Known& of(std::uint32_t loops);
    LoopOrder order_of(const std::vector<unsigned>& outermost_first) const;
    bool is_no_worse(const LoopOrder& a, const LoopOrder& b) const;

    std::vector<std::uint32_t> moves_;
    std::uint32_t held_;
    int operands_;
    std::unordered_map<std::uint32_t, Known> known_;
};

}  // namespace tilewright::certificate::fused_proof
