// A random walk over loop orders with memory of the best: the annealing shared by SALSA and ours.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/numbers/random.hpp"

namespace tilewright {

/// `Cost`: value of an order, a std::span<const std::uint8_t>; infinite if it does not fit.
template <class Cost>
class OrderChain {
   public:
    /// Starts from `order`, shuffled.
    OrderChain(std::vector<std::uint8_t> order, Cost cost, std::uint64_t seed)
        : cost_(std::move(cost)), random_(seed), order_(std::move(order)) {
        for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[random_.below(i)]);
        before_ = order_;
        value_ = value();
    }

    bool can_move() const { return order_.size() > 1; }
    bool has_unlike_loops() const {
        return std::any_of(order_.begin(), order_.end(), [&](std::uint8_t kind) { return kind != order_.front(); });
    }

    /// Changes the order by `move(order, random)` and keeps the new one if accepted: always if no worse, a relative
    /// increase d with probability exp(-d / temperature).
    template <class Move>
    void step(double temperature, Move move) {
        std::copy(order_.begin(), order_.end(), before_.begin());
        move(order_, random_);
        const double changed = value();
        if (accepts(changed, temperature))
            value_ = changed;
        else
            std::copy(before_.begin(), before_.end(), order_.begin());
    }

    const std::vector<std::uint8_t>& best() const { return best_; }  ///< empty: none fits
    std::int64_t costed() const { return costed_; }
    std::int64_t fitting() const { return fitting_; }

   private:
    double value() {
        const double value = cost_(std::span<const std::uint8_t>(order_));
        ++costed_;
        if (value == std::numeric_limits<double>::infinity()) return value;
        ++fitting_;
        if (value < best_value_) best_value_ = value, best_ = order_;
        return value;
    }

    // From an order that does not fit, every step is allowed.
    bool accepts(double to, double temperature) {
        if (!(to > value_)) return true;
        return random_.unit() < std::exp((value_ / to - 1.0) / temperature);
    }

    Cost cost_;
    Random random_;
    std::vector<std::uint8_t> order_;
    std::vector<std::uint8_t> before_;
    std::vector<std::uint8_t> best_;
    double value_ = 0.0;
    double best_value_ = std::numeric_limits<double>::infinity();
    std::int64_t costed_ = 0;
    std::int64_t fitting_ = 0;
};

/// SALSA's move. Requires at least two loops.
inline void swap_any_two(std::vector<std::uint8_t>& order, Random& random) {
    const std::uint64_t a = random.below(order.size());
    std::uint64_t b = random.below(order.size() - 1);
    if (b >= a) ++b;
    std::swap(order[a], order[b]);
}

/// SALSA's cooling schedule.
struct Cooling {
    double start = 0.05;    ///< a relative increase accepted once in e times
    double factor = 0.999;  ///< of the temperature, from one iteration to the next; ZigZag's code has 0.995
};

/// SALSA as published, except that the paper's formula exp((V - V') / T) would with energies in pJ never accept
/// anything worse; as in SALSA's code it is exp((V / V' - 1) / T) here. `over()` ends it early. (Jung, Symons, Mei,
/// Verhelst, Benini: SALSA: Simulated Annealing based Loop-Ordering Scheduler for DNN Accelerators, AICAS 2023.)
template <class Cost, class Over>
void anneal_as_salsa(OrderChain<Cost>& chain, const Cooling& cooling, std::int64_t iterations, Over over) {
    double temperature = cooling.start;
    for (std::int64_t i = 0; i < iterations && chain.can_move() && !over(); ++i, temperature *= cooling.factor)
        chain.step(temperature, swap_any_two);
}

}  // namespace tilewright
