// OrderBound: the least energy that any continuation of a loop order can have, whatever comes outside the loops
// already fixed.
//
// A relaxation of the allocation (allocation.hpp). From the innermost loop outwards, the energy of an order is a sum
// over the boundaries between memory levels (boundaries.hpp). A memory that one operand has for itself takes as
// many loops as fit, as in the allocation; operands that share a memory may divide it as they like, where the
// allocation decides by accesses, as long as none of them could take one loop more. What a continuation can cost then
// depends only on the set of loops inside, the level of each operand, and what is taken of shared memories: a state.
// Least costs of states are kept, so that the bound of an order takes one step for each loop that is added.
//
//     OrderBound bound(evaluator);
//     OrderBound::Front front = bound.start();           // of the empty order
//     front = bound.extended(front, kind);               // one more loop outside
//     if (bound.least_pj(front) >= best) ...             // no order that begins so is better
//
// Not for several threads at once: least costs are remembered as they are asked for.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "zigzag/lean/order_evaluator.hpp"

namespace tilewright::zigzag {

class OrderBound {
   public:
    /// What an order's continuations depend on, and what the order has cost so far.
    struct Label {
        std::uint32_t state = 0;
        double spent_pj = 0.0;
    };
    /// An order may have been allocated in several ways.
    using Front = std::vector<Label>;

    /// Throws InputError(unsupported) when more than `most_states` states are met, or sets of inner loops are too many.
    explicit OrderBound(const OrderEvaluator& evaluator, std::size_t most_states = 1'000'000);
    OrderBound(OrderBound&&) noexcept;
    OrderBound& operator=(OrderBound&&) noexcept;
    ~OrderBound();

    Front start();
    Front extended(const Front& front, int kind);
    /// Infinite when no continuation fits.
    double least_pj(const Front& front);
    bool has_more(const Front& front, int kind) const;
    /// Of all orders.
    double least_pj() { return least_pj(start()); }
    std::size_t states() const;

   private:
    class Search;
    std::unique_ptr<Search> search_;
};

}  // namespace tilewright::zigzag
