#include "mapper/optimal/family_search.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

namespace tilewright::optimal {

FamilySearch::FamilySearch(const Question& question, Answer& answer)
    : question_(question), answer_(answer), keeps_(question.mapspace), follower_(question, !keeps_.are_fixed()) {}

void FamilySearch::relax_wires() {
    if (!question_.setup.links_cost) return;
    Architecture wireless = question_.evaluator.architecture();
    for (Memory& memory : wireless.memories) {
        memory.link = {};
        memory.update_link.reset();
    }
    without_wires_ = std::make_unique<lean::Setup>(question_.evaluator.einsum(), wireless, question_.setup.prices);
}

bool FamilySearch::list() {
    relax_wires();
    keep_costs_ = std::make_unique<KeepCosts>(wireless(), keeps_);
    families_.emplace(question_.mapspace, question_.setup, [this] { return question_.stop(); });
    for (std::size_t i = 0; i < families_->count(); ++i) {
        if (question_.stop()) return false;
        TilingPoint combined = families_->combined(i);
        const KeepBounds bounds(*keep_costs_, combined);
        const Bound bound = question_.bound_of(bounds.leak_pj_per_cycle(), bounds.least_pj(), bounds.least_cycles());
        // A single choice of a single member gets its tile bounds when followed.
        const bool is_choice = keeps_.are_fixed() && families_->has_members(i) && !families_->has_more_than(1, i);
        if (is_choice) keeps_.choose_first(combined);
        tasks_.push_back({Assignment(combined), bound, question_.judge.score(bound), i, 0, is_choice});
    }
    std::stable_sort(tasks_.begin(), tasks_.end(), [](const Task& a, const Task& b) { return a.score < b.score; });
    return families_->are_all();
}

void FamilySearch::run() {
    spreads_.resize(families_->count());
    constexpr std::size_t kLargest = 64;
    for (std::size_t round = 0; !question_.stop() && steps_ <= question_.most_steps; ++round) {
        const std::vector<Task> batch = best_tasks(std::min(kLargest, round / 4 + 1));
        if (batch.empty()) return;
        work_on(batch);
        if (std::has_single_bit(round + 1)) search_narrowly();
        answer_.tell(remaining());
    }
    if (next_ < tasks_.size()) answer_.leave_open(tasks_[next_].score);
    if (!choices_.empty()) answer_.leave_open(choices_.front().score);
}

// A narrow label setting of one choice ahead of its turn: a good mapping cuts most bounds short. Takes the most
// promising choice with kept tensors not searched yet, as equal kept tensors share their obstacles.
void FamilySearch::search_narrowly() {
    const Task* best = nullptr;
    for (const Task& task : choices_)
        if (task.is_choice && (best == nullptr || LargerBound()(*best, task)) &&
            !searched_early_.contains(kept_tensors(task.assignment.point(question_.mapspace))))
            best = &task;
    Incumbent incumbent = answer_.incumbent();
    if (best == nullptr || question_.judge.pruned(best->bound, incumbent)) return;
    const TilingPoint combined = best->assignment.point(question_.mapspace);
    searched_early_.insert(kept_tensors(combined));
    spread_out({best, 1});
    if (spreads_[best->family]->points.empty()) return;
    Outcome outcome;
    follower_.follow(member(*best, 0, combined), incumbent, outcome, Nests::some);
    steps_ += outcome.steps;
    answer_.take(outcome);
}

// The member of the choice's family, with its kept tensors.
TilingPoint FamilySearch::member(const Task& choice, std::size_t number, const TilingPoint& combined) const {
    const std::size_t at = choice.points.empty() ? number : static_cast<std::size_t>(choice.points[number]);
    TilingPoint point = spreads_[choice.family]->points[at];
    for (int l = 0; l < point.level_count(); ++l) point[l].keep = combined[l].keep;
    return point;
}

double FamilySearch::remaining() const {
    double least = std::numeric_limits<double>::infinity();
    if (next_ < tasks_.size()) least = tasks_[next_].score.value;
    if (!choices_.empty()) least = std::min(least, choices_.front().score.value);
    return least;
}

// The `count` most promising tasks with a bound below the best mapping.
std::vector<FamilySearch::Task> FamilySearch::best_tasks(std::size_t count) {
    incumbent_ = answer_.incumbent();
    std::vector<Task> best;
    while (best.size() < count && (next_ < tasks_.size() || !choices_.empty())) {
        const bool is_new =
            choices_.empty() || (next_ < tasks_.size() && LargerBound()(choices_.front(), tasks_[next_]));
        const Task& task = is_new ? tasks_[next_] : choices_.front();
        if (!question_.judge.pruned(task.bound, incumbent_)) {
            best.push_back(task);
        } else if (question_.objective.kind != ObjectiveKind::pareto) {
            next_ = tasks_.size();  // all later tasks, too
            choices_.clear();
            break;
        }
        if (is_new) {
            ++next_;
        } else {
            std::ranges::pop_heap(choices_, LargerBound());
            choices_.pop_back();
        }
    }
    return best;
}

void FamilySearch::work_on(std::span<const Task> batch) {
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
        if (!found[i]) answer_.leave_open(batch[i].score);
        if (outcomes[i]) steps_ += outcomes[i]->steps;
        if (outcomes[i]) answer_.take(*outcomes[i]);
        for (Task& task : found[i].value_or(std::vector<Task>())) {
            choices_.push_back(std::move(task));
            std::ranges::push_heap(choices_, LargerBound());
        }
    }
}

