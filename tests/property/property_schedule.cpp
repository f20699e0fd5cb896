// Random tiny graphs: no lower bound exceeds the exact optimum, and how far the schedulers are from it.
//
//     property_schedule --graphs 10000 --seed 1
#include <algorithm>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <vector>

#include "fixtures/schedule_problem.hpp"
#include "harness.hpp"
#include "oracle/schedules.hpp"
#include "schedule/problem/bounds.hpp"
#include "schedule/schedulers/beam.hpp"
#include "schedule/schedulers/list_scheduler.hpp"
#include "schedule/schedulers/ordered.hpp"
#include "schedule/schedulers/regions.hpp"
#include "schedule/schedulers/static_order.hpp"
#include "schedule/validation/validate.hpp"

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
    for (const StaticPlan& plan : static_plans(graph, kRule, {Spread::any})) {
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

/// The schedulers' distances from the optimum.
struct Schedulers {
    Gaps fixed{"static"};
    Gaps published{"list"};
    Gaps ahead{"ahead"};
    Gaps all{"best"};
    std::uint64_t bounded = 0;   ///< graphs whose bounds were held to the optimum
    std::uint64_t compared = 0;  ///< graphs on which the schedulers were run

    void print() {
        std::printf("%llu graphs: bounds were held to the optimum\n", static_cast<unsigned long long>(bounded));
        if (compared == 0) return;
        for (Gaps* one : {&fixed, &published, &ahead, &all}) one->print();
    }
};

int failure(std::uint64_t number, const char* what) {
    std::printf("graph %llu: %s\n", static_cast<unsigned long long>(number), what);
    return 1;
}

// How many failures it is: 0 or 1.
int check(const property::Harness& harness, std::uint64_t number, std::uint64_t with_gaps, Schedulers& schedulers) {
    Random random(harness.seed_of(number));
    Problem problem = random_problem(random, harness.cases().operations);
    problem.machine.dma_channels = 1;
    const OperationGraph graph = make_graph(problem);
    const std::vector<ExactPoint> front = exact_front(graph);
    if (!bounds_hold(graph, front)) return failure(number, "a bound exceeds the optimum");
    ++schedulers.bounded;
    if (number >= with_gaps) return 0;
    const Best best = best_of(graph);
    const double truth = exact_value(front);
    if (best.all < truth) return failure(number, "a schedule beats the optimum");
    ++schedulers.compared;
    schedulers.fixed.add(best.fixed / truth);
    schedulers.published.add(best.published / truth);
    schedulers.ahead.add(best.ahead / truth);
    schedulers.all.add(best.all / truth);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    std::uint64_t with_gaps = 200;
    Schedulers schedulers;
    property::Harness harness("property_schedule", "Bounds and schedulers of tiny graphs against the exact solver",
                              {.kind = "graphs", .count = 1000, .operations = 8});
    harness.line.option("--gaps", &with_gaps, "schedulers are compared on the graphs with lower numbers");
    harness.least("bounded", "graphs whose bounds were held to the optimum", &schedulers.bounded);
    harness.least("compared", "graphs on which schedulers were compared", &schedulers.compared);
    if (const std::optional<int> status = harness.parse(argc, argv)) return *status;
    return harness.run([&](std::uint64_t number) { return check(harness, number, with_gaps, schedulers); },
                       [&] { schedulers.print(); });
}
