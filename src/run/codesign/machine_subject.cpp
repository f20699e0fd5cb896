#include "run/codesign/machine_subject.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "mapper/optimal/optimal.hpp"
#include "run/floor.hpp"
#include "run/search.hpp"

namespace tilewright {

using codesign::Box;
using codesign::LayerFloor;
using explore::Condition;
using explore::Row;
using explore::Status;

namespace {

constexpr const char* kArea = "area_mm2";

bool is_upper(const Condition& limit) {
    return limit.relation == Condition::Relation::less || limit.relation == Condition::Relation::at_most;
}

double weight_of_energy(const Objective& objective) { return objective.kind == ObjectiveKind::latency ? 0.0 : 1.0; }
double weight_of_latency(const Objective& objective) { return objective.kind == ObjectiveKind::energy ? 0.0 : 1.0; }

double total(const std::vector<LayerFloor>& floors, double LayerFloor::* part) {
    return std::accumulate(floors.begin(), floors.end(), 0.0,
                           [&](double sum, const LayerFloor& one) { return sum + one.repeats * one.*part; });
}

}  // namespace

std::optional<Objective> objective_of(const explore::Metric& metric) {
    if (metric.name == "energy_pj") return Objective{.kind = ObjectiveKind::energy};
    if (metric.name == "latency_cycles") return Objective{.kind = ObjectiveKind::latency};
    if (metric.name == "edp_pj_cycles") return Objective{.kind = ObjectiveKind::edp};
    return std::nullopt;
}

MachineSubject::MachineSubject(DesignSource& designs, const MachineQuestion& question, AnswerCache& cache,
                               const StopSource& stop)
    : designs_(designs), question_(question), cache_(cache), stop_(stop) {
    const explore::Metric& metric = question.specification.metrics[question.metric];
    const std::optional<Objective> objective = objective_of(metric);
    if (!objective)
        throw InputError(ErrorCode::usage, {},
                         "nothing bounds '" + metric.name + "': energy, latency and edp can be proven to be the least");
    objective_ = *objective;
    for (const Condition& limit : question.specification.limits)
        if (limit.name == kArea && is_upper(limit))
            area_.most_mm2 = std::min(area_.most_mm2.value_or(limit.bound), limit.bound);
}

Design MachineSubject::design(explore::Point point) {
    const std::lock_guard lock(designing_);
    return designs_.design(point);
}

bool MachineSubject::has_open_form(const Box& box) const {
    for (std::size_t knob = 0; knob < box.ranges.size(); ++knob)
        if (question_.roles[knob].form && box.ranges[knob].size() > 1) return true;
    return false;
}

const MachineFamily& MachineSubject::family(const Box& box) {
    const explore::Space& space = question_.specification.space;
    Box all = codesign::whole(space);
    std::vector<std::uint32_t> decided;
    for (std::size_t knob = 0; knob < box.ranges.size(); ++knob)
        if (question_.roles[knob].form) {
            all.ranges[knob] = box.ranges[knob];
            decided.push_back(box.ranges[knob].low);
        }
    const std::lock_guard lock(forming_);
    MachineFamily& form = families_[decided];
    if (form.parts) return form;
    const Design first = design(codesign::first_point(all, space));
    if (!first.failure.empty())
        throw InputError(ErrorCode::unsupported, {},
                         first.failure + " (" + explore::point_text(space, first.point) + ")");
    form.problem = first.problem;
    form.fused = first.fused;
    form.options = first.options;
    form.options.objective = objective_;
    form.roles = question_.roles_of ? question_.roles_of(first.architecture) : question_.roles;
    form.machine_at = [this, &form](explore::Point point) {
        Design made = design(point);
        if (!made.failure.empty()) throw InputError(ErrorCode::unsupported, {}, made.failure);
        check_zeros(made, form);
        return std::move(made.architecture);
    };
    form.parts = std::make_unique<codesign::Parts>(space, form.roles, form.machine_at, all);
    return form;
}

// Sparse optimisations have no order: they must be equal.
void MachineSubject::check_zeros(const Design& made, const MachineFamily& form) const {
    for (std::size_t i = 0; i < form.problem.shapes.size(); ++i)
        if (made.problem.shapes[i].layer.zeros != form.problem.shapes[i].layer.zeros)
            throw InputError(ErrorCode::unsupported, {},
                             "a knob of a memory or of compute units changes what the machine does about zeros (" +
                                 explore::point_text(question_.specification.space, made.point) + ")");
}

// Bounds without tiles. A layer without any counts as no energy and one cycle.
std::optional<MachineSubject::Relaxed> MachineSubject::relaxed(const Box& box) {
    const MachineFamily& form = family(box);
    const std::optional<codesign::RelaxedMachine> machine = form.parts->relaxed(box, area_);
    if (!machine) return std::nullopt;
    Relaxed relaxed{form.problem, form.fused, form.options, {}, {}};
    const std::int64_t units = machine->architecture.compute.instances;
    if (relaxed.fused) {
        relaxed.fused->architecture = machine->architecture;
        for (Constraints& demands : relaxed.fused->demands)
            demands = codesign::relaxed(demands, machine->fanouts, units);
        relaxed.floors.push_back({1.0, 0.0, 1.0, 0.0});
    }
    for (ShapeProblem& shape : relaxed.problem.shapes) {
        shape.layer.architecture = machine->architecture;
        shape.layer.constraints = codesign::relaxed(shape.layer.constraints, machine->fanouts, units);
        const LeastCost least = floor_of(shape.layer, relaxed.options).value_or(LeastCost{0.0, 1.0, 0.0});
        relaxed.floors.push_back({static_cast<double>(shape.repeats), least.energy_pj, least.cycles, least.objective});
    }
    relaxed.found.resize(relaxed.floors.size());
    return relaxed;
}

const Condition* MachineSubject::broken_limit(const Relaxed& relaxed) const {
    const double energy_pj = total(relaxed.floors, &LayerFloor::energy_pj);
    const double cycles = total(relaxed.floors, &LayerFloor::cycles);
    const auto broken = std::ranges::find_if(question_.specification.limits, [&](const Condition& limit) {
        double least = 0.0;
        if (limit.name == "energy_pj") least = energy_pj;
        if (limit.name == "latency_cycles") least = cycles;
        if (limit.name == "edp_pj_cycles") least = energy_pj * cycles;
        return is_upper(limit) && least > 0.0 && !limit.holds(least * codesign::kClose);
    });
    return broken == question_.specification.limits.end() ? nullptr : &*broken;
}

std::optional<double> MachineSubject::value_of(const Relaxed& relaxed) const {
    if (broken_limit(relaxed) != nullptr) return std::nullopt;
    return product_of(relaxed);
}

double MachineSubject::product_of(const Relaxed& relaxed) const {
    return codesign::least_product(relaxed.floors, weight_of_energy(objective_), weight_of_latency(objective_));
}

// Upper bound of the product of any floors of energies and cycles.
double MachineSubject::most_product_of(const Relaxed& relaxed) const {
    std::vector<LayerFloor> most = relaxed.floors;
    for (std::size_t shape = 0; shape < most.size(); ++shape) {
        if (!relaxed.found[shape]) continue;
        most[shape].energy_pj = std::max(most[shape].energy_pj, relaxed.found[shape]->energy_pj);
        most[shape].cycles = std::max(most[shape].cycles, static_cast<double>(relaxed.found[shape]->cycles));
    }
    return codesign::least_product(most, weight_of_energy(objective_), weight_of_latency(objective_));
}

std::optional<double> MachineSubject::quick_floor(const Box& box) {
    if (has_open_form(box)) return 0.0;
    const std::optional<Relaxed> relaxed = this->relaxed(box);
    return relaxed ? value_of(*relaxed) : std::nullopt;
}

std::vector<std::size_t> MachineSubject::dearest_first(const Relaxed& relaxed) const {
    std::vector<std::size_t> order(relaxed.floors.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto share = [&](std::size_t shape) {
        const LayerFloor& floor = relaxed.floors[shape];
        return floor.repeats * std::sqrt(floor.energy_pj * floor.cycles);
    };
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return share(a) > share(b); });
    return order;
}

