#include "multicore/search/weighted_search.hpp"

#include <algorithm>
#include <map>

namespace tilewright::multicore {

WeightedSearch::WeightedSearch(const Evaluators& evaluators, KnownShapes& shapes, const Weights& weights,
                               const StopSource* stop, int longest_run)
    : evaluators_(evaluators),
      evaluator_(evaluators.exact),
      shapes_(shapes),
      weights_(weights),
      stop_(stop),
      longest_run_(longest_run) {
    list_runs();
}

Answer WeightedSearch::search(const std::vector<FoundRun>& known, const TellProgress& tell) {
    Answer answer;
    find_paths();
    try {
        learn(known);
        first_ways(answer, tell);
        fuse(answer, tell);
        for (int longest = 1; !is_done(); longest = std::min(2 * longest, count())) {
            ++answer.rounds;
            deepest_ *= 4;
            round(longest, answer, tell);
        }
    } catch (const Stopped&) {
        answer.stopped = true;
    }
    find_paths();
    answer.best = plan();
    answer.bound = answer.best ? std::min(before_.back(), answer.best->value) : before_.back();
    answer.potentials = after_;
    answer.proven = answer.best && is_proven_by(answer.bound, answer.best->value);
    return answer;
}

std::vector<FoundRun> WeightedSearch::found() const {
    std::vector<FoundRun> all;
    for (const Class& one : classes_)
        if (one.best()) all.push_back(*one.best());
    return all;
}

void WeightedSearch::list_runs() {
    const Problem& problem = evaluator_.problem();
    const std::vector<int> forms = forms_of(problem);
    const RunFloors floors(evaluator_);
    double leak_pj = 0.0;
    for (int core = 0; core < problem.package().core_count(); ++core)
        leak_pj += problem.package().kind_of(core).leak_pj_per_cycle;
    std::map<std::vector<int>, int> alike;
    for (int last = 0; last < count(); ++last)
        for (int first = last; first >= 0 && last - first < longest_run_; --first) {
            if (!problem.may_be_run(first, last)) continue;
            const auto [found, is_new] =
                alike.try_emplace(key_of_run(problem, forms, first, last), static_cast<int>(classes_.size()));
            entries_.push_back({first, last, found->second});
            if (!is_new) continue;
            const Floor floor = floors.of(first, last);
            classes_.push_back({first, last, weights_.of(floor.energy_pj + leak_pj * floor.cycles, floor.cycles),
                                nullptr, std::nullopt});
        }
}

RunSearch& WeightedSearch::search_of(Class& of) {
    if (!of.search) {
        of.search = std::make_unique<RunSearch>(evaluators_, shapes_, weights_, of.first, of.last, stop_);
        if (of.first_way) of.search->learn(*of.first_way);
    }
    return *of.search;
}

void WeightedSearch::learn(const std::vector<FoundRun>& known) {
    for (const FoundRun& one : known)
        for (Class& of : classes_) {
            if (of.first != one.run.first || of.last != one.run.last) continue;
            FoundRun same = one;
            same.value = weights_.of(one.cost.energy.total(), static_cast<double>(one.cost.cycles));
            search_of(of).learn(same);
        }
    find_paths();
}

// Of runs of one einsum; an einsum that fits nowhere alone may still do so in a longer run.
void WeightedSearch::first_ways(Answer& answer, const TellProgress& tell) {
    for (const bool is_cheap : {false, true})  // a plan stands before it is bettered
        for (Class& of : classes_) {
            if (of.first != of.last || of.search || (!is_cheap && of.value() < kNever)) continue;
            auto way = first_way(evaluators_, shapes_, weights_, of.first, is_cheap, answer.prefixes);
            if (!way || way->value >= of.value()) continue;
            of.first_way = std::move(way);
            find_paths();
            report(tell);
        }
}

// The best known way through the einsums of a class in one or several runs, of one repeat.
double WeightedSearch::known_inside(const Class& of) const {
    std::vector<double> known(of.last - of.first + 2, kNever);
    known.front() = 0.0;
    for (const Entry& entry : entries_)
        if (entry.first >= of.first && entry.last <= of.last) {
            double& to = known[entry.last + 1 - of.first];
            to = std::min(to, known[entry.first - of.first] + classes_[entry.of].value());
        }
    return known.back();
}

// Neighbours on the best known path: from each run on, and back from each, as few as may be one run, or with borders
// shifted by an einsum; until no path changes. Alike runs get their way at once.
void WeightedSearch::fuse(Answer& answer, const TellProgress& tell) {
    std::vector<bool> is_seen(classes_.size(), false);
    for (bool is_new = true; is_new && !is_done() && known_.back() < kNever;) {
        is_new = false;
        for (const int i : neighbours()) {
            Class& of = classes_[entries_[i].of];
            if (is_seen[entries_[i].of]) continue;
            is_seen[entries_[i].of] = is_new = true;
            const double cut = known_inside(of);
            if (of.bound() >= cut * (1.0 - kRounding)) continue;
            auto way = fused_way(evaluators_, shapes_, weights_, of.first, of.last, cut, answer.prefixes);
            if (!way) continue;
            if (of.search)
                of.search->learn(*way);
            else
                of.first_way = std::move(way);
            find_paths();
            report(tell);
        }
    }
}

// Entries.
std::vector<int> WeightedSearch::neighbours() const {
    std::vector<int> starts;
    for (int end = count(); end > 0; end = entries_[from_[end]].first) starts.push_back(entries_[from_[end]].first);
    std::ranges::reverse(starts);
    starts.push_back(count());
    std::vector<int> all;
    const auto add = [&](int first, int last) {
        for (std::size_t i = 0; i < entries_.size(); ++i)
            if (entries_[i].first == first && entries_[i].last == last) all.push_back(static_cast<int>(i));
    };
    const auto is_new = [&](std::size_t before) { return all.size() > before; };
    for (std::size_t r = 0; r + 2 < starts.size(); ++r) {
        for (std::size_t end = r + 2, before = all.size(); end < starts.size() && !is_new(before); ++end)
            add(starts[r], starts[end] - 1);
        for (std::size_t back = r + 1, before = all.size(); back-- > 0 && !is_new(before);)
            add(starts[back], starts[r + 2] - 1);
        add(starts[r], starts[r + 1]);
        add(starts[r + 1] - 1, starts[r + 2] - 1);
    }
    return all;
}

// Least values of the einsums before and from each on, by floors; and the best plan that is known.
void WeightedSearch::find_paths() {
    before_.assign(count() + 1, kNever);
    after_.assign(count() + 1, kNever);
    known_.assign(count() + 1, kNever);
    from_.assign(count() + 1, -1);
    least_from_.assign(count() + 1, -1);
    before_[0] = known_[0] = after_[count()] = 0.0;
    std::vector<double> bounds;
    for (const Class& of : classes_) bounds.push_back(of.bound());
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        const auto& [first, last, of] = entries_[i];
        if (const double least = before_[first] + bounds[of] * repeats(last); least < before_[last + 1]) {
            before_[last + 1] = least;
            least_from_[last + 1] = static_cast<int>(i);
        }
        if (const double value = known_[first] + classes_[of].value() * repeats(last); value < known_[last + 1]) {
            known_[last + 1] = value;
            from_[last + 1] = static_cast<int>(i);
        }
    }
    std::vector<const Entry*> by_first;
    for (const Entry& entry : entries_) by_first.push_back(&entry);
    std::ranges::stable_sort(by_first, std::ranges::greater{}, [](const Entry* entry) { return entry->first; });
    for (const Entry* entry : by_first)
        after_[entry->first] =
            std::min(after_[entry->first], bounds[entry->of] * repeats(entry->last) + after_[entry->last + 1]);
}