void FamilySearch::spread_out(std::span<const Task> tasks) {
    std::vector<std::size_t> families;
    for (const Task& task : tasks)
        if (task.is_choice && !spreads_[task.family]) families.push_back(task.family);
    std::ranges::sort(families);
    families.erase(std::ranges::unique(families).begin(), families.end());
    std::vector<std::int64_t> steps(families.size());
    tbb::parallel_for(std::size_t{0}, families.size(), [&](std::size_t i) {
        constexpr std::int64_t kMost = 50'000'000;  // a second or two
        Effort effort(std::min(kMost, question_.most_steps), [this] { return question_.stop(); });
        spreads_[families[i]] = spread_of(question_.mapspace, question_.setup, *families_, families[i],
                                          !question_.uneven, links_.local(), effort);
        steps[i] = effort.spent();
    });
    steps_ += std::reduce(steps.begin(), steps.end());
}

// The next choices of kept tensors, most promising first by a bound without tiles, and the rest of the family. Nothing
// if stopped. Holds for every distribution of the factors within the family.
std::optional<std::vector<FamilySearch::Task>> FamilySearch::choices_of(const Task& family) const {
    constexpr std::size_t kFirst = 8;
    if (family.looked_at == 0 && !families_->has_members(family.family)) return std::vector<Task>();
    const TilingPoint spatial = family.assignment.point(question_.mapspace);
    const KeepBounds bounds(*keep_costs_, spatial);
    const auto bound = [&](double energy_pj) {
        return question_.bound_of(bounds.leak_pj_per_cycle(), energy_pj, bounds.least_cycles());
    };
    const auto pruned = [&](double energy_pj) {
        return question_.stop() || question_.judge.pruned(bound(energy_pj), incumbent_);
    };
    std::vector<std::pair<double, KeptTensors>> all;
    bounds.visit(pruned,
                 [&](const TilingPoint& point, double energy_pj) { all.emplace_back(energy_pj, kept_tensors(point)); });
    if (question_.stop()) return std::nullopt;  // the list may be incomplete
    std::ranges::stable_sort(all, {}, &std::pair<double, KeptTensors>::first);
    const std::size_t begin = std::min(all.size(), family.looked_at);
    const std::size_t end = std::min(all.size(), begin + std::max(kFirst, begin));
    std::vector<Task> choices;
    if (begin == end) return choices;
    TilingPoint point = spatial;
    keeps_.choose_first(point);
    Charges charges(wireless(), point);
    const Lattice lattice(charges.rest(), charges.dimension_count());
    TileTable tiles(question_.mapspace, charges, lattice);  // for all kept tensors
    for (std::size_t i = begin; i < end; ++i) {
        if (question_.stop()) return std::nullopt;
        keep(point, all[i].second);
        charges.keep_as_in(point);
        if (const auto found = follower_.look_at(charges, tiles, incumbent_))
            choices.push_back({Assignment(point), *found, question_.judge.score(*found), family.family, 0, true});
    }
    if (question_.stop()) return std::nullopt;
    if (end < all.size()) {
        Task& rest = choices.emplace_back(family);
        rest.looked_at = end;
        rest.bound = bound(all[end].first);
        rest.score = std::max(family.score, question_.judge.score(rest.bound));
    }
    return choices;
}