// The best mapping of the layer on the relaxed machine. False: none on any machine of the box.
bool MachineSubject::tighten(Relaxed& relaxed, std::size_t shape) const {
    if (relaxed.fused) return tighten_fused(relaxed);
    const LayerProblem& layer = relaxed.problem.shapes[shape].layer;
    MapOptions options = relaxed.options;
    options.threads = 1;
    const Mapspace mapspace = mapspace_of(layer, options);
    if (!mapspace.problem().empty()) return false;
    if (hybrid_stands_in(layer, mapspace, options)) return true;
    options.mapper = MapperKind::optimal;
    const SearchResult found = search_layer(layer, options, &stop_);
    if (!found.best) return found.stopped != StopReason::exhausted;
    if (!found.lower_bound) return true;
    LayerFloor& floor = relaxed.floors[shape];
    floor.objective = std::max(floor.objective, *found.lower_bound);
    relaxed.found[shape] = found.cost;
    return true;
}

// Lower bound of fused mappings on the relaxed machine; unknown for forms outside the search.
bool MachineSubject::tighten_fused(Relaxed& relaxed) const {
    const FusedProblem& problem = *relaxed.fused;
    if (!fusion::problem_with(problem.cascade, problem.architecture, objective_).empty()) return true;
    const fusion::Answer found = fuse(problem, objective_, &stop_);
    if (!found.fused) return found.stopped;
    LayerFloor& floor = relaxed.floors.front();
    floor.objective = std::max(floor.objective, found.bound);
    const fused::Evaluation& cost = found.fused->evaluation;
    relaxed.found.front() = LeanCost{std::nullopt, cost.energy_pj, cost.cycles};
    return true;
}