bool WeightedSearch::is_done() const {
    return before_.back() >= known_.back() * (1.0 - kRounding) || before_.back() == kNever;
}

// Of a path through this run at its floor.
double WeightedSearch::through(const Entry& entry) const {
    return before_[entry.first] + classes_[entry.of].bound() * repeats(entry.last) + after_[entry.last + 1];
}

// What the run has to stay below to be of use.
double WeightedSearch::limit_of(const Entry& entry) const {
    return (known_.back() - before_[entry.first] - after_[entry.last + 1]) / repeats(entry.last);
}

// Runs that a better path may take, longer ones from round to round; eight times the effort goes to those on the least
// path.
void WeightedSearch::round(int longest, Answer& answer, const TellProgress& tell) {
    std::vector<std::pair<double, int>> order;
    std::vector<bool> is_seen(classes_.size(), false);
    for (std::size_t i = 0; i < entries_.size(); ++i)
        if (entries_[i].last - entries_[i].first < longest)
            order.emplace_back(through(entries_[i]), static_cast<int>(i));
    std::ranges::sort(order);
    for (const auto& [value, i] : order) {
        while (by_paths_ <= 8 * by_rounds_ && !is_done() && follow_path(answer, tell)) {
        }
        Class& of = classes_[entries_[i].of];
        if (is_seen[entries_[i].of] || (of.search && of.search->is_done()) || is_deep(of)) continue;
        if (through(entries_[i]) >= known_.back() * (1.0 - kRounding)) continue;
        is_seen[entries_[i].of] = true;
        by_rounds_ += look(of, answer, tell);
    }
}

