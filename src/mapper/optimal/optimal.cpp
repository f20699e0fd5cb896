#include "mapper/optimal/optimal.hpp"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <span>
#include <utility>

#include "mapper/chunks.hpp"
#include "mapper/front.hpp"
#include "mapper/optimal/assignments.hpp"
#include "mapper/optimal/bound.hpp"
#include "mapper/optimal/families.hpp"
#include "mapper/optimal/imperfect/search.hpp"
#include "mapper/optimal/keeps.hpp"
#include "mapper/optimal/lattice.hpp"
#include "mapper/optimal/loose_bound.hpp"
#include "mapper/optimal/perfect/charges.hpp"
#include "mapper/optimal/perfect/labels.hpp"
#include "mapper/optimal/stages.hpp"
#include "mapper/optimal/sweep.hpp"
#include "mapper/optimal/tile_table.hpp"
#include "mapper/strategies/hybrid.hpp"
#include "mapping/validity.hpp"
#include "model/model.hpp"

namespace tilewright {

using optimal::Assignment;
using optimal::Charges;
using optimal::ImperfectCharges;
using optimal::KeepBounds;
using optimal::Labels;
using optimal::Lattice;
using optimal::LayoutChoice;
using optimal::Nesting;
using optimal::Stages;

namespace {

// Sums in another order differ in the last bits: what comes so close to the incumbent is taken for equal.
constexpr double kClose = 1.0 - 1e-12;

/// The best so far. What a batch of assignments is measured against: the same for all of them, whoever is first.
struct Incumbent {
    Score score;
    std::vector<FrontPoint> front;  ///< of a Pareto search
};

/// What a mapping that is still open costs at least.
struct Bound {
    double energy_pj = 0.0;  ///< with leakage
    double cycles = 0.0;     ///< with the latency of links
};

class Judge {
   public:
    explicit Judge(const Objective& objective) : objective_(objective) {}

    Score score(const Bound& bound) const { return objective_.score(bound.energy_pj, bound.cycles); }

    /// Nothing that costs at least `bound` is better than the incumbent.
    bool pruned(const Bound& bound, const Incumbent& incumbent) const {
        if (objective_.kind == ObjectiveKind::pareto)
            return std::any_of(incumbent.front.begin(), incumbent.front.end(), [&](const FrontPoint& point) {
                return point.cost.energy_pj * kClose <= bound.energy_pj &&
                       static_cast<double>(point.cost.cycles) <= bound.cycles;
            });
        const Score least = score(bound);
        if (least.value < incumbent.score.value * kClose) return false;
        return least.value * kClose > incumbent.score.value || least.tie >= incumbent.score.tie * kClose;
    }

    /// Energy from which everything that takes at least so many cycles is pruned, with room for rounding; infinite
    /// where nobody knows.
    double limit_pj(double cycles, const Incumbent& incumbent) const {
        constexpr double kRoom = 1.0 + 1e-9;
        const Score& best = incumbent.score;
        if (objective_.kind == ObjectiveKind::energy) return best.value * kRoom;
        if (objective_.kind == ObjectiveKind::edp) return best.value / cycles * kRoom;
        if (objective_.kind == ObjectiveKind::latency && cycles >= best.value) return best.tie * kRoom;
        return std::numeric_limits<double>::infinity();
    }

   private:
    Objective objective_;
};

double steps_of(const PerfectPoint& point) {
    double steps = 1.0;
    for (int l = 0; l < point.level_count(); ++l)
        for (int d = 0; d < point.dimension_count(); ++d) steps *= point[l].temporal[d];
    return steps;
}

/// What came of one assignment.
struct Outcome {
    std::vector<Nesting> nests;
    std::vector<LeanCost> costs;  ///< of each
    Score open;                   ///< of what was not followed to its end: no better than this
    bool finished = true;
    bool unsettled = false;  ///< has to be followed further, when the best so far may be better
};

class Search {
   public:
    Search(const Mapspace& mapspace, const LeanEvaluator& evaluator, const Objective& objective, const Budget& budget,
           const ProgressCallback& progress, bool uneven)
        : uneven_(uneven),
          mapspace_(mapspace),
          evaluator_(evaluator),
          objective_(objective),
          budget_(budget),
          progress_(progress),
          judge_(objective),
          setup_(evaluator.einsum(), evaluator.architecture()),
          keeps_(mapspace),
          begin_(std::chrono::steady_clock::now()),
          interrupt_(budget.stop, deadline()),
          completion_bounds_([this] { return optimal::ImperfectCompletionBound(mapspace_, setup_); }) {}

    SearchResult run(std::int64_t warm_up);

   private:
    /// Where nothing leaves remainders, the tensors to keep are chosen when it is solved.
    struct Task {
        Assignment assignment;
        Bound bound;  ///< of all its mappings
        Score score;
        std::size_t family = 0;     ///< where nothing leaves remainders
        std::size_t looked_at = 0;  ///< of a family: so many of its choices, the ones that promise most
        bool is_choice = false;     ///< of kept tensors, too
        std::vector<int> points{};  ///< of what is left of the family: those that deal the factors out alike; none: all
    };
    /// A family and its kept tensors, or all choices of them: the least bound comes first.
    struct Later {
        bool operator()(const Task& a, const Task& b) const {
            return a.score < b.score ? false : b.score < a.score ? true : a.family > b.family;
        }
    };

