#include "multicore/search/optimize.hpp"

#include <algorithm>
#include <cmath>

namespace tilewright::multicore {
namespace {

// Runs of one weighted sum.
class WeightedSearch {
   public:
    WeightedSearch(const Evaluator& evaluator, KnownShapes& shapes, const Weights& weights, const StopSource* stop,
                   int longest_run)
        : evaluator_(evaluator), shapes_(shapes), weights_(weights), stop_(stop), longest_run_(longest_run) {}

    Answer search(const std::vector<FoundRun>& known, const TellProgress& tell) {
        Answer answer;
        try {
            make_runs(known);
            for (std::int64_t prefixes = 16; !is_done(); prefixes *= 4) {
                ++answer.rounds;
                round(prefixes, answer, tell);
            }
        } catch (const Stopped&) {
            answer.stopped = true;
        }
        find_paths();
        answer.best = plan();
        answer.bound = complete_ ? before_.back() : 0.0;
        answer.proven = answer.best && answer.bound >= answer.best->value * (1.0 - 1e-9);
        return answer;
    }

    /// All ways that were found, for other weights.
    std::vector<FoundRun> found() const {
        std::vector<FoundRun> all;
        for (const auto& [key, run] : runs_)
            if (run->best()) all.push_back(*run->best());
        return all;
    }

   private:
    int count() const { return evaluator_.problem().count(); }
    double repeats(int last) const { return static_cast<double>(evaluator_.problem().repeats(last)); }

    void make_runs(const std::vector<FoundRun>& known) {
        for (int last = 0; last < count(); ++last)
            for (int first = last; first >= 0 && last - first < longest_run_; --first) {
                if (!evaluator_.problem().may_be_run(first, last)) continue;
                auto run = std::make_unique<RunSearch>(evaluator_, shapes_, weights_, first, last, stop_);
                for (const FoundRun& one : known)
                    if (one.run.first == first && one.run.last == last) {
                        FoundRun same = one;
                        same.value = weights_.of(one.cost.energy.total(), static_cast<double>(one.cost.cycles));
                        run->learn(same);
                    }
                runs_[{first, last}] = std::move(run);
            }
        complete_ = true;
        find_paths();
    }

    // Least values of the einsums before and from each on, by floors; and the best plan that is known.
    void find_paths() {
        before_.assign(count() + 1, kNever);
        after_.assign(count() + 1, kNever);
        known_.assign(count() + 1, kNever);
        from_.assign(count() + 1, -1);
        before_[0] = known_[0] = after_[count()] = 0.0;
        for (int last = 0; last < count(); ++last)
            for (int first = 0; first <= last; ++first) {
                const RunSearch* run = run_of(first, last);
                if (run == nullptr) continue;
                before_[last + 1] = std::min(before_[last + 1], before_[first] + run->bound() * repeats(last));
                if (const double value = known_[first] + run->value() * repeats(last); value < known_[last + 1]) {
                    known_[last + 1] = value;
                    from_[last + 1] = first;
                }
            }
        for (int first = count() - 1; first >= 0; --first)
            for (int last = first; last < count(); ++last)
                if (const RunSearch* run = run_of(first, last))
                    after_[first] = std::min(after_[first], run->bound() * repeats(last) + after_[last + 1]);
    }

    const RunSearch* run_of(int first, int last) const {
        const auto found = runs_.find({first, last});
        return found == runs_.end() ? nullptr : found->second.get();
    }

    bool is_done() const { return before_.back() >= known_.back() * (1.0 - kRounding) || before_.back() == kNever; }

    // Of a path through this run at its floor.
    double through(const RunSearch& run, int first, int last) const {
        return before_[first] + run.bound() * repeats(last) + after_[last + 1];
    }

    void round(std::int64_t prefixes, Answer& answer, const TellProgress& tell) {
        std::vector<std::pair<double, std::pair<int, int>>> order;
        for (const auto& [key, run] : runs_) order.emplace_back(through(*run, key.first, key.second), key);
        std::ranges::sort(order);
        for (const auto& [value, key] : order) {
            throw_if_stopped(stop_);
            RunSearch& run = *runs_.at(key);
            const auto [first, last] = key;
            if (run.is_done() || through(run, first, last) >= known_.back() * (1.0 - kRounding)) continue;
            const double limit = (known_.back() - before_[first] - after_[last + 1]) / repeats(last);
            answer.prefixes += run.round(prefixes, limit);
            find_paths();
            if (!tell) continue;
            if (known_.back() < told_) {
                best_ = plan();
                told_ = known_.back();
            }
            tell(best_ ? &best_->cost : nullptr, known_.back(), before_.back());
        }
    }

    std::optional<FoundPlan> plan() const {
        if (!(known_.back() < kNever)) return std::nullopt;
        FoundPlan found;
        for (int end = count(); end > 0; end = from_[end])
            found.plan.runs.insert(found.plan.runs.begin(), run_of(from_[end], end - 1)->best()->run);
        found.cost = evaluator_.plan(found.plan).cost;
        found.value = weights_.of(found.cost.energy.total(), static_cast<double>(found.cost.cycles));
        return found;
    }

    const Evaluator& evaluator_;
    KnownShapes& shapes_;
    Weights weights_;
    const StopSource* stop_;
    int longest_run_;
    bool complete_ = false;
    std::map<std::pair<int, int>, std::unique_ptr<RunSearch>> runs_;
    std::vector<double> before_{kNever};
    std::vector<double> after_{kNever};
    std::vector<double> known_{kNever};
    std::vector<int> from_;
    std::optional<FoundPlan> best_;  // that was told
    double told_ = kNever;
};

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
    ProductSearch(const Evaluator& evaluator, const StopSource* stop, const TellProgress& tell, int longest_run)
        : evaluator_(evaluator), shapes_(evaluator), stop_(stop), tell_(tell), longest_run_(longest_run) {}

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
        answer_.proven = answer_.best && answer_.bound >= answer_.best->value * (1.0 - 1e-9);
        return answer_;
    }

   private:
    bool is_proven() const { return lowest_corner(lines_).product() >= answer_.best->value * (1.0 - kRounding); }

    void prove(const Weights& weights) {
        WeightedSearch search(evaluator_, shapes_, weights, stop_, longest_run_);
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

    const Evaluator& evaluator_;
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
    if (objective.kind == ObjectiveKind::edp) return ProductSearch(evaluator, stop, tell, longest_run).search();
    const Weights weights = objective.kind == ObjectiveKind::energy ? Weights{1.0, 0.0} : Weights{0.0, 1.0};
    KnownShapes shapes(evaluator);
    return WeightedSearch(evaluator, shapes, weights, stop, longest_run).search({}, tell);
}

}  // namespace tilewright::multicore
