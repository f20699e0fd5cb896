// Random tiny graphs: no lower bound exceeds the exact optimum, and how far the schedulers are from it.
//
//     property_schedule --graphs 10000 --seed 1
#include <algorithm>
#include <cstdio>
#include <exception>
#include <optional>
#include <stdexcept>
#include <vector>

#include "command_line/command_line.hpp"
#include "schedule/beam.hpp"
#include "schedule/bounds.hpp"
#include "schedule/exact.hpp"
#include "schedule/list_scheduler.hpp"
#include "schedule/ordered.hpp"
#include "schedule/random_problem.hpp"
#include "schedule/regions.hpp"
#include "schedule/static_order.hpp"
#include "schedule/validate.hpp"

namespace {

using namespace tilewright;
using namespace tilewright::schedule;

constexpr LatencyRule kRule = LatencyRule::sum;

struct Best {
    double fixed = 1e300;      // static plans
    double published = 1e300;  // the list scheduler
    double ahead = 1e300;      // the same with look-ahead, where that is better
    double all = 1e300;
};

// Every schedule is judged before it counts.
double value_of(const OperationGraph& graph, const Schedule& schedule) {
    if (!validate(graph.problem, schedule, 1).empty()) throw std::logic_error("a schedule does not hold");
    return score_of({}, schedule).value;
}

Best best_of(const OperationGraph& graph) {
    Best best;
    for (const StaticPlan& plan : static_plans(graph, kRule, Spread::any)) {
        best.fixed = std::min(best.fixed, value_of(graph, run_static(graph, plan, kRule)));
        for (const bool turning : {false, true}) {
            const auto sets = ordered_sets(graph, {plan.order, plan.cores, plan.spread, turning, 0.0});
            best.all = std::min(best.all,
                                value_of(graph, run_in_regions(graph, sets, plan.slots, kRule, Replacement::farthest)));
        }
    }
    for (const auto& flow : data_flows(graph))
        best.published =
            std::min(best.published, value_of(graph, list_schedule(graph, {.rule = kRule, .data_flow = flow})));
    for (const OrderedPlan& plan : ordered_plans(graph, kRule))
        best.all = std::min(best.all, value_of(graph, run_in_order(graph, ordered_sets(graph, plan), kRule, 0.0)));
    const auto ahead = beam_schedule(graph, {kRule, 4, 3}, Cutoff{{}, 1e300, 0});
    best.ahead = std::min(value_of(graph, ahead.value()), best.published);
    best.all = std::min({best.all, best.ahead, best.fixed, best.published});
    return best;
}

double exact_value(const std::vector<ExactPoint>& front) {
    double best = 1e300;
    for (const ExactPoint& point : front)
        best = std::min(best, Objective{}.value(static_cast<double>(point.latency_cycles),
                                                static_cast<double>(point.traffic_bytes)));
    return best;
}

// Whether the bounds of both rules hold; traffic and chains know no rule.
bool bounds_hold(const OperationGraph& graph, const std::vector<ExactPoint>& front) {
    const Bounds sum = bounds_of(graph.problem, LatencyRule::sum);
    const Bounds overlap = bounds_of(graph.problem, LatencyRule::overlap);
    return std::all_of(front.begin(), front.end(), [&](const ExactPoint& point) {
        return sum.traffic_bytes <= point.traffic_bytes && sum.latency_cycles <= point.latency_cycles &&
               overlap.traffic_bytes <= point.traffic_bytes && overlap.latency_cycles <= point.latency_cycles;
    });
}

class Gaps {
   public:
    explicit Gaps(const char* name) : name_(name) {}
    void add(double ratio) { ratios_.push_back(ratio); }
    void print() {
        std::sort(ratios_.begin(), ratios_.end());
        double sum = 0.0;
        for (const double ratio : ratios_) sum += ratio - 1.0;
        const auto optimal = std::count_if(ratios_.begin(), ratios_.end(), [](double r) { return r <= 1.0 + 1e-12; });
        const auto n = ratios_.size();
        std::printf(
            "%-10s %5zu graphs, optimal %5zu, gap mean %.2f %%, median %.2f %%, 90 %% below %.2f %%, most %.2f %%\n",
            name_, n, static_cast<std::size_t>(optimal), 100.0 * sum / static_cast<double>(n),
            100.0 * (ratios_[n / 2] - 1.0), 100.0 * (ratios_[n * 9 / 10] - 1.0), 100.0 * (ratios_.back() - 1.0));
    }

   private:
    const char* name_;
    std::vector<double> ratios_;
};

}  // namespace

int main(int argc, char** argv) try {
    std::int64_t graphs = 1000;
    std::uint64_t seed = 1;
    std::int64_t operations = 8;
    std::int64_t with_gaps = 200;
    CommandLine line("Bounds and schedulers of tiny graphs against the exact solver");
    line.option("--graphs", &graphs, "on which bounds are checked");
    line.option("--seed", &seed, "of the graphs");
    line.option("--operations", &operations, "at most, per graph");
    line.option("--gaps", &with_gaps, "graphs, the first ones, on which schedulers are compared");
    if (const std::optional<int> status = line.parse(argc, argv)) return *status;
    Gaps fixed("static");
    Gaps published("list");
    Gaps ahead("ahead");
    Gaps all("best");
    for (std::int64_t i = 0; i < graphs; ++i) {
        Random random(Random::split(seed, static_cast<std::uint64_t>(i)));
        Problem problem = random_problem(random, operations);
        problem.machine.dma_channels = 1;
        const OperationGraph graph = make_graph(problem);
        const std::vector<ExactPoint> front = exact_front(graph);
        if (!bounds_hold(graph, front))
            throw std::logic_error("graph " + std::to_string(i) + ": a bound exceeds the optimum");
        if (i >= with_gaps) continue;
        const Best best = best_of(graph);
        const double truth = exact_value(front);
        if (best.all < truth) throw std::logic_error("graph " + std::to_string(i) + ": a schedule beats the optimum");
        fixed.add(best.fixed / truth);
        published.add(best.published / truth);
        ahead.add(best.ahead / truth);
        all.add(best.all / truth);
    }
    std::printf("%lld graphs: no bound exceeds the optimum\n", static_cast<long long>(graphs));
    if (with_gaps == 0 || graphs == 0) return 0;
    for (Gaps* one : {&fixed, &published, &ahead, &all}) one->print();
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "property_schedule: %s\n", error.what());
    return 2;
}
