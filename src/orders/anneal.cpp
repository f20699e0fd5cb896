#include "orders/anneal.hpp"

#include <algorithm>
#include <cmath>

#include "base/random.hpp"
#include "orders/scorer.hpp"

namespace tilewright::orders {
namespace {

// A walk over orders that remembers the best one.
class Chain {
   public:
    Chain(const zigzag::OrderEvaluator& evaluator, const Objective& objective, std::uint64_t seed)
        : scorer_(evaluator, objective), random_(seed), order_(evaluator.first_order()) {
        for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[random_.below(i)]);
        before_ = order_;
        value_ = cost();
    }

    bool can_move() const { return order_.size() > 1; }
    bool has_unlike_loops() const {
        return std::any_of(order_.begin(), order_.end(), [&](std::uint8_t kind) { return kind != order_.front(); });
    }

    /// Changes the order by `move(order, random)` and stays there if the new one is accepted.
    template <class Move>
    void step(double temperature, Move move) {
        std::copy(order_.begin(), order_.end(), before_.begin());
        move(order_, random_);
        const double value = cost();
        if (accepts(value, temperature))
            value_ = value;
        else
            std::copy(before_.begin(), before_.end(), order_.begin());
    }

    Found finish() {
        if (!found_.order.empty()) found_.score = scorer_.score(found_.order);
        return std::move(found_);
    }

   private:
    double cost() {
        const double value = scorer_.value(order_);
        ++found_.evaluations;
        if (value == std::numeric_limits<double>::infinity()) return value;
        ++found_.fitting;
        if (value < found_.score.value) found_.score.value = value, found_.order = order_;
        return value;
    }

    // From an order that does not fit, every step is allowed.
    bool accepts(double to, double temperature) {
        if (!(to > value_)) return true;
        return random_.unit() < std::exp((value_ / to - 1.0) / temperature);
    }

    Scorer scorer_;
    Random random_;
    zigzag::LoopOrder order_;
    zigzag::LoopOrder before_;
    double value_ = 0.0;
    Found found_;
};

void swap_any_two(zigzag::LoopOrder& order, Random& random) {
    const std::uint64_t a = random.below(order.size());
    std::uint64_t b = random.below(order.size() - 1);
    if (b >= a) ++b;
    std::swap(order[a], order[b]);
}

void swap_unlike(zigzag::LoopOrder& order, Random& random) {
    std::uint64_t a = 0;
    std::uint64_t b = 0;
    do {
        a = random.below(order.size());
        b = random.below(order.size());
    } while (order[a] == order[b]);
    std::swap(order[a], order[b]);
}

// Two neighbouring runs of equal loops change places.
void swap_runs(zigzag::LoopOrder& order, Random& random) {
    std::uint64_t end = 0;  // of the inner run
    do end = 1 + random.below(order.size() - 1);
    while (order[end - 1] == order[end]);
    std::uint64_t first = end - 1;
    while (first > 0 && order[first - 1] == order[end - 1]) --first;
    std::uint64_t last = end + 1;
    while (last < order.size() && order[last] == order[end]) ++last;
    const auto at = [&](std::uint64_t position) { return order.begin() + static_cast<std::ptrdiff_t>(position); };
    std::rotate(at(first), at(end), at(last));
}

}  // namespace

Found anneal_as_salsa(const zigzag::OrderEvaluator& evaluator, const Objective& objective, const Cooling& cooling,
                      std::int64_t iterations, std::uint64_t seed) {
    Chain chain(evaluator, objective, seed);
    double temperature = cooling.start;
    for (std::int64_t i = 0; i < iterations && chain.can_move(); ++i, temperature *= cooling.factor)
        chain.step(temperature, swap_any_two);
    return chain.finish();
}

Found anneal(const zigzag::OrderEvaluator& evaluator, const Objective& objective, std::int64_t iterations,
             std::uint64_t seed) {
    constexpr double kStart = 0.05;
    constexpr double kEnd = 0.003;
    constexpr double kRuns = 0.1;  // share of the steps that swap runs
    Chain chain(evaluator, objective, seed);
    if (!chain.has_unlike_loops()) return chain.finish();
    const double factor = std::pow(kEnd / kStart, 1.0 / static_cast<double>(iterations));
    double temperature = kStart;
    for (std::int64_t i = 0; i < iterations; ++i, temperature *= factor)
        chain.step(temperature, [](zigzag::LoopOrder& order, Random& random) {
            random.chance(kRuns) ? swap_runs(order, random) : swap_unlike(order, random);
        });
    return chain.finish();
}

}  // namespace tilewright::orders
