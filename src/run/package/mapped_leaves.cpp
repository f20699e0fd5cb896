#include "run/package/mapped_leaves.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "run/map_layer.hpp"

namespace tilewright {
namespace {

constexpr double kNoMapping = std::numeric_limits<double>::infinity();
constexpr double kRounding = 1e-12;

bool is_alike(const CascadeEinsum& a, const CascadeEinsum& b) {
    if (a.einsum.dimensions.size() != b.einsum.dimensions.size() || a.einsum.tensors.size() != b.einsum.tensors.size())
        return false;
    for (std::size_t t = 0; t < a.einsum.tensors.size(); ++t) {
        const Tensor& one = a.einsum.tensors[t];
        const Tensor& other = b.einsum.tensors[t];
        if (one.ranks != other.ranks || one.written != other.written || one.bits != other.bits) return false;
    }
    return true;
}

Einsum box_of(const CascadeEinsum& einsum, const multicore::Extents& extents) {
    Einsum box = einsum.einsum;
    for (std::size_t d = 0; d < extents.size(); ++d) box.dimensions[d].extent = extents[d];
    return box;
}

std::int64_t operations_of(const multicore::Extents& extents) {
    std::int64_t operations = 1;
    for (const std::int64_t extent : extents) operations = checked_mul(operations, extent);
    return operations;
}

}  // namespace

Constraints constraints_of_core(Constraints of_machine, const Architecture& machine, const Architecture& core) {
    if (of_machine.levels.empty()) return of_machine;
    if (machine.memory_count() > core.memory_count()) of_machine.levels.erase(of_machine.levels.begin());
    of_machine.levels.front().must_bypass = {};
    return of_machine;
}

MappedLeaves::MappedLeaves(const multicore::Problem& problem, ConstraintsOfKind constraints, const Objective& objective,
                           const StopSource* stop)
    : problem_(problem), constraints_(std::move(constraints)), objective_(objective), stop_(stop) {
    const std::vector<CascadeEinsum>& einsums = problem.cascade().einsums;
    for (std::size_t e = 0; e < einsums.size(); ++e) {
        std::size_t first = 0;
        while (!is_alike(einsums[first], einsums[e])) ++first;
        alike_.push_back(static_cast<int>(first));
    }
    floors_.resize(problem.package().kinds.size());
    for (const package::CoreKind& kind : problem.package().kinds) {
        if (kind.architecture) {
            machines_.push_back(std::make_unique<Architecture>(*kind.architecture));
            std::vector<Memory>& memories = machines_.back()->memories;
            memories.insert(memories.begin(), memories.front());
            memories.front().set_usable_words(std::nullopt);
            memories[1].set_usable_words(kind.buffer_words);
        } else {
            machines_.push_back(nullptr);
        }
    }
}

multicore::LeafCost MappedLeaves::of(int einsum, int kind, const multicore::Extents& extents) {
    const package::CoreKind& core = problem_.package().kinds[kind];
    if (!core.architecture) return multicore::leaf_on_lanes(problem_, einsum, core, extents);
    Key key{alike_[einsum], kind, extents};
    if (const auto found = known_.find(key); found != known_.end()) return found->second.cost;
    throw_if_stopped(stop_);
    return known_.emplace(std::move(key), mapped(einsum, kind, extents)).first->second.cost;
}

const Mapping* MappedLeaves::mapping(int einsum, int kind, const multicore::Extents& extents) const {
    const auto found = known_.find({alike_[einsum], kind, extents});
    return found == known_.end() ? nullptr : &found->second.mapping;
}

MappedLeaves::Mapped MappedLeaves::mapped(int einsum, int kind, const multicore::Extents& extents) const {
    const CascadeEinsum& one = problem_.cascade().einsums[einsum];
    LayerProblem layer{box_of(one, extents), *problem_.package().kinds[kind].architecture,
                       constraints_(kind, one.einsum)};
    MapOptions options;
    options.objective = objective_;
    options.mapper = MapperKind::optimal;
    options.threads = 1;
    const LayerAnswer answer = map_layer(layer, options, {.stop = stop_, .progress = {}});
    throw_if_stopped(stop_);
    if (!answer.evaluation)
        throw InputError(ErrorCode::unsupported, {},
                         "a part of '" + one.name + "' has no mapping on the core '" +
                             problem_.package().kinds[kind].name + "'" +
                             (answer.failures.empty() ? "" : ": " + answer.failures.front()));
    multicore::LeafCost cost;
    cost.cycles = answer.evaluation->cycles;
    cost.energy_pj = answer.evaluation->energy_pj;
    cost.operations = operations_of(extents);
    return {cost, *answer.mapping};
}

fusion::FloorLeaves& MappedLeaves::floors(int kind) {
    Floors& found = floors_[kind];
    if (!found.leaves) {
        std::vector<std::vector<bool>> any_extent;
        for (const CascadeEinsum& one : problem_.cascade().einsums) {
            Constraints& demands = found.demands.emplace_back(constraints_(kind, one.einsum));
            if (!demands.levels.empty()) {
                demands.levels.insert(demands.levels.begin(), demands.levels.front());
                demands.levels.front().spatial = {};
            }
            any_extent.emplace_back(one.einsum.dimensions.size(), true);
        }
        found.leaves =
            std::make_unique<fusion::FloorLeaves>(problem_.cascade(), *machines_[kind], found.demands, any_extent);
    }
    return *found.leaves;
}

// Every operation once, every word read from the buffer once; all units at work; what memories inside take at least.
multicore::LeafCost MappedLeaves::floor(int einsum, int kind, const multicore::Extents& extents) {
    const package::CoreKind& core = problem_.package().kinds[kind];
    if (!core.architecture) return multicore::leaf_on_lanes(problem_, einsum, core, extents);
    if (const auto found = known_.find({alike_[einsum], kind, extents}); found != known_.end())
        return found->second.cost;
    multicore::LeafCost cost;
    cost.is_exact = false;
    cost.operations = operations_of(extents);
    cost.cycles = ceil_div(cost.operations, core.architecture->compute.instances);
    cost.energy_pj = static_cast<double>(cost.operations) * core.architecture->compute.energy_pj.value;
    const Einsum box = box_of(problem_.cascade().einsums[einsum], extents);
    fusion::LeafQuestion question{extents, {}, 0};
    for (int t = 0; t < box.tensor_count(); ++t) {
        if (!box.tensors[t].written) cost.energy_pj += static_cast<double>(tensor_words(box, t)) * core.read_pj;
        question.held.add(t);
    }
    const fusion::LeafPoint& inside = floors(kind).floor(einsum, question);
    cost.energy_pj = std::max(cost.energy_pj, inside.energy_pj * (1.0 - kRounding));
    cost.cycles = std::max(cost.cycles, static_cast<std::int64_t>(std::floor(inside.cycles)));
    return cost;
}

multicore::LeafCost MappedLeaves::in_sum(int einsum, int kind) {
    const package::CoreKind& core = problem_.package().kinds[kind];
    const multicore::Extents whole = multicore::whole_of(problem_, einsum);
    if (!core.architecture) return multicore::leaf_on_lanes(problem_, einsum, core, whole);
    multicore::LeafCost cost;
    cost.is_exact = false;
    cost.operations = operations_of(whole);
    const std::vector<double> all_held(problem_.cascade().einsums[einsum].einsum.tensors.size(), -1.0);
    fusion::LeastPerPoint least{kNoMapping, kNoMapping};
    for (const fusion::LeastPerPoint& one : floors(kind).per_point(einsum, all_held))
        least = {std::min(least.energy_pj, one.energy_pj), std::min(least.cycles, one.cycles)};
    const double operations = static_cast<double>(cost.operations) * (1.0 - kRounding);
    cost.cycles = std::max(ceil_div(cost.operations, core.architecture->compute.instances),
                           static_cast<std::int64_t>(std::floor(operations * least.cycles)));
    cost.energy_pj = operations * least.energy_pj;
    return cost;
}

}  // namespace tilewright
