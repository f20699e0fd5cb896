#include "zigzag/orders/anneal.hpp"

#include <algorithm>
#include <cmath>

#include "base/numbers/random.hpp"
#include "mapspace/order_chain.hpp"
#include "zigzag/orders/scorer.hpp"

namespace tilewright::orders {
namespace {

auto chain_of(const Scorer& scorer, std::uint64_t seed) {
    return OrderChain(
        scorer.first_order(), [scorer](std::span<const std::uint8_t> order) { return scorer.value(order); }, seed);
}

template <class Chain>
Found found_by(const Chain& chain, const Scorer& scorer) {
    Found found;
    found.order = chain.best();
    found.evaluations = chain.costed();
    found.fitting = chain.fitting();
    if (!found.order.empty()) found.score = scorer.score(found.order);
    return found;
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

Found anneal_as_salsa(const Scorer& scorer, const Cooling& cooling, std::int64_t iterations, std::uint64_t seed,
                      const Settings& settings) {
    auto chain = chain_of(scorer, seed);
    tilewright::anneal_as_salsa(chain, cooling, iterations, [&] { return settings.ended(); });
    Found found = found_by(chain, scorer);
    found.interrupted = settings.ended();
    return found;
}

Found anneal(const Scorer& scorer, std::int64_t iterations, std::uint64_t seed, const Settings& settings) {
    constexpr double kStart = 0.05;
    constexpr double kEnd = 0.003;
    constexpr std::int64_t kAsk = 64;  // steps between two looks at the clock
    constexpr double kRuns = 0.1;      // share of run swaps among the steps
    auto chain = chain_of(scorer, seed);
    if (!chain.has_unlike_loops()) return found_by(chain, scorer);
    const double factor = std::pow(kEnd / kStart, 1.0 / static_cast<double>(iterations));
    double temperature = kStart;
    bool interrupted = false;
    for (std::int64_t i = 0; i < iterations && !interrupted; ++i, temperature *= factor) {
        chain.step(temperature, [](zigzag::LoopOrder& order, Random& random) {
            random.chance(kRuns) ? swap_runs(order, random) : swap_unlike(order, random);
        });
        interrupted = i % kAsk == 0 && settings.ended();
    }
    Found found = found_by(chain, scorer);
    found.interrupted = interrupted;
    return found;
}

}  // namespace tilewright::orders
