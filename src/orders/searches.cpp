#include "orders/searches.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <variant>

#include "account/zigzag/loop_factors.hpp"
#include "base/orderings.hpp"
#include "base/random.hpp"
#include "orders/anneal.hpp"
#include "orders/exhaustive.hpp"
#include "orders/optimal.hpp"
#include "stalls/stalls.hpp"

namespace tilewright::orders {
namespace {

using Loops = std::vector<zigzag::TemporalLoop>;

zigzag::OrderEvaluator evaluator_of(const Problem& problem, const Loops& loops) {
    return {problem.accelerator, problem.layer, problem.fractional, problem.whole, loops, problem.evenness};
}

// Nothing when they are too many to count.
std::optional<Count> orders_of(const zigzag::OrderEvaluator& evaluator) {
    try {
        return count_orders(evaluator.first_order());
    } catch (const OverflowError&) {
        return std::nullopt;
    }
}

bool at_most(const std::optional<Count>& orders, std::int64_t limit) {
    return orders && *orders <= static_cast<Count>(limit);
}

// What the first order lacks, where no order fits.
std::string why_none_fits(const Problem& problem, const zigzag::OrderEvaluator& evaluator) {
    const Loops loops = evaluator.loops_of(evaluator.first_order());
    const auto result =
        zigzag::allocate(problem.accelerator, problem.layer, problem.fractional, loops, problem.evenness);
    if (const auto* shortage = std::get_if<zigzag::Shortage>(&result))
        return zigzag::text_of(*shortage, problem.accelerator, problem.layer);
    if (problem.latency == LatencyModel::zigzag) return "no order fits";
    return stalls::latency(problem.accelerator, problem.layer, problem.unrolling,
                           std::get<zigzag::UnevenMapping>(result))
        .refusal;
}

Answer answer_of(const Problem& problem, const zigzag::OrderEvaluator& evaluator, const Found& found,
                 const Objective& objective) {
    Answer answer;
    answer.orders = orders_of(evaluator).value_or(0);
    answer.evaluations = found.evaluations;
    answer.fitting = found.fitting;
    answer.complete = found.complete;
    answer.interrupted = found.interrupted;
    if (found.order.empty()) {
        answer.failure =
            found.interrupted ? "interrupted before an order was found" : why_none_fits(problem, evaluator);
        return answer;
    }
    answer.order = evaluator.loops_of(found.order);
    const std::optional<zigzag::OrderCost> cost = Scorer(evaluator, objective, problem).cost(found.order);
    if (!cost) throw std::logic_error("the order that was found does not fit");
    answer.cost = *cost;
    answer.mapping = std::get<zigzag::UnevenMapping>(
        zigzag::allocate(problem.accelerator, problem.layer, problem.fractional, answer.order, problem.evenness));
    return answer;
}

Answer enumerate(const Problem& problem, const zigzag::OrderEvaluator& evaluator, const Settings& settings) {
    const std::optional<Count> orders = orders_of(evaluator);
    if (!at_most(orders, settings.most_orders)) {
        Answer answer;
        answer.orders = orders.value_or(0);
        answer.failure = "there are " + (orders ? to_text(*orders) : "more than 2^128") +
                         " orders, more than the limit of " + std::to_string(settings.most_orders);
        return answer;
    }
    Answer answer = answer_of(problem, evaluator, search_all({evaluator, settings.objective, problem}, settings),
                              settings.objective);
    answer.engine = "exhaustive";
    return answer;
}

Answer loma(const Problem& problem, const Settings& settings) {
    const Loops factors = zigzag::loop_factors(problem.layer, problem.fractional);
    const Loops limited = zigzag::limited(factors, settings.lpf_limit);
    Answer answer = enumerate(problem, evaluator_of(problem, limited), settings);
    // Of factors that were multiplied, orders with others between them were not seen.
    answer.complete = answer.complete && limited == factors;
    return answer;
}

Answer exhaustive(const Problem& problem, const Settings& settings) {
    return enumerate(problem, evaluator_of(problem, zigzag::loop_factors(problem.layer, problem.fractional)), settings);
}

constexpr std::int64_t kSalsaIterations = 1000;
constexpr std::int64_t kAnnealIterations = 20'000;

// The best of several chains, each with its own stream of random numbers, or of all orders where they are fewer:
// costing an order takes equally long either way.
template <class Chain>
Answer best_of_chains(const Problem& problem, const Settings& settings, std::int64_t iterations, Chain run) {
    const zigzag::OrderEvaluator evaluator =
        evaluator_of(problem, zigzag::loop_factors(problem.layer, problem.fractional));
    if (at_most(orders_of(evaluator), saturating_mul(iterations, settings.chains)))
        return enumerate(problem, evaluator, settings);
    Found found;
    for (std::int64_t chain = 0; chain < settings.chains && !found.interrupted; ++chain) {
        found.interrupted = settings.ended();
        if (!found.interrupted)
            found.merge(run(evaluator, Random::split(settings.seed, static_cast<std::uint64_t>(chain))));
    }
    Answer answer = answer_of(problem, evaluator, found, settings.objective);
    answer.engine = "annealing";
    return answer;
}

Answer salsa(const Problem& problem, const Settings& settings) {
    const std::int64_t iterations = settings.iterations.value_or(kSalsaIterations);
    return best_of_chains(problem, settings, iterations, [&](const auto& evaluator, std::uint64_t seed) {
        return anneal_as_salsa({evaluator, settings.objective, problem}, settings.cooling, iterations, seed, settings);
    });
}

Answer annealed(const Problem& problem, const Settings& settings) {
    const std::int64_t iterations = settings.iterations.value_or(kAnnealIterations);
    return best_of_chains(problem, settings, iterations, [&](const auto& evaluator, std::uint64_t seed) {
        return anneal({evaluator, settings.objective, problem}, iterations, seed, settings);
    });
}

// Latency is not a sum over boundaries: for objectives with it all orders are costed. Where the proof needs too much
// memory, annealing stands in.
Answer optimal(const Problem& problem, const Settings& settings) {
    const zigzag::OrderEvaluator evaluator =
        evaluator_of(problem, zigzag::loop_factors(problem.layer, problem.fractional));
    if (settings.objective.kind != ObjectiveKind::energy) return enumerate(problem, evaluator, settings);
    const std::optional<Found> found = search_best_energy({evaluator, settings.objective, problem}, settings);
    if (!found) return annealed(problem, settings);
    Answer answer = answer_of(problem, evaluator, *found, settings.objective);
    answer.engine = "branch and bound";
    return answer;
}

template <Answer (*search)(const Problem&, const Settings&)>
Answer timed(const Problem& problem, const Settings& settings) {
    const auto begin = std::chrono::steady_clock::now();
    Answer answer;
    answer.failure = zigzag::why_nothing_fits(problem.accelerator, problem.layer, problem.fractional);
    answer.complete = !answer.failure.empty();
    if (answer.failure.empty()) answer = search(problem, settings);
    answer.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return answer;
}

}  // namespace

const std::vector<Search>& searches() {
    static const std::vector<Search> all{
        {"loma", "all orders of a limited number of prime factors", timed<loma>},
        {"salsa", "annealing over the orders of all prime factors, or all of them where they are few", timed<salsa>},
        {"anneal", "annealing that goes on longer, takes larger steps and cools down to the end", timed<annealed>},
        {"exhaustive", "all orders of all prime factors", timed<exhaustive>},
        {"optimal", "the least energy of all orders, proven without costing them all", timed<optimal>},
    };
    return all;
}

const Search* find_search(std::string_view name) {
    const auto found =
        std::find_if(searches().begin(), searches().end(), [&](const Search& s) { return s.name == name; });
    return found == searches().end() ? nullptr : &*found;
}

}  // namespace tilewright::orders