// The largest first, down to rounding: all together below the tolerance for equal machines.
std::vector<MachineSubject::Gap> MachineSubject::gaps(const Relaxed& relaxed) const {
    constexpr double kLeast = 1e-12;
    const double energy_pj = total(relaxed.floors, &LayerFloor::energy_pj);
    const double cycles = total(relaxed.floors, &LayerFloor::cycles);
    std::vector<Gap> all;
    const auto add = [&](std::size_t shape, bool energy, double missing, double sum) {
        const double share = relaxed.floors[shape].repeats * missing / sum;
        if (share > kLeast) all.push_back({shape, energy, share});
    };
    for (std::size_t shape = 0; shape < relaxed.floors.size(); ++shape) {
        if (!relaxed.found[shape]) continue;
        const LayerFloor& floor = relaxed.floors[shape];
        add(shape, true, relaxed.found[shape]->energy_pj - floor.energy_pj, energy_pj);
        add(shape, false, static_cast<double>(relaxed.found[shape]->cycles) - floor.cycles, cycles);
    }
    std::ranges::stable_sort(all, std::ranges::greater(), &Gap::share);
    return all;
}

// The least energy of a layer on the relaxed machine, or the fewest cycles.
void MachineSubject::tighten_total(Relaxed& relaxed, const Gap& gap) const {
    if (relaxed.fused) return;
    MapOptions options = relaxed.options;
    options.threads = 1;
    options.mapper = MapperKind::optimal;
    options.objective = {.kind = gap.energy ? ObjectiveKind::energy : ObjectiveKind::latency};
    const SearchResult found = search_layer(relaxed.problem.shapes[gap.shape].layer, options, &stop_);
    if (!found.best || !found.lower_bound) return;
    LayerFloor& floor = relaxed.floors[gap.shape];
    double& least = gap.energy ? floor.energy_pj : floor.cycles;
    least = std::max(least, *found.lower_bound);
    LeanCost& known = *relaxed.found[gap.shape];
    if (gap.energy)
        known.energy_pj = std::min(known.energy_pj, found.cost.energy_pj);
    else
        known.cycles = std::min(known.cycles, found.cost.cycles);
}

// Layer by layer, until the floors suffice. If they do not, and the objective is the product of the totals, least
// energies and cycles by themselves may help: a layer's product fixes neither share. Skipped if the found mappings show
// that it would not help. Returns a layer without a mapping, if any.
std::optional<std::size_t> MachineSubject::tighten_until(Relaxed& relaxed, const std::function<bool()>& is_enough,
                                                         double enough) const {
    for (const std::size_t shape : dearest_first(relaxed)) {
        if (is_enough()) return std::nullopt;
        if (!tighten(relaxed, shape)) return shape;
    }
    if (objective_.kind != ObjectiveKind::edp) return std::nullopt;
    const auto in_vain = [&] { return std::isfinite(enough) && most_product_of(relaxed) < enough; };
    for (const Gap& gap : gaps(relaxed)) {
        if (stop_.requested() || is_enough() || in_vain()) return std::nullopt;
        tighten_total(relaxed, gap);
    }
    return std::nullopt;
}