    const lean::Setup& wireless() const { return without_wires_ ? *without_wires_ : setup_; }
    Deadline deadline() const {
        if (!budget_.time) return std::nullopt;
        return begin_ + std::chrono::duration_cast<std::chrono::steady_clock::duration>(*budget_.time);
    }
    Bound bound_of(double leak_pj_per_cycle, double energy_pj, double cycles) const;
    Bound bound_of(const Charges& charges, double energy_pj, double cycles) const {
        return bound_of(charges.leak_pj_per_cycle(), energy_pj, cycles);
    }
    Bound least_of(const Assignment& assignment) const;
    void warm_up(Budget budget);
    void warm_up_evenly(Budget budget);
    void list_tasks();
    void list_families();
    void forget_wires();
    void list_imperfect_tasks();
    double least_steps_of(const PerfectPoint& spatial) const;
    double least_outermost_pj() const;
    SearchResult run_loosely();
    template <class Solve>
    void in_batches(std::span<const std::size_t> tasks, Solve solve);
    Outcome solve(const Task& task, Incumbent incumbent) const;
    void solve_families();
    void mark_best();
    std::vector<Task> best_tasks(std::size_t count);
    void work_on(std::span<const Task> batch);
    void spread_out(std::span<const Task> tasks);
    std::optional<std::vector<Task>> choices_of(const Task& family) const;
    std::vector<Task> members_of(const Task& choice) const;
    bool is_wide(const Task& choice) const;
    bool may_be_better_without_wires(const PerfectPoint& assignment, const Incumbent& incumbent) const;
    bool is_far(const Bound& bound, const Incumbent& incumbent) const;
    // Where nothing is to be chosen, following an assignment takes less time than such a bound.
    bool is_coupled() const { return !keeps_.are_fixed(); }
    std::optional<Bound> look_at(const Charges& charges, optimal::TileTable& tiles) const;
    void solve(const PerfectPoint& assignment, Incumbent& incumbent, Outcome& outcome) const;
    bool follow(const std::vector<Nesting>& nests, double least_cycles, Incumbent& incumbent, Outcome& outcome) const;
    LeanCost cost_of(const Nesting& nest) const;
    enum class Depth {
        dive,     ///< look for good nests only
        quick,    ///< leave what takes long
        thorough  ///< to the end
    };
    Outcome solve_imperfect(const Task& task, Incumbent incumbent, Depth depth) const;
    void take(const Outcome& outcome, std::size_t task);
    void offer(const PerfectPoint& point, const LeanCost& cost, const std::optional<Mapping>& uneven = {});
    void tell(std::size_t next);
    void solve_all();
    bool is_far_from_bound() const;
    bool nothing_better_is_open() const;
    SearchResult finish();

