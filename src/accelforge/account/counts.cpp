#include "accelforge/account/counts.hpp"

#include <algorithm>
#include <cmath>

namespace tilewright::accelforge {
namespace {

using StepKind = Step::Kind;

/// Trips of the loops as written: integer for the outermost loop of a simple variable, the mean for all others.
struct Trips {
    std::vector<double> recorded;  ///< by position
    double operations = 1.0;
    double steps = 1.0;
    std::vector<std::vector<double>> used;
};

std::vector<double> extents_of(const EinsumSpec& einsum) {
    std::vector<double> extents;
    for (const std::int64_t extent : einsum.extents) extents.push_back(static_cast<double>(extent));
    return extents;
}

Trips trips_of(const EinsumPath& path) {
    Trips trips;
    trips.recorded.assign(path.steps.size(), 1.0);
    for (const Component& component : path.machine.components) trips.used.emplace_back(component.fanouts.size(), 1.0);
    std::vector<double> extents = extents_of(*path.einsum);
    std::vector<bool> seen(extents.size(), false);
    for (const Step& step : path.steps) {
        if (step.kind != StepKind::loop) continue;
        const auto v = static_cast<std::size_t>(step.variable);
        const double mean = extents[v] / step.tile;
        const bool whole = !seen[v] && path.einsum->is_simple(step.variable);
        trips.recorded[step.position] = whole ? std::ceil(mean) : mean;
        seen[v] = true;
        extents[v] = step.tile;
        trips.operations *= mean;
        if (step.spatial)
            trips.used[step.component][step.fanout] *= mean;
        else
            trips.steps *= mean;
    }
    return trips;
}

/// A loop for one tensor.
struct SeenLoop {
    double trips = 1.0;
    bool spatial = false;
    bool fully_relevant = false;
    bool shared = false;  ///< hardware multicasts or reduces across it
};

/// A holder, or the compute unit as the last.
struct Level {
    Step step;
    double words = 1.0;
    std::size_t loops_above = 0;
};

/// Link traffic to the outer level, per arrival of the tile.
struct Crossing {
    double read = 0.0;     ///< from the level outside
    double written = 0.0;  ///< to it
    double skipped = 0.0;  ///< reads saved by first results
};

class TensorCounter {
   public:
    TensorCounter(const EinsumPath& path, const Trips& trips, int tensor)
        : path_(path), trips_(trips), tensor_(tensor), access_(path.access(tensor)) {}

    void count(const std::vector<Step>& steps, EinsumCounts& counts) {
        walk(steps, counts);
        cross();
        for (std::size_t k = 0; k + 1 < levels_.size(); ++k) counts.holders.push_back(actions_of(k));
    }

   private:
    bool is_copy() const { return path_.einsum->is_copy; }
    const Component& component_of(const Step& step) const { return path_.component(step.component); }
    void walk(const std::vector<Step>& steps, EinsumCounts& counts);
    void see_loop(const Step& step);
    void reserve(const std::vector<Step>& steps, std::size_t at, EinsumCounts& counts) const;
    Crossing crossing_of(std::size_t k) const;
    void cross();
    enum class Spread { all_instances, one_instance, link };
    double product(std::size_t begin, std::size_t end, Spread spread, bool only_full) const;
    bool skips(const Component& component) const {
        return !is_copy() && (component.kind == ComponentKind::toll || component.skips_first_read);
    }
    double bits_at(const Component& component) const {
        const double own = component.bits.empty() ? 0.0 : component.bits[tensor_];
        return own > 0.0 ? own : path_.einsum->bits[tensor_];
    }
    double per_value(const Component& component, const char* action) const;
    std::pair<double, double> moved(std::size_t k, Spread spread) const;
    HolderCounts actions_of(std::size_t k) const;