// Into the run of the least path that was looked into least; false: none is open.
bool WeightedSearch::follow_path(Answer& answer, const TellProgress& tell) {
    Class* next = nullptr;
    for (int end = count(); end > 0;) {
        const Entry& entry = entries_[least_from_[end]];
        Class& of = classes_[entry.of];
        if (!(of.search && of.search->is_done()) && (next == nullptr || of.prefixes < next->prefixes)) next = &of;
        end = entry.first;
    }
    if (next == nullptr || is_deep(*next)) return false;
    by_paths_ += look(*next, answer, tell);
    return true;
}

// Where floors of leaves turn out to be below mappings, bounds and what was found stay; all else begins again.
std::int64_t WeightedSearch::look(Class& of, Answer& answer, const TellProgress& tell) {
    throw_if_stopped(stop_);
    double limit = 0.0;
    for (const Entry& entry : entries_)
        if (&classes_[entry.of] == &of) limit = std::max(limit, limit_of(entry));
    RunSearch& search = search_of(of);
    const double bound = of.bound();
    const std::size_t distrusted = evaluators_.trust != nullptr ? evaluators_.trust->distrusted() : 0;
    const auto evaluations = [this] { return evaluators_.exact.evaluations() + evaluators_.floors.evaluations(); };
    const std::int64_t before = evaluations();
    const std::int64_t prefixes = search.round(of.prefixes, limit);
    of.prefixes *= 4;
    answer.prefixes += prefixes;
    if (evaluators_.trust != nullptr && evaluators_.trust->distrusted() > distrusted)
        for (Class& one : classes_) {
            if (!one.search) continue;
            one.floor = &one == &of ? bound : one.bound();
            one.first_way = one.best();
            one.search.reset();
            one.prefixes = 16;
        }
    find_paths();
    report(tell);
    return evaluations() - before + 1;
}

void WeightedSearch::report(const TellProgress& tell) {
    if (!tell) return;
    if (known_.back() < told_) {
        best_ = plan();
        told_ = known_.back();
    }
    tell(best_ ? &best_->cost : nullptr, known_.back(), before_.back());
}

std::optional<FoundPlan> WeightedSearch::plan() const {
    if (!(known_.back() < kNever)) return std::nullopt;
    FoundPlan found;
    for (int end = count(); end > 0;) {
        const Entry& entry = entries_[from_[end]];
        package::Run run = classes_[entry.of].best()->run;
        run.first = entry.first;
        run.last = entry.last;
        found.plan.runs.insert(found.plan.runs.begin(), std::move(run));
        end = entry.first;
    }
    // Trusted floors sum up in another order; leaves of what was found are known as they are mapped.
    found.cost = (evaluators_.mapped != nullptr ? *evaluators_.mapped : evaluator_).plan(found.plan).cost;
    found.value = weights_.of(found.cost.energy.total(), static_cast<double>(found.cost.cycles));
    return found;
}

}  // namespace tilewright::multicore
