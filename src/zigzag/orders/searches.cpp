#include "zigzag/orders/searches.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <variant>

#include "base/numbers/count.hpp"
#include "base/numbers/random.hpp"
#include "mapspace/order_chain.hpp"
#include "zigzag/accounting/nest.hpp"
#include "zigzag/orders/optimal.hpp"
#include "zigzag/orders/scorer.hpp"
#include "zigzag/stalls/stalls.hpp"

namespace tilewright::orders {
namespace {

using Loops = std::vector<zigzag::TemporalLoop>;

// A problem's loops, the middle ones to be ordered.
struct Space {
    const OrderProblem& problem;
    zigzag::OrderEvaluator evaluator;
    zigzag::LoopOrder inner;
    zigzag::LoopOrder outer;

    Scorer scorer(const Objective& objective) const {
        return Scorer(evaluator, objective, problem).within(inner, outer);
    }
    zigzag::LoopOrder first_order() const { return scorer({}).first_order(); }
};

zigzag::LoopOrder kinds_of(const Loops& loops, const zigzag::OrderEvaluator& evaluator) {
    zigzag::LoopOrder order;
    for (const zigzag::TemporalLoop& loop : loops) {
        const auto kind = std::find(evaluator.kinds().begin(), evaluator.kinds().end(), loop);
        order.push_back(static_cast<std::uint8_t>(kind - evaluator.kinds().begin()));
    }
    return order;
}

Space space_of(const OrderProblem& problem, const zigzag::PlacedLoops& loops) {
    Space space{problem,
                {problem.accelerator, problem.layer, problem.fractional, problem.whole, loops.all(), problem.evenness,
                 problem.unrolling},
                {},
                {}};
    space.inner = kinds_of(loops.inner, space.evaluator);
    space.outer = kinds_of(loops.outer, space.evaluator);
    return space;
}

// Empty if there are too many to count.
std::optional<Count> orders_of(const Space& space) {
    try {
        return count_orders(space.first_order());
    } catch (const OverflowError&) {
        return std::nullopt;
    }
}

bool at_most(const std::optional<Count>& orders, std::int64_t limit) {
    return orders && *orders <= static_cast<Count>(limit);
}

// The first order's shortage, if no order fits.
std::string why_none_fits(const Space& space) {
    const OrderProblem& problem = space.problem;
    const Loops loops = space.evaluator.loops_of(space.scorer({}).whole(space.first_order()));
    const auto result =
        zigzag::allocate(problem.accelerator, problem.layer, problem.fractional, loops, problem.evenness);
    if (const auto* shortage = std::get_if<zigzag::Shortage>(&result))
        return zigzag::text_of(*shortage, problem.accelerator, problem.layer);
    if (problem.latency == LatencyModel::zigzag) return "no order fits";
    return stalls::latency(problem.accelerator, problem.layer, problem.unrolling,
                           std::get<zigzag::UnevenMapping>(result))
        .refusal;
}

Answer answer_of(const Space& space, const Found& found, const Objective& objective) {
    const OrderProblem& problem = space.problem;
    Answer answer;
    answer.orders = orders_of(space).value_or(0);
    answer.evaluations = found.evaluations;
    answer.fitting = found.fitting;
    answer.complete = found.complete;
    answer.interrupted = found.interrupted;
    if (found.fitting == 0) {
        answer.failure = found.interrupted ? "interrupted before an order was found" : why_none_fits(space);
        return answer;
    }
    const Scorer scorer = space.scorer(objective);
    answer.order = space.evaluator.loops_of(scorer.whole(found.order));
    const std::optional<zigzag::OrderCost> cost = scorer.cost(found.order);
    if (!cost) throw std::logic_error("the order that was found does not fit");
    answer.cost = *cost;
    answer.mapping = std::get<zigzag::UnevenMapping>(
        zigzag::allocate(problem.accelerator, problem.layer, problem.fractional, answer.order, problem.evenness));
    return answer;
}

Answer enumerate(const Space& space, const Settings& settings) {
    const std::optional<Count> orders = orders_of(space);
    if (!at_most(orders, settings.most_orders)) {
        Answer answer;
        answer.orders = orders.value_or(0);
        answer.failure = "there are " + (orders ? to_text(*orders) : "more than 2^128") +
                         " orders, more than the limit of " + std::to_string(settings.most_orders);
        return answer;
    }
    Answer answer = answer_of(space, search_all(space.scorer(settings.objective), settings), settings.objective);
    answer.engine = "exhaustive";
    return answer;
}

// The better answer, with the effort of both.
Answer better(Answer one, Answer two, const Objective& objective) {
    const auto score = [&](const Answer& answer) {
        return answer.failure.empty() ? objective.score(answer.cost.energy_pj, answer.cost.latency_cycles) : Score{};
    };
    if (score(two) < score(one)) std::swap(one, two);
    one.orders = one.orders == 0 || two.orders == 0 ? 0 : one.orders + two.orders;
    one.evaluations += two.evaluations;
    one.fitting += two.fitting;
    one.complete = one.complete && two.complete;
    one.interrupted = one.interrupted || two.interrupted;
    return one;
}

// No loops to order.
Answer only_order(const Space& space, const Settings& settings) {
    Found found;
    const std::optional<zigzag::OrderCost> cost = space.scorer(settings.objective).cost({});
    found.evaluations = 1;
    found.fitting = cost ? 1 : 0;
    found.complete = true;
    Answer answer = answer_of(space, found, settings.objective);
    answer.engine = "exhaustive";
    return answer;
}

// One search per placement of the file's given loops, each possibly any of several factors.
template <class Search>
Answer over_placements(const OrderProblem& problem, const Loops& free, const Settings& settings, Search search) {
    const std::vector<zigzag::PlacedLoops> all = zigzag::placements(free, problem.given);
    if (all.empty()) {
        Answer none;
        none.failure = "the mapping file orders more loops of a dimension than there are factors of it";
        none.complete = true;
        return none;
    }
    const auto answer = [&](const zigzag::PlacedLoops& loops) {
        const Space space = space_of(problem, loops);
        return space.first_order().empty() ? only_order(space, settings) : search(space);
    };
    Answer best = answer(all.front());
    for (std::size_t i = 1; i < all.size(); ++i) best = better(std::move(best), answer(all[i]), settings.objective);
    return best;
}

// All prime factors not used up by loops of given size.
Loops free_loops(const OrderProblem& problem) {
    return zigzag::free_factors(zigzag::loop_factors(problem.layer, problem.fractional), problem.given);
}

int loops_of_given_size(const zigzag::GivenOrder& given) {
    const auto has_size = [](const zigzag::GivenLoop& loop) { return loop.size.has_value(); };
    return static_cast<int>(std::count_if(given.inner.begin(), given.inner.end(), has_size) +
                            std::count_if(given.outer.begin(), given.outer.end(), has_size));
}

Answer loma(const OrderProblem& problem, const Settings& settings) {
    const Loops factors = free_loops(problem);
    const Loops limited =
        zigzag::limited(factors, std::max(1, settings.lpf_limit - loops_of_given_size(problem.given)));
    Answer answer =
        over_placements(problem, limited, settings, [&](const Space& space) { return enumerate(space, settings); });
    // Orders splitting multiplied factors were not seen.
    answer.complete = answer.complete && limited == factors;
    return answer;
}

Answer exhaustive(const OrderProblem& problem, const Settings& settings) {
    return over_placements(problem, free_loops(problem), settings,
                           [&](const Space& space) { return enumerate(space, settings); });
}

constexpr std::int64_t kSalsaIterations = 1000;
constexpr std::int64_t kAnnealIterations = 20'000;

// Best of several chains, each with its own random stream, or of all orders if fewer: the time per order is the same.
template <class Chain>
Answer best_of_chains(const Space& space, const Settings& settings, std::int64_t iterations, Chain run) {
    if (at_most(orders_of(space), saturating_mul(iterations, settings.chains))) return enumerate(space, settings);
    Found found;
    for (std::int64_t chain = 0; chain < settings.chains && !found.interrupted; ++chain) {
        found.interrupted = settings.ended();
        if (!found.interrupted)
            found.merge(
                run(space.scorer(settings.objective), Random::split(settings.seed, static_cast<std::uint64_t>(chain))));
    }
    Answer answer = answer_of(space, found, settings.objective);
    answer.engine = "annealing";
    return answer;
}

Answer salsa(const OrderProblem& problem, const Settings& settings) {
    const std::int64_t iterations = settings.iterations.value_or(kSalsaIterations);
    return over_placements(problem, free_loops(problem), settings, [&](const Space& space) {
        return best_of_chains(space, settings, iterations, [&](const Scorer& scorer, std::uint64_t seed) {
            return anneal_as_salsa(scorer, settings.cooling, iterations, seed, settings);
        });
    });
}

Answer annealed(const Space& space, const Settings& settings) {
    const std::int64_t iterations = settings.iterations.value_or(kAnnealIterations);
    return best_of_chains(space, settings, iterations, [&](const Scorer& scorer, std::uint64_t seed) {
        return anneal(scorer, iterations, seed, settings);
    });
}

Answer annealed(const OrderProblem& problem, const Settings& settings) {
    return over_placements(problem, free_loops(problem), settings,
                           [&](const Space& space) { return annealed(space, settings); });
}

// Latency is not a sum over boundaries: other objectives cost all orders. If the proof needs too much memory, annealing
// stands in.
Answer proven(const Space& space, const Settings& settings) {
    if (settings.objective.kind != ObjectiveKind::energy) return enumerate(space, settings);
    const std::optional<Found> found = search_best_energy(space.scorer(settings.objective), settings);
    if (!found) return annealed(space, settings);
    Answer answer = answer_of(space, *found, settings.objective);
    answer.engine = "branch and bound";
    return answer;
}

Answer optimal(const OrderProblem& problem, const Settings& settings) {
    return over_placements(problem, free_loops(problem), settings,
                           [&](const Space& space) { return proven(space, settings); });
}

template <Answer (*kSearch)(const OrderProblem&, const Settings&)>
Answer timed(const OrderProblem& problem, const Settings& settings) {
    const auto begin = std::chrono::steady_clock::now();
    Answer answer;
    answer.failure = zigzag::why_nothing_fits(problem.accelerator, problem.layer, problem.fractional);
    answer.complete = !answer.failure.empty();
    if (answer.failure.empty()) answer = kSearch(problem, settings);
    answer.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return answer;
}

}  // namespace

const std::vector<Search>& searches() {
    static const std::vector<Search> kAll{
        {"loma", "all orders of a limited number of prime factors", timed<loma>},
        {"salsa", "annealing over the orders of all prime factors, or all of them where they are few", timed<salsa>},
        {"anneal", "annealing that goes on longer, takes larger steps and cools down to the end", timed<annealed>},
        {"exhaustive", "all orders of all prime factors", timed<exhaustive>},
        {"optimal", "the least energy of all orders, proven without costing them all", timed<optimal>},
    };
    return kAll;
}

const Search* find_search(std::string_view name) {
    const auto found =
        std::find_if(searches().begin(), searches().end(), [&](const Search& s) { return s.name == name; });
    return found == searches().end() ? nullptr : &*found;
}

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