    const EinsumPath& path_;
    const Trips& trips_;
    int tensor_;
    const TensorAccess& access_;
    std::vector<double> extents_ = extents_of(*path_.einsum);
    std::vector<SeenLoop> loops_;
    std::vector<Level> levels_;
    std::vector<Crossing> crossings_;
};

void TensorCounter::see_loop(const Step& step) {
    const Relevancy moves = relevancy(access_, step.variable);
    double& extent = extents_[step.variable];
    const double mean = extent / step.tile;
    extent = step.tile;
    SeenLoop loop{moves == Relevancy::none ? trips_.recorded[step.position] : mean, step.spatial,
                  moves == Relevancy::full, false};
    if (step.spatial && moves == Relevancy::none) {
        const Fanout& fanout = component_of(step).fanouts[step.fanout];
        loop.shared = (fanout.may_reuse >> static_cast<unsigned>(tensor_) & 1U) != 0;
    }
    loops_.push_back(loop);
}

void TensorCounter::reserve(const std::vector<Step>& steps, std::size_t at, EinsumCounts& counts) const {
    const Step& step = steps[at];
    const Component& component = component_of(step);
    if (component.kind == ComponentKind::toll) return;
    const auto below = std::find_if(steps.begin() + static_cast<std::ptrdiff_t>(at), steps.end(),
                                    [](const Step& one) { return one.kind == StepKind::loop; });
    counts.reservations.push_back({step.component, tensor_, volume(access_, extents_) * bits_at(component), step.first,
                                   step.node->persistent, step.splits_above,
                                   below == steps.end() ? nullptr : below->node});
}

void TensorCounter::walk(const std::vector<Step>& steps, EinsumCounts& counts) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (steps[i].kind == StepKind::loop)
            see_loop(steps[i]);
        else if (steps[i].kind == StepKind::reserve)
            reserve(steps, i, counts);
        else
            levels_.push_back(
                {steps[i], steps[i].kind == StepKind::compute ? 1.0 : volume(access_, extents_), loops_.size()});
    }
}

// A link shares spatial loops with hardware multicast or reduction; the credit of first reads counts only fully
// relevant temporal loops (AccelForge omits partly relevant ones).
double TensorCounter::product(std::size_t begin, std::size_t end, Spread spread, bool only_full) const {
    double result = 1.0;
    for (std::size_t i = begin; i < end; ++i) {
        const SeenLoop& loop = loops_[i];
        if (loop.spatial) {
            const bool once = spread == Spread::one_instance || (spread == Spread::link && loop.shared);
            if (!once) result *= loop.trips;
        } else if (!only_full || loop.fully_relevant) {
            result *= loop.trips;
        }
    }
    return result;
}

Crossing TensorCounter::crossing_of(std::size_t k) const {
    const Level& level = levels_[k];
    if (level.step.kind == StepKind::compute) {
        const double written = access_.output ? 1.0 : 0.0;
        const bool credit = component_of(level.step).skips_first_read && !is_copy();
        return {is_copy() && access_.output ? 0.0 : 1.0, written, credit ? written : 0.0};
    }
    if (k == 0) return {};
    const double written = access_.output ? level.words : 0.0;
    return {level.words, written, skips(component_of(level.step)) ? written : 0.0};
}

// A toll passes on the inner link's traffic.
void TensorCounter::cross() {
    for (std::size_t k = 0; k < levels_.size(); ++k) crossings_.push_back(crossing_of(k));
    for (std::size_t k = levels_.size() - 1; k-- > 0;) {
        if (component_of(levels_[k].step).kind != ComponentKind::toll) continue;
        const std::size_t begin = levels_[k].loops_above;
        const std::size_t end = levels_[k + 1].loops_above;
        const Crossing& inner = crossings_[k + 1];
        const double all = product(begin, end, Spread::link, false);
        crossings_[k].read = inner.read * all;
        crossings_[k].written = inner.written * all;
        crossings_[k].skipped = inner.skipped * product(begin, end, Spread::link, true);
    }
}

double TensorCounter::per_value(const Component& component, const char* name) const {
    const Action* action = component.action(name);
    if (action == nullptr) return 0.0;
    const double values = action->values[tensor_];
    return values > 0.0 ? 1.0 / values : bits_at(component) / action->bits;
}

