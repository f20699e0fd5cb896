// OrderBound: lower bound on the energy of all continuations of a loop order by outer loops.
//
// A relaxation of the allocation (allocation.hpp). From the innermost loop outwards, an order's energy is a sum over
// the boundaries between memory levels (boundaries.hpp). A memory of a single operand takes as many loops as fit, as in
// the allocation; operands sharing a memory may divide it freely, where the allocation decides by accesses, provided
// none could take one more loop. A continuation's cost then depends only on a state: the set of inner loops, the level
// of each operand, and the occupancy of shared memories. State minima are cached: the bound costs one step per added
// loop.
//
//     OrderBound bound(evaluator);
//     OrderBound::Front front = bound.start();           // of the empty order
//     front = bound.extended(front, kind);               // one more loop outside
//     if (bound.least_pj(front) >= best) ...             // no order with this beginning is better
//
// Not thread-safe: minima are cached on demand.
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
    /// State of an order's continuations, and the order's cost so far.
    struct Label {
        std::uint32_t state = 0;
        double spent_pj = 0.0;
    };
    /// An order may have several allocations.
    using Front = std::vector<Label>;

    /// Throws InputError(unsupported) beyond `most_states` states, or with too many sets of inner loops.
    explicit OrderBound(const OrderEvaluator& evaluator, std::size_t most_states = 1'000'000);
    OrderBound(OrderBound&&) noexcept;
    OrderBound& operator=(OrderBound&&) noexcept;
    ~OrderBound();

    Front start();
    Front extended(const Front& front, int kind);
    /// Infinite if no continuation fits.
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