// Members differ in more than wires if two dimensions of one rank are spread: sharing depends on the fan-out of each
// dimension. A single choice is followed faster than bounded.
bool FamilySearch::is_wide(const Task& choice) const {
    if (!choice.points.empty() || keeps_.are_fixed() || spreads_[choice.family]->points.size() < 2) return false;
    const Charges charges(wireless(), choice.assignment.point(question_.mapspace));
    for (int t = 0; t < charges.tensor_count(); ++t)
        for (int l = 0; l < charges.level_count(); ++l)
            if (charges.is_dynamic(t, l)) return true;
    return false;
}

// Bounds each distribution of the factors by itself, with free wires: those below the best mapping. Nothing if stopped.
std::optional<std::vector<FamilySearch::Task>> FamilySearch::members_of(const Task& choice) const {
    const TilingPoint combined = choice.assignment.point(question_.mapspace);
    const std::vector<TilingPoint>& points = spreads_[choice.family]->points;
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
        TilingPoint point = points[member.points.front()];
        for (int l = 0; l < point.level_count(); ++l) point[l].keep = combined[l].keep;
        const Charges charges(wireless(), point);
        const Lattice lattice(charges.rest(), charges.dimension_count());
        TileTable tiles(question_.mapspace, charges, lattice);
        if (const auto bound = follower_.look_at(charges, tiles, incumbent_)) {
            member.bound = *bound;
            member.score = std::max(choice.score, question_.judge.score(*bound));
        } else {
            members.pop_back();
        }
        if (question_.stop()) return std::nullopt;
    }
    return members;
}

// All these members of the family with these kept tensors. A mapping found becomes the incumbent of this task only:
// other tasks run at the same time.
Outcome FamilySearch::solve(const Task& task, Incumbent incumbent) const {
    Outcome outcome;
    const TilingPoint combined = task.assignment.point(question_.mapspace);
    const Spread& spread = *spreads_[task.family];
    if (!spread.all) outcome.open = task.score;
    const std::size_t count = task.points.empty() ? spread.points.size() : task.points.size();
    std::optional<std::vector<Nesting>> nests;  // the best, with all wires at their shortest
    std::vector<LayoutCost> layouts;
    if (count > 1 && !keeps_.are_fixed()) {
        double wires_pj = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < count; ++i) {
            if (question_.stop()) outcome.finished = false;
            if (!outcome.finished) break;
            layouts.push_back(follower_.cost_of(wireless(), member(task, i, combined)));
            wires_pj = std::min(wires_pj, layouts.back().wires_pj);
        }
        const TilingPoint first = task.points.empty() ? combined : member(task, 0, combined);
        if (outcome.finished)
            nests = follower_.follow_without_wires(wireless(), first, wires_pj, incumbent, outcome.steps);
        if (nests && nests->empty()) return outcome;
    }
    for (std::size_t i = 0; i < count; ++i) {
        const TilingPoint point = member(task, i, combined);
        if (question_.stop() || outcome.steps > question_.most_steps) outcome.finished = false;
        if (!outcome.finished) break;
        if (nests && follower_.is_too_far_to_travel(layouts[i], *nests, incumbent)) continue;
        follower_.follow(point, incumbent, outcome);
    }
    if (!outcome.finished) outcome.open = std::min(outcome.open, task.score);
    return outcome;
}

}  // namespace tilewright::optimal