std::optional<double> MachineSubject::floor(const Box& box, double enough) {
    if (has_open_form(box)) return 0.0;
    std::optional<Relaxed> relaxed = this->relaxed(box);
    if (!relaxed) return std::nullopt;
    std::optional<double> value;
    const auto is_enough = [&] {
        value = value_of(*relaxed);
        return !value || *value >= enough;
    };
    if (tighten_until(*relaxed, is_enough, enough)) return std::nullopt;
    is_enough();
    return value;
}

RuledOut MachineSubject::ruled_out(const Box& box, double enough) {
    RuledOut result;
    std::optional<Relaxed> relaxed = this->relaxed(box);
    if (!relaxed) {
        result.beyond_area = true;
        return result;
    }
    const auto says_enough = [&] {
        const Condition* const limit = broken_limit(*relaxed);
        result.limit = limit != nullptr ? limit->name : "";
        result.value = product_of(*relaxed);
        return limit != nullptr || result.value >= enough;
    };
    result.unmappable = tighten_until(*relaxed, says_enough, enough);
    if (result.unmappable) return result;
    says_enough();
    result.floors = std::move(relaxed->floors);
    return result;
}

NetworkAnswer MachineSubject::mappings(explore::Point point) {
    const Design made = design(point);
    return map_network(made.problem, made.options, {.cache = &cache_, .stop = &stop_});
}

// The knob whose halves have the largest quick floors together; of equals the one of the most values.
std::size_t MachineSubject::knob_to_cut(const Box& box) {
    std::size_t best = box.ranges.size();
    double gain = 0.0;
    for (std::size_t knob = 0; knob < box.ranges.size(); ++knob) {
        if (box.ranges[knob].size() == 1) continue;
        if (question_.roles[knob].form) return knob;
        const auto [low, high] = codesign::halves(box, knob);
        constexpr double kRuledOut = 2.0;  // as good as twice the larger floor
        const std::optional<double> at_low = quick_floor(low);
        const std::optional<double> at_high = quick_floor(high);
        const double larger = std::max(at_low.value_or(0.0), at_high.value_or(0.0));
        const double both = at_low.value_or(kRuledOut * larger) + at_high.value_or(kRuledOut * larger);
        const bool more = best == box.ranges.size() || both > gain * (2.0 - codesign::kClose) ||
                          (both >= gain * codesign::kClose && box.ranges[knob].size() > box.ranges[best].size());
        if (!more) continue;
        best = knob;
        gain = both;
    }
    return best;
}

codesign::Mapped MachineSubject::map(explore::Point point) {
    const Design made = design(point);
    Box box = codesign::whole(question_.specification.space);
    for (std::size_t knob = 0; knob < box.ranges.size(); ++knob) {
        const auto at = static_cast<std::uint32_t>(question_.specification.space.position(point, knob));
        box.ranges[knob] = {at, at + 1};
    }
    if (made.failure.empty()) check_zeros(made, family(box));
    if (made.failure.empty() && !family(box).parts->is_composed(point, made.architecture))
        throw InputError(ErrorCode::unsupported, {},
                         "a knob is about more parts of the machine than it names (" +
                             explore::point_text(question_.specification.space, point) + ")");
    Row row = mapped_row(made, question_.specification, cache_, stop_);
    codesign::Mapped mapped;
    if (row.status == Status::valid) mapped.value = row.values[question_.metric];
    const std::size_t proven = explore::metric_named(question_.specification.metrics, "proven_layers", {});
    if (row.status != Status::failed && row.values[proven] < static_cast<double>(layer_count(made)))
        mapped.least = floor(box, std::numeric_limits<double>::infinity());
    const std::lock_guard lock(keeping_);
    rows_.insert_or_assign(point, std::move(row));
    return mapped;
}

Row MachineSubject::row(explore::Point point) {
    const auto known = rows_.find(point);
    if (known != rows_.end()) return known->second;
    const StopSource never;
    return mapped_row(design(point), question_.specification, cache_, never);
}

}  // namespace tilewright