// Words read and written at level k: `spread` selects the instances.
std::pair<double, double> TensorCounter::moved(std::size_t k, Spread spread) const {
    const Level& level = levels_[k];
    const Component& component = component_of(level.step);
    const bool is_toll = component.kind == ComponentKind::toll;
    const TollDirection direction = is_toll ? component.directions[tensor_] : TollDirection::both;
    const Crossing& outer = crossings_[k];
    const Crossing& inner = crossings_[k + 1];
    const double above = product(0, level.loops_above, spread, false);
    const double above_full = product(0, level.loops_above, spread, true);
    const double link = product(level.loops_above, levels_[k + 1].loops_above, Spread::link, false);
    const double link_full = product(level.loops_above, levels_[k + 1].loops_above, Spread::link, true);
    double reads = 0.0;
    double writes = 0.0;
    if (direction != TollDirection::up) {
        writes += outer.read * above - outer.skipped * above_full;
        reads += inner.read * link * above;
        if (skips(component)) reads -= inner.skipped * link_full * above_full;
    }
    if (direction != TollDirection::down) {
        reads += outer.written * above;
        writes += inner.written * link * above;
    }
    return {reads, writes};
}

HolderCounts TensorCounter::actions_of(std::size_t k) const {
    const Component& component = component_of(levels_[k].step);
    const double read = per_value(component, "read");
    const double write = component.kind == ComponentKind::memory ? per_value(component, "write") : 0.0;
    const auto [reads, writes] = moved(k, Spread::all_instances);
    const auto [unit_reads, unit_writes] = moved(k, Spread::one_instance);
    return {levels_[k].step.component,
            tensor_,
            reads * read * component.actions_scale,
            writes * write * component.actions_scale,
            unit_reads * read,
            unit_writes * write};
}

// A copy's tensors count as one, under the input's name: per memory the minimum, 0 included.
void merge_copies(const EinsumSpec& einsum, EinsumCounts& counts) {
    const auto input = std::ranges::find(einsum.accesses, false, &TensorAccess::output) - einsum.accesses.begin();
    std::vector<HolderCounts> merged;
    for (const HolderCounts& one : counts.holders) {
        const auto same = std::ranges::find(merged, one.component, &HolderCounts::component);
        if (same == merged.end()) {
            merged.push_back(one);
            merged.back().tensor = static_cast<int>(input);
            continue;
        }
        same->reads = std::min(same->reads, one.reads);
        same->writes = std::min(same->writes, one.writes);
        same->unit_reads = std::min(same->unit_reads, one.unit_reads);
        same->unit_writes = std::min(same->unit_writes, one.unit_writes);
    }
    counts.holders = std::move(merged);
    std::vector<Reservation> least;
    for (const Reservation& one : counts.reservations) {
        const auto same = std::ranges::find(least, one.component, &Reservation::component);
        if (same == least.end())
            least.push_back(one);
        else if (one.bits < same->bits)
            *same = one;
    }
    counts.reservations = std::move(least);
}

// Of a copy only the part outside the innermost of the outermost holders counts.
void drop_inner_holders(EinsumPath& path) {
    std::size_t last = 0;
    for (std::size_t i = 0; i < path.steps.size(); ++i)
        if (path.steps[i].kind == StepKind::hold && path.steps[i].first) last = i;
    std::size_t at = 0;
    std::erase_if(path.steps, [&](const Step& step) { return at++ > last && step.kind == StepKind::hold; });
    for (std::size_t i = 0; i < path.steps.size(); ++i) path.steps[i].position = i;
}

}  // namespace

EinsumCounts count(const EinsumPath& given) {
    EinsumPath path = given;
    if (path.einsum->is_copy) drop_inner_holders(path);
    Trips trips = trips_of(path);
    EinsumCounts counts;
    const std::vector<Step> steps = with_reservations(path);
    for (int t = 0; t < static_cast<int>(path.einsum->accesses.size()); ++t)
        TensorCounter(path, trips, t).count(steps_of_tensor(path, steps, t), counts);
    counts.operations = path.einsum->is_copy ? 0.0 : trips.operations;
    counts.compute_steps = path.einsum->is_copy ? 0.0 : trips.steps;
    counts.used = std::move(trips.used);
    if (path.einsum->is_copy) merge_copies(*path.einsum, counts);
    return counts;
}

}  // namespace tilewright::accelforge
