#include "orders/anneal.hpp"

#include <cmath>

#include "base/random.hpp"
#include "orders/scorer.hpp"

namespace tilewright::orders {
namespace {

void shuffle(zigzag::LoopOrder& order, Random& random) {
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
}

// From an order that does not fit, every step is allowed.
bool accepts(double from, double to, double temperature, Random& random) {
    if (!(to > from)) return true;
    return random.unit() < std::exp((from / to - 1.0) / temperature);
}

}  // namespace

Found anneal(const zigzag::OrderEvaluator& evaluator, const Objective& objective, const Cooling& cooling,
             std::uint64_t seed) {
    const Scorer scorer(evaluator, objective);
    Random random(seed);
    zigzag::LoopOrder order = evaluator.first_order();
    shuffle(order, random);
    double value = scorer.value(order);
    Found found;
    const auto note = [&](double seen) {
        ++found.evaluations;
        if (seen == std::numeric_limits<double>::infinity()) return;
        ++found.fitting;
        if (seen < found.score.value) found.score.value = seen, found.order = order;
    };
    note(value);
    double temperature = cooling.start;
    for (std::int64_t i = 0; i < cooling.iterations && order.size() > 1; ++i, temperature *= cooling.factor) {
        const std::uint64_t a = random.below(order.size());
        std::uint64_t b = random.below(order.size() - 1);
        if (b >= a) ++b;
        std::swap(order[a], order[b]);
        const double neighbour = scorer.value(order);
        note(neighbour);
        if (accepts(value, neighbour, temperature, random))
            value = neighbour;
        else
            std::swap(order[a], order[b]);
    }
    if (!found.order.empty()) found.score = scorer.score(found.order);
    return found;
}

}  // namespace tilewright::orders
