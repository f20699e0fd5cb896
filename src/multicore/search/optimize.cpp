#include "multicore/search/optimize.hpp"

#include <algorithm>

#include "multicore/search/floored_leaves.hpp"
#include "multicore/search/weighted_search.hpp"

namespace tilewright::multicore {
namespace {

// A line in the plane of energies and cycles below which nothing lies.
struct Line {
    Weights weights;
    double bound = 0.0;
};

double product_of(const Cost& cost) { return cost.energy.total() * static_cast<double>(cost.cycles); }

// Where two lines meet, above all others.
struct Corner {
    double energy = kNever;
    double cycles = kNever;

    double product() const { return energy < kNever ? energy * cycles : kNever; }
};

// What lies above all lines is convex: its least product is at a corner.
Corner lowest_corner(const std::vector<Line>& lines) {
    Corner least;
    const auto offer = [&](const Corner& at) {
        if (at.energy < 0.0 || at.cycles < 0.0 || at.product() >= least.product()) return;
        for (const Line& line : lines)
            if (line.weights.of(at.energy, at.cycles) < line.bound * (1.0 - kRounding)) return;
        least = at;
    };
    for (std::size_t i = 0; i < lines.size(); ++i)
        for (std::size_t j = i + 1; j < lines.size(); ++j) {
            const Weights& a = lines[i].weights;
            const Weights& b = lines[j].weights;
            const double det = a.energy * b.cycles - a.cycles * b.energy;
            if (det == 0.0) continue;
            offer({(lines[i].bound * b.cycles - a.cycles * lines[j].bound) / det,
                   (a.energy * lines[j].bound - lines[i].bound * b.energy) / det});
        }
    return least;
}

class ProductSearch {
   public:
    ProductSearch(const Evaluators& evaluators, const StopSource* stop, const TellProgress& tell, int longest_run)
        : evaluators_(evaluators), shapes_(evaluators.exact), stop_(stop), tell_(tell), longest_run_(longest_run) {}

    Answer search() {
        prove({1.0, 0.0});
        prove({0.0, 1.0});
        // The tangent of the hyperbola through the lowest corner cuts it off, or a plan lies there.
        while (answer_.best && !answer_.stopped && !is_proven()) {
            const Corner corner = lowest_corner(lines_);
            prove({corner.cycles, corner.energy});
            const Line& last = lines_.back();
            if (last.weights.of(corner.energy, corner.cycles) >= last.bound * (1.0 - kRounding)) break;
        }
        answer_.bound = std::min(lowest_corner(lines_).product(), answer_.best ? answer_.best->value : kNever);
        if (!(answer_.bound < kNever)) answer_.bound = 0.0;
        answer_.proven = answer_.best && is_proven_by(answer_.bound, answer_.best->value);
        return answer_;
    }

   private:
    bool is_proven() const { return lowest_corner(lines_).product() >= answer_.best->value * (1.0 - kRounding); }

    void prove(const Weights& weights) {
        WeightedSearch search(evaluators_, shapes_, weights, stop_, longest_run_);
        const TellProgress tell = [&](const Cost* best, double, double) {
            if (tell_) tell_(best, best != nullptr ? product_of(*best) : 0.0, 0.0);
        };
        const Answer one = search.search(known_, tell);
        for (FoundRun& run : search.found()) known_.push_back(std::move(run));
        answer_.prefixes += one.prefixes;
        answer_.rounds += one.rounds;
        answer_.stopped = answer_.stopped || one.stopped;
        lines_.push_back({weights, one.bound});
        if (!one.best) return;
        FoundPlan found = *one.best;
        found.value = product_of(found.cost);
        if (!answer_.best || found.value < answer_.best->value) answer_.best = std::move(found);
    }

    Evaluators evaluators_;
    KnownShapes shapes_;
    const StopSource* stop_;
    const TellProgress& tell_;
    int longest_run_;
    Answer answer_;
    std::vector<Line> lines_;
    std::vector<FoundRun> known_;
};

}  // namespace

std::string problem_with_objective(const Objective& objective) {
    switch (objective.kind) {
        case ObjectiveKind::energy:
        case ObjectiveKind::latency:
        case ObjectiveKind::edp: return "";
        default: return "plans on packages are searched for energy, latency or edp";
    }
}

Answer optimize(const Evaluator& evaluator, const Objective& objective, const StopSource* stop,
                const TellProgress& tell, int longest_run) {
    FlooredLeaves floored(evaluator.leaves());
    const Evaluator floors(evaluator.problem(), evaluator.network(), floored);
    TrustedLeaves trusted(evaluator.leaves());
    const Evaluator trusting(evaluator.problem(), evaluator.network(), trusted);
    const Evaluators evaluators{trusting, floors, stop, &evaluator, &trusted};
    if (objective.kind == ObjectiveKind::edp) return ProductSearch(evaluators, stop, tell, longest_run).search();
    const Weights weights = objective.kind == ObjectiveKind::energy ? Weights{1.0, 0.0} : Weights{0.0, 1.0};
    KnownShapes shapes(evaluator);
    return WeightedSearch(evaluators, shapes, weights, stop, longest_run).search({}, tell);
}

}  // namespace tilewright::multicore