    bool uneven_;
    const Mapspace& mapspace_;
    const LeanEvaluator& evaluator_;
    Objective objective_;
    const Budget& budget_;
    const ProgressCallback& progress_;
    Judge judge_;
    lean::Setup setup_;
    std::unique_ptr<lean::Setup> without_wires_;  ///< where some cost energy
    std::optional<optimal::Families> families_;
    std::vector<std::optional<optimal::Spread>> spreads_;  ///< of families, when it is known
    std::vector<Task> choices_;                            ///< of families, a heap
    std::size_t next_ = 0;                                 ///< task whose choices come next
    optimal::Keeps keeps_;
    std::unique_ptr<optimal::KeepCosts> keep_costs_;  ///< where nothing leaves remainders, as if wires were free
    std::chrono::steady_clock::time_point begin_;
    Interrupt interrupt_;
    std::vector<Task> tasks_;             ///< by bound
    bool listed_ = false;                 ///< all of them are there
    std::vector<std::size_t> unsettled_;  ///< tasks
    Incumbent incumbent_;
    bool is_throttled_ = false;  ///< the best so far
    Front front_;
    SearchResult result_;
    Score open_;
    bool improved_ = false;
    mutable tbb::enumerable_thread_specific<optimal::ImperfectCompletionBound> completion_bounds_;
};

Bound Search::bound_of(double leak_pj_per_cycle, double energy_pj, double cycles) const {
    const double whole = std::ceil(cycles * kClose);
    return {energy_pj + leak_pj_per_cycle * whole, whole + static_cast<double>(setup_.link_latency_cycles)};
}

void Search::warm_up(Budget budget) {
    const SearchResult found = HybridMapper().search(mapspace_, evaluator_, objective_, budget, {});
    result_.statistics = found.statistics;
    if (found.best) offer(*found.best, found.cost);
    for (const FrontPoint& point : found.front) offer(point.point, point.cost);
    if (mapspace_.has_remainders()) warm_up_evenly(budget);
}

// The best mapping without remainders is quickly proven, and often close.
void Search::warm_up_evenly(Budget budget) {
    const Mapspace even = mapspace_.without_remainders();
    if (!even.problem().empty()) return;
    if (budget.time) *budget.time /= 4.0;
    const SearchResult found = OptimalMapper().search(even, evaluator_, objective_, budget, {});
    if (found.best) offer(*found.best, found.cost);
    for (const FrontPoint& point : found.front) offer(point.point, point.cost);
}

void Search::offer(const PerfectPoint& point, const LeanCost& cost, const std::optional<Mapping>& uneven) {
    if (objective_.kind == ObjectiveKind::pareto && !front_.offer(point, cost, 0, uneven)) return;
    const Score score = objective_.score(cost.energy_pj, cost.cycles);
    if (result_.best && !(score < result_.score)) return;
    result_.best = point;
    result_.uneven = uneven;
    result_.cost = cost;
    result_.score = score;
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin_;
    if (objective_.kind != ObjectiveKind::pareto)
        result_.improvements.push_back({result_.statistics.evaluations, elapsed.count(), cost, score});
    improved_ = true;
}

// Of an assignment that may leave remainders.
Bound Search::least_of(const Assignment& assignment) const {
    const ImperfectCharges charges(mapspace_, setup_, assignment.point(mapspace_), LayoutChoice::any);
    const Bound quick = bound_of(charges.least_leak_pj_per_cycle(), charges.least_pj(), charges.least_cycles());
    if (judge_.pruned(quick, incumbent_)) return quick;
    optimal::ImperfectCompletionBound& completion_bound = completion_bounds_.local();
    completion_bound.look_at(charges);
    const double all_pj = completion_bound.all_pj(judge_.limit_pj(quick.cycles, incumbent_));
    return bound_of(charges.least_leak_pj_per_cycle(), std::max(charges.least_pj(), all_pj), charges.least_cycles());
}

void Search::list_tasks() {
    incumbent_ = {result_.best ? result_.score : Score{}, front_.points()};
    if (mapspace_.has_remainders()) {
        list_imperfect_tasks();
    } else {
        list_families();
    }
    std::stable_sort(tasks_.begin(), tasks_.end(), [](const Task& a, const Task& b) { return a.score < b.score; });
}

void Search::forget_wires() {
    if (!setup_.links_cost) return;
    Architecture wireless = evaluator_.architecture();
    for (Memory& memory : wireless.memories) {
        memory.link = {};
        memory.update_link.reset();
    }
    without_wires_ = std::make_unique<lean::Setup>(evaluator_.einsum(), wireless);
}

void Search::list_families() {
    forget_wires();
    keep_costs_ = std::make_unique<optimal::KeepCosts>(wireless(), keeps_);
    families_.emplace(mapspace_, setup_, [this] { return interrupt_.requested(); });
    listed_ = families_->are_all();
    for (std::size_t i = 0; i < families_->count(); ++i) {
        PerfectPoint combined = families_->combined(i);
        const KeepBounds bounds(*keep_costs_, combined);
        const Bound bound = bound_of(bounds.leak_pj_per_cycle(), bounds.least_pj(), bounds.least_cycles());
        // Tiles of the only choice of the only member are looked at when it is followed.
        const bool is_choice = keeps_.are_fixed() && families_->members(i).size() == 1;
        if (is_choice) keeps_.choose_first(combined);
        tasks_.push_back({Assignment(combined), bound, judge_.score(bound), i, 0, is_choice});
    }
}

// Those that may be better than what is known. There may be millions of others: each bound is dearer than the one
// before it, and looks at fewer.
void Search::list_imperfect_tasks() {
    const double outermost_pj = least_outermost_pj();
    const auto expand = [&](const PerfectPoint& spatial) {
        if (interrupt_.requested()) return false;
        if (judge_.pruned(bound_of(0.0, outermost_pj, least_steps_of(spatial)), incumbent_)) return true;
        const KeepBounds bounds(mapspace_, setup_, keeps_, spatial);
        const auto pruned = [&](double energy_pj) {
            return judge_.pruned(bound_of(bounds.leak_pj_per_cycle(), energy_pj, bounds.least_cycles()), incumbent_);
        };
        if (pruned(bounds.least_pj())) return true;
        bounds.visit(pruned, [&](const PerfectPoint& point, double) {
            if (interrupt_.requested()) return;
            Assignment assignment(point);
            const Bound bound = least_of(assignment);
            if (!judge_.pruned(bound, incumbent_))
                tasks_.push_back({std::move(assignment), bound, judge_.score(bound)});
        });
        return !interrupt_.requested();
    };
    listed_ = mapspace_.enumerate_spatial(expand, [this] { return interrupt_.requested(); });
}

// Steps of any nest: every dimension is dealt out once.
double Search::least_steps_of(const PerfectPoint& spatial) const {
    double steps = 1.0;
    for (int d = 0; d < spatial.dimension_count(); ++d) {
        double spread = 1.0;
        for (int l = 0; l < spatial.level_count(); ++l) spread *= spatial[l].spatial[d];
        steps *= std::ceil(setup_.extents[d] / spread);
    }
    return steps;
}

// Energy of the computation and of every word that has to pass the outermost memory, whatever is spread.
double Search::least_outermost_pj() const {
    double energy = setup_.compute_energy_pj;
    const MemoryRates& rates = setup_.levels.front().rates;
    for (std::size_t t = 0; t < setup_.tensors.size(); ++t) {
        if (!mapspace_.kept_tensors(0).has(static_cast<int>(t))) continue;
        const lean::TensorForm& form = setup_.tensors[t];
        energy += optimal::distinct_at_least(form, setup_.extents) / setup_.levels.front().rows[t].words *
                  (form.written ? rates.update_pj : rates.read_pj);
    }
    return energy;
}

// The next choices of kept tensors, those first that promise most if no tile is looked at; and what is left of the
// family. Nothing when somebody asked to stop. However the factors are dealt out within the family.
std::optional<std::vector<Search::Task>> Search::choices_of(const Task& family) const {
    constexpr std::size_t kFirst = 8;
    if (family.looked_at == 0 && !families_->has_members(family.family)) return std::vector<Task>();
    const PerfectPoint spatial = family.assignment.point(mapspace_);
    const KeepBounds bounds(*keep_costs_, spatial);
    const auto bound = [&](double energy_pj) {
        return bound_of(bounds.leak_pj_per_cycle(), energy_pj, bounds.least_cycles());
    };
    const auto pruned = [&](double energy_pj) { return judge_.pruned(bound(energy_pj), incumbent_); };
    std::vector<std::pair<double, optimal::KeptTensors>> all;
    bounds.visit(pruned, [&](const PerfectPoint& point, double energy_pj) {
        all.emplace_back(energy_pj, optimal::kept_tensors(point));
    });
    std::ranges::stable_sort(all, {}, &std::pair<double, optimal::KeptTensors>::first);
    const std::size_t begin = std::min(all.size(), family.looked_at);
    const std::size_t end = std::min(all.size(), begin + std::max(kFirst, begin));
    std::vector<Task> choices;
    std::optional<Charges> first;  // tiles are the same whatever is kept
    std::optional<Lattice> lattice;
    std::optional<optimal::TileTable> tiles;
    for (std::size_t i = begin; i < end; ++i) {
        if (interrupt_.requested()) return std::nullopt;
        PerfectPoint point = spatial;
        optimal::keep(point, all[i].second);
        const Charges charges(wireless(), point);
        if (!first) {
            first.emplace(charges);
            lattice.emplace(first->rest(), first->dimension_count());
            tiles.emplace(mapspace_, *first, *lattice);
        }
        tiles->look_at(charges);
        if (const auto found = look_at(charges, *tiles))
            choices.push_back({Assignment(point), *found, judge_.score(*found), family.family, 0, true});
    }
    if (end < all.size()) {
        Task& rest = choices.emplace_back(family);
        rest.looked_at = end;
        rest.bound = bound(all[end].first);
        rest.score = std::max(family.score, judge_.score(rest.bound));
    }
    return choices;
}

// Nothing when it is out of reach.
std::optional<Bound> Search::look_at(const Charges& charges, optimal::TileTable& tiles) const {
    const double least_cycles = optimal::compulsory_cycles(charges);
    const auto pruned = [&](double energy_pj) {
        return judge_.pruned(bound_of(charges, energy_pj, least_cycles), incumbent_);
    };
    const Stages stages = uneven_ ? Stages::uneven(charges) : Stages::even(charges);
    const optimal::CompletionBound completion(mapspace_, tiles, stages, pruned, is_coupled());
    const double least_pj = optimal::operands_pj(charges) + completion.pj(0, 0);
    if (std::isinf(least_pj) || pruned(least_pj)) return std::nullopt;
    return bound_of(charges, least_pj, least_cycles);
}

// All these members of the family with these kept tensors. Each mapping found is the mark for the rest of this task,
// but not for others: they run at the same time.
Outcome Search::solve(const Task& task, Incumbent incumbent) const {
    Outcome outcome;
    const PerfectPoint combined = task.assignment.point(mapspace_);
    const optimal::Spread& spread = *spreads_[task.family];
    if (!spread.all) outcome.open = task.score;
    const std::size_t count = task.points.empty() ? spread.points.size() : task.points.size();
    if (count > 1 && is_coupled()) {
        PerfectPoint first = combined;
        if (!task.points.empty()) first = spread.points[static_cast<std::size_t>(task.points.front())];
        for (int l = 0; l < first.level_count(); ++l) first[l].keep = combined[l].keep;
        if (!may_be_better_without_wires(first, incumbent)) return outcome;
    }
    for (std::size_t i = 0; i < count; ++i) {
        PerfectPoint point = spread.points[task.points.empty() ? i : static_cast<std::size_t>(task.points[i])];
        for (int l = 0; l < point.level_count(); ++l) point[l].keep = combined[l].keep;
        if (interrupt_.requested()) outcome.finished = false;
        if (!outcome.finished) break;
        solve(point, incumbent, outcome);
    }
    if (!outcome.finished) outcome.open = std::min(outcome.open, task.score);
    return outcome;
}

// Layouts that differ in wires only have the same nests: where none of them would be better if wires were free, no
// layout is followed.
bool Search::may_be_better_without_wires(const PerfectPoint& assignment, const Incumbent& incumbent) const {
    const Charges charges(wireless(), assignment);
    const double least_cycles = optimal::compulsory_cycles(charges);
    const auto pruned = [&](double energy_pj, double cycles) {
        return judge_.pruned(bound_of(charges, energy_pj, std::max(cycles, least_cycles)), incumbent);
    };
    const Lattice lattice(charges.rest(), charges.dimension_count());
    const Stages stages = uneven_ ? Stages::uneven(charges) : Stages::even(charges);
    const optimal::TileTable tiles(mapspace_, charges, lattice);
    const optimal::CompletionBound completion(
        mapspace_, tiles, stages, [&](double energy_pj) { return pruned(energy_pj, least_cycles); }, is_coupled());
    const double least_pj = optimal::operands_pj(charges) + completion.pj(0, 0);
    if (std::isinf(least_pj) || pruned(least_pj, least_cycles)) return false;
    for (const bool timed : {false, true}) {
        if (timed && objective_.kind == ObjectiveKind::energy) break;
        Labels labels(mapspace_, tiles, stages, timed, [this] { return interrupt_.requested(); });
        if (labels.run(pruned, completion).empty() && !labels.stopped()) return false;
    }
    return true;
}

// The best so far is so much worse than what may be that labels would not be pruned.
bool Search::is_far(const Bound& bound, const Incumbent& incumbent) const {
    constexpr double kFar = 0.98;
    return objective_.kind != ObjectiveKind::pareto && judge_.score(bound).value < kFar * incumbent.score.value;
}

// Energy alone first: where no memory throttles the frugal nest, it is best in every respect. Else cycles have to be
// told apart.
void Search::solve(const PerfectPoint& assignment, Incumbent& incumbent, Outcome& outcome) const {
    const auto interrupted = [this] { return interrupt_.requested(); };
    const Charges charges(setup_, assignment);
    const double least_cycles = optimal::compulsory_cycles(charges);
    const auto pruned = [&](double energy_pj, double cycles) {
        return judge_.pruned(bound_of(charges, energy_pj, std::max(cycles, least_cycles)), incumbent);
    };
    const Lattice lattice(charges.rest(), charges.dimension_count());
    const Stages stages = uneven_ ? Stages::uneven(charges) : Stages::even(charges);
    const optimal::TileTable tiles(mapspace_, charges, lattice);
    const optimal::CompletionBound completion(
        mapspace_, tiles, stages, [&](double energy_pj) { return pruned(energy_pj, least_cycles); }, is_coupled());
    const double least_pj = optimal::operands_pj(charges) + completion.pj(0, 0);
    if (std::isinf(least_pj) || pruned(least_pj, least_cycles)) return;
    if (!keeps_.are_fixed() && is_far(bound_of(charges, least_pj, least_cycles), incumbent)) {
        constexpr std::size_t kWidth = 4;
        Labels labels(mapspace_, tiles, stages, false, interrupted, kWidth);
        follow(labels.run(pruned, completion), least_cycles, incumbent, outcome);
    }
    for (const bool timed : {false, true}) {
        Labels labels(mapspace_, tiles, stages, timed, interrupted);
        const std::vector<Nesting> nests = labels.run(pruned, completion);
        outcome.finished = !labels.stopped();
        const bool throttled = follow(nests, least_cycles, incumbent, outcome);
        if (!timed && throttled && outcome.finished) continue;
        // Where the sums are only bounds, something better may hide behind what was dominated.
        for (const Nesting& nest : nests)
            if (!charges.exact())
                outcome.open = std::min(outcome.open, judge_.score(bound_of(charges, nest.energy_pj, nest.cycles)));
        break;
    }
}

LeanCost Search::cost_of(const Nesting& nest) const {
    if (!nest.uneven) return evaluator_.evaluate(nest.point);
    LeanCost cost;
    const Einsum& einsum = evaluator_.einsum();
    if (const auto violations = check(einsum, evaluator_.architecture(), *nest.uneven); !violations.empty()) {
        cost.violation = violations.front().kind;
        return cost;
    }
    const Evaluation evaluation = evaluate(einsum, evaluator_.architecture(), *nest.uneven);
    cost.energy_pj = evaluation.energy_pj;
    cost.cycles = evaluation.cycles;
    return cost;
}

// Each mapping found is the mark for the rest of this assignment, but not for others: they run at the same time.
Outcome Search::solve_imperfect(const Task& task, Incumbent incumbent, Depth depth) const {
    Outcome outcome;
    const ImperfectCharges charges(mapspace_, setup_, task.assignment.point(mapspace_), LayoutChoice::any);
    const auto bound = [&](double energy_pj, double cycles) {
        return bound_of(charges.least_leak_pj_per_cycle(), energy_pj, cycles);
    };
    optimal::ImperfectHooks hooks;
    hooks.mark.pruned = [&](double energy_pj, double cycles) {
        return judge_.pruned(bound(energy_pj, cycles), incumbent);
    };
    hooks.mark.limit_pj = [&](double cycles) { return judge_.limit_pj(bound(0.0, cycles).cycles, incumbent); };
    hooks.time_matters = objective_.kind != ObjectiveKind::energy || setup_.leaks;
    hooks.is_throttled = is_throttled_;
    hooks.found = [&](const PerfectPoint& point, const LeanCost& cost) {
        outcome.nests.push_back({point, {}, cost.energy_pj, static_cast<double>(cost.cycles)});
        outcome.costs.push_back(cost);
        if (!cost.valid()) return;
        incumbent.score = std::min(incumbent.score, objective_.score(cost.energy_pj, cost.cycles));
        if (objective_.kind == ObjectiveKind::pareto) incumbent.front.push_back({point, cost});
    };
    hooks.open = [&](double energy_pj, double cycles) {
        outcome.open = std::min(outcome.open, judge_.score(bound(energy_pj, cycles)));
    };
    hooks.stop = [this] { return interrupt_.requested(); };
    if (depth == Depth::dive) {
        optimal::dive_imperfect(mapspace_, charges, completion_bounds_.local(), evaluator_, hooks);
        return outcome;
    }
    if (depth == Depth::quick) hooks.later = [&outcome] { outcome.unsettled = true; };
    outcome.finished = optimal::follow_imperfect(mapspace_, charges, completion_bounds_.local(), evaluator_, hooks);
    if (!outcome.finished) outcome.open = std::min(outcome.open, task.score);
    return outcome;
}

// True when some nest takes longer than any of the assignment has to.
bool Search::follow(const std::vector<Nesting>& nests, double least_cycles, Incumbent& incumbent,
                    Outcome& outcome) const {
    bool throttled = false;
    for (const Nesting& nest : nests) {
        const LeanCost cost = cost_of(nest);
        outcome.nests.push_back(nest);
        outcome.costs.push_back(cost);
        throttled = throttled ||
                    static_cast<double>(cost.cycles - setup_.link_latency_cycles) > std::ceil(least_cycles * kClose);
        if (!cost.valid()) continue;
        incumbent.score = std::min(incumbent.score, objective_.score(cost.energy_pj, cost.cycles));
        if (objective_.kind == ObjectiveKind::pareto) incumbent.front.push_back({nest.point, cost, 0, nest.uneven});
    }
    return throttled;
}

void Search::take(const Outcome& outcome, std::size_t task) {
    for (std::size_t i = 0; i < outcome.nests.size(); ++i) {
        ++result_.statistics.sampled;
        ++result_.statistics.evaluations;
        if (!outcome.costs[i].valid()) continue;
        ++result_.statistics.valid;
        offer(outcome.nests[i].point, outcome.costs[i], outcome.nests[i].uneven);
    }
    open_ = std::min(open_, outcome.open);
    if (outcome.unsettled) unsettled_.push_back(task);
    ++result_.statistics.chunks;
}

void Search::tell(std::size_t next) {
    if (!progress_) return;
    Progress progress;
    progress.statistics = result_.statistics;
    progress.best = result_.cost;
    progress.score = result_.score;
    progress.improved = improved_;
    double remaining = next < tasks_.size() ? tasks_[next].score.value : std::numeric_limits<double>::infinity();
    if (!choices_.empty()) remaining = std::min(remaining, choices_.front().score.value);
    if (!unsettled_.empty()) remaining = std::min(remaining, tasks_[unsettled_.front()].score.value);
    progress.lower_bound = std::min({remaining, open_.value, result_.score.value});
    progress_(progress);
    improved_ = false;
}

// In the order of their bounds, the best of all batches before being the mark. Batches are small at first, while it
// gets better quickly; the same whatever the number of threads. What is not reached stays open.
template <class Solve>
void Search::in_batches(std::span<const std::size_t> tasks, Solve solve) {
    constexpr std::size_t kLargest = 64;
    const bool ordered = objective_.kind != ObjectiveKind::pareto;
    std::size_t next = 0;
    while (next < tasks.size() && !interrupt_.requested()) {
        incumbent_ = {result_.best ? result_.score : Score{}, front_.points()};
        // If one is pruned, so are all that follow.
        if (ordered && judge_.pruned(tasks_[tasks[next]].bound, incumbent_)) return;
        is_throttled_ = result_.best && static_cast<double>(result_.cost.cycles) > steps_of(*result_.best);
        const std::size_t size = next == 0 ? 1 : std::min(kLargest, next / 4 + 2);  // the first is often the best
        const std::size_t end = std::min(tasks.size(), next + size);
        std::vector<Outcome> outcomes(end - next);
        tbb::parallel_for(next, end, [&](std::size_t i) {
            const Task& task = tasks_[tasks[i]];
            if (!judge_.pruned(task.bound, incumbent_)) outcomes[i - next] = solve(task);
        });
        for (std::size_t i = next; i < end; ++i) take(outcomes[i - next], tasks[i]);
        next = end;
        tell(next < tasks.size() ? tasks[next] : tasks_.size());
    }
    if (next < tasks.size()) open_ = std::min(open_, tasks_[tasks[next]].score);
}

// Best first: families, their choices of kept tensors by a bound that looks at no tile and then by a dearer one that
// does, members of families that share words in other ways, and what is left of those is followed. So the dearer a
// bound is, the fewer are looked at. The same whatever the number of threads. What is not reached stays open.
void Search::solve_families() {
    spreads_.resize(families_->count());
    constexpr std::size_t kLargest = 64;
    for (std::size_t round = 0; !interrupt_.requested(); ++round) {
        const std::vector<Task> batch = best_tasks(std::min(kLargest, round / 4 + 1));
        if (batch.empty()) return;
        work_on(batch);
        tell(next_);
    }
    if (next_ < tasks_.size()) open_ = std::min(open_, tasks_[next_].score);
    if (!choices_.empty()) open_ = std::min(open_, choices_.front().score);
}

void Search::mark_best() { incumbent_ = {result_.best ? result_.score : Score{}, front_.points()}; }

// So many of those that promise most and may be better than the best so far.
std::vector<Search::Task> Search::best_tasks(std::size_t count) {
    mark_best();
    std::vector<Task> best;
    while (best.size() < count && (next_ < tasks_.size() || !choices_.empty())) {
        const bool is_new = choices_.empty() || (next_ < tasks_.size() && Later()(choices_.front(), tasks_[next_]));
        const Task& task = is_new ? tasks_[next_] : choices_.front();
        if (!judge_.pruned(task.bound, incumbent_)) {
            best.push_back(task);
        } else if (objective_.kind != ObjectiveKind::pareto) {
            next_ = tasks_.size();  // so are all that follow
            choices_.clear();
            break;
        }
        if (is_new) {
            ++next_;
        } else {
            std::ranges::pop_heap(choices_, Later());
            choices_.pop_back();
        }
    }
    return best;
}

// Takes each a step further.
void Search::work_on(std::span<const Task> batch) {
    spread_out(batch);
    std::vector<std::optional<std::vector<Task>>> found(batch.size(), std::vector<Task>());
    std::vector<std::optional<Outcome>> outcomes(batch.size());
    tbb::parallel_for(std::size_t{0}, batch.size(), [&](std::size_t i) {
        if (!batch[i].is_choice) {
            found[i] = choices_of(batch[i]);
        } else if (is_wide(batch[i])) {
            found[i] = members_of(batch[i]);
        } else {
            outcomes[i] = solve(batch[i], incumbent_);
        }
    });
    for (std::size_t i = 0; i < batch.size(); ++i) {
        if (!found[i]) open_ = std::min(open_, batch[i].score);
        if (outcomes[i]) take(*outcomes[i], batch[i].family);
        for (Task& task : found[i].value_or(std::vector<Task>())) {
            choices_.push_back(std::move(task));
            std::ranges::push_heap(choices_, Later());
        }
    }
}

// Members may differ in more than wires: where two dimensions of one rank are spread, which fan-out shares out which
// decides which neighbours share words. Where nothing is to be chosen, following them takes less time than bounds.
bool Search::is_wide(const Task& choice) const {
    if (!choice.points.empty() || keeps_.are_fixed() || spreads_[choice.family]->points.size() < 2) return false;
    const Charges charges(wireless(), choice.assignment.point(mapspace_));
    for (int t = 0; t < charges.tensor_count(); ++t)
        for (int l = 0; l < charges.level_count(); ++l)
            if (charges.is_dynamic(t, l)) return true;
    return false;
}

// Each way to deal the factors out is bounded by itself: those of a choice that may be better than the best so far,
// whatever wires cost.
std::vector<Search::Task> Search::members_of(const Task& choice) const {
    const PerfectPoint combined = choice.assignment.point(mapspace_);
    const std::vector<PerfectPoint>& points = spreads_[choice.family]->points;
    std::map<std::vector<std::int32_t>, std::vector<int>> alike;
    for (std::size_t i = 0; i < points.size(); ++i) {
        std::vector<std::int32_t> factors;
        for (int l = 0; l < combined.level_count(); ++l)
            factors.insert(factors.end(), points[i][l].spatial.begin(),
                           points[i][l].spatial.begin() + combined.dimension_count());
        alike[std::move(factors)].push_back(static_cast<int>(i));
    }
    std::vector<Task> members;
    for (auto& [factors, numbers] : alike) {
        members.push_back(choice);
        Task& member = members.back();
        member.points = std::move(numbers);
        PerfectPoint point = points[static_cast<std::size_t>(member.points.front())];
        for (int l = 0; l < point.level_count(); ++l) point[l].keep = combined[l].keep;
        const Charges charges(wireless(), point);
        const Lattice lattice(charges.rest(), charges.dimension_count());
        optimal::TileTable tiles(mapspace_, charges, lattice);
        if (const auto bound = look_at(charges, tiles)) {
            member.bound = *bound;
            member.score = std::max(choice.score, judge_.score(*bound));
        } else {
            members.pop_back();
        }
    }
    return members;
}

// Finds the layouts of their families.
void Search::spread_out(std::span<const Task> tasks) {
    std::vector<std::size_t> families;
    for (const Task& task : tasks)
        if (task.is_choice && !spreads_[task.family]) families.push_back(task.family);
    std::ranges::sort(families);
    families.erase(std::ranges::unique(families).begin(), families.end());
    tbb::parallel_for(std::size_t{0}, families.size(), [&](std::size_t i) {
        spreads_[families[i]] = optimal::spread_of(mapspace_, setup_, families_->members(families[i]), !uneven_);
    });
}

// So much worse than what may be that labels would not be pruned.
bool Search::is_far_from_bound() const {
    constexpr double kFar = 0.9;
    if (objective_.kind == ObjectiveKind::pareto || tasks_.empty()) return false;
    return !result_.best || tasks_.front().score.value < kFar * result_.score.value;
}

// With spatial remainders some assignments take long: they come last, when the best is known better. Where that is far
// off, those that promise most are looked at for good nests first.
void Search::solve_all() {
    if (!mapspace_.has_remainders()) {
        solve_families();
        return;
    }
    std::vector<std::size_t> all(tasks_.size());
    std::iota(all.begin(), all.end(), 0U);
    constexpr std::size_t kDives = 2;
    const auto solve = [this](Depth depth) {
        return [this, depth](const Task& task) { return solve_imperfect(task, incumbent_, depth); };
    };
    if (is_far_from_bound()) in_batches(std::span(all).first(std::min(kDives, all.size())), solve(Depth::dive));
    in_batches(all, solve(Depth::quick));
    const std::vector<std::size_t> unsettled = std::exchange(unsettled_, {});
    in_batches(unsettled, solve(Depth::thorough));
}

// Of the fastest mappings the one of least energy is claimed, of a front every point. For other objectives a tie is
// only decided among what was followed to its end.
bool Search::nothing_better_is_open() const {
    if (objective_.kind == ObjectiveKind::pareto) return std::isinf(open_.value);
    if (open_.value < result_.score.value * kClose) return false;
    return objective_.kind != ObjectiveKind::latency || open_.value > result_.score.value ||
           open_.tie >= result_.score.tie * kClose;
}

SearchResult Search::finish() {
    if (result_.best && listed_) result_.lower_bound = std::min(result_.score.value, open_.value);
    result_.front = front_.take();
    result_.statistics.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    const bool proven = result_.best && nothing_better_is_open();
    if (interrupt_.interrupted()) {
        result_.stopped = StopReason::interrupted;
    } else if (interrupt_.timed_out()) {
        result_.stopped = StopReason::time;
    } else if (!result_.best) {
        result_.stopped = mapspace_.has_temporal_remainders() ? StopReason::fruitless : StopReason::exhausted;
    } else {
        result_.stopped = proven ? StopReason::proven : StopReason::bounded;
    }
    return std::move(result_);
}

// Where temporal factors leave remainders, tiles may have any size: no assignment is followed. `hybrid` searches until
// it is content, and the bound says what is left.
SearchResult Search::run_loosely() {
    Budget budget = budget_;
    if (budget.victory == 0 && !budget.evaluations) budget.victory = HybridMapper().default_victory();
    warm_up(budget);
    listed_ = optimal::visit_assignments(mapspace_, [this](const PerfectPoint& assignment) {
        const optimal::LooseBound bound = optimal::loose_bound(setup_, assignment);
        open_ = std::min(open_, judge_.score({bound.energy_pj, bound.cycles}));
        return !interrupt_.requested();
    });
    return finish();
}

SearchResult Search::run(std::int64_t warm_up_evaluations) {
    if (mapspace_.has_temporal_remainders()) return run_loosely();
    if (warm_up_evaluations > 0) {
        // Where legal mappings are rarer, the proof finds them sooner, or sees that there are none.
        constexpr std::int64_t kFruitless = 50'000;
        Budget budget = budget_;
        budget.evaluations = warm_up_evaluations;
        budget.fruitless = std::min(budget.fruitless, kFruitless);
        warm_up(budget);
    }
    list_tasks();
    const int threads = budget_.threads > 0 ? budget_.threads : tbb::info::default_concurrency();
    const tbb::global_control allow(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(std::max(threads, tbb::info::default_concurrency())));
    tbb::task_arena arena(threads);
    arena.execute([this] { solve_all(); });
    return finish();
}

}  // namespace

// Of ResNet-50, machines of the zoo have up to 6,400 assignments a layer, and every layer is proven in seconds; or most
// layers have far more.
bool OptimalMapper::is_quick(const Mapspace& mapspace) {
    constexpr int kMany = 10'000;
    if (!mapspace.has_remainders()) return true;
    if (mapspace.has_temporal_remainders()) return false;
    int count = 0;
    return optimal::visit_assignments(mapspace, [&count](const PerfectPoint&) { return ++count < kMany; });
}

SearchResult OptimalMapper::search(const Mapspace& mapspace, const LeanEvaluator& evaluator, const Objective& objective,
                                   const Budget& budget, const ProgressCallback& progress) const {
    if (!mapspace.problem().empty()) {
        SearchResult nothing;
        nothing.stopped = StopReason::empty_mapspace;
        return nothing;
    }
    return Search(mapspace, evaluator, objective, budget, progress, options_.uneven).run(options_.warm_up);
}

}  // namespace tilewright
