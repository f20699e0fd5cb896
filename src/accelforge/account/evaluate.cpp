#include "accelforge/account/evaluate.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "accelforge/account/gating.hpp"
#include "accelforge/account/occupancy.hpp"
#include "base/numbers/number_text.hpp"

namespace tilewright::accelforge {
namespace {

void add_action(const MappedEinsum& mapped, int component, const std::string& tensor, const std::string& action,
                double count, EinsumCosts& costs) {
    const Component& where = mapped.path.component(component);
    const Action* known = where.action(action);
    const double all = count * mapped.path.einsum->instances;
    costs.actions.push_back(
        {where.name, tensor, action, all, known == nullptr || all == 0.0 ? 0.0 : all * known->energy_j});
    costs.energy_j += costs.actions.back().energy_j;
}

void add_actions(const MappedEinsum& mapped, EinsumCosts& costs) {
    for (const HolderCounts& holder : mapped.counts.holders) {
        const std::string& tensor = mapped.path.access(holder.tensor).tensor;
        add_action(mapped, holder.component, tensor, "read", holder.reads, costs);
        add_action(mapped, holder.component, tensor, "write", holder.writes, costs);
    }
    const double scale = mapped.path.component(mapped.path.compute).actions_scale;
    add_action(mapped, mapped.path.compute, "", "compute", mapped.counts.operations * scale, costs);
}

// Empty: the component is idle for this einsum.
std::optional<std::vector<ActionCalls>> calls_of(const MappedEinsum& mapped, int component) {
    const double scale = mapped.path.component(component).actions_scale;
    if (component == mapped.path.compute) return {{{"compute", mapped.counts.compute_steps * scale}}};
    ActionCalls reads{"read", 0.0};
    ActionCalls writes{"write", 0.0};
    bool holds = false;
    for (const HolderCounts& holder : mapped.counts.holders) {
        if (holder.component != component) continue;
        holds = true;
        reads.calls += holder.unit_reads * scale;
        writes.calls += holder.unit_writes * scale;
    }
    return holds ? std::optional(std::vector{reads, writes}) : std::nullopt;
}

void add_times(const MappedEinsum& mapped, EinsumCosts& costs) {
    for (const int index : mapped.path.components) {
        const std::optional<std::vector<ActionCalls>> calls = calls_of(mapped, index);
        if (!calls) continue;
        const Component& component = mapped.path.component(index);
        const double seconds = component.latency(*calls) * mapped.path.einsum->instances;
        costs.seconds.push_back({component.name, seconds});
        costs.latency_s = std::max(costs.latency_s, seconds);
    }
}

void add_leaks(const MappedEinsum& mapped, EinsumCosts& costs) {
    const std::vector<double> shares = leaking_share(mapped.path, mapped.counts);
    const std::vector<double> instances = outer_instances(mapped.path.machine);
    for (std::size_t i = 0; i < shares.size(); ++i) {
        const Component& component = mapped.path.machine.components[i];
        if (component.kind == ComponentKind::container) continue;
        const double leak =
            component.leak_w == 0.0 ? 0.0 : component.leak_w * instances[i] * costs.latency_s * shares[i];
        costs.leak_j.push_back({component.name, leak});
        costs.energy_j += leak;
    }
}

EinsumCosts costs_of(const MappedEinsum& mapped) {
    EinsumCosts costs;
    costs.einsum = mapped.path.einsum->name;
    add_actions(mapped, costs);
    add_times(mapped, costs);
    add_leaks(mapped, costs);
    return costs;
}

// One branch per einsum of the tree, in workload order.
std::vector<std::pair<int, const Branch*>> order_of(const Workload& workload, const std::vector<Branch>& branches) {
    std::vector<std::pair<int, const Branch*>> order;
    std::vector<std::string> names;
    for (const EinsumSpec& einsum : workload.einsums) names.push_back(einsum.name);
    for (const Branch& branch : branches) {
        const MappingNode& last = *branch.nodes.back();
        const int index = workload.einsum_of(last.einsum);
        if (index < 0)
            throw InputError(ErrorCode::unknown_name, last.where,
                             "the workload has no einsum '" + last.einsum + "'" + did_you_mean(last.einsum, names));
        if (std::ranges::any_of(order, [&](const auto& one) { return one.first == index; }))
            throw InputError(ErrorCode::bad_value, last.where, "einsum '" + last.einsum + "' is computed twice");
        order.emplace_back(index, &branch);
    }
    std::ranges::sort(order, {}, &std::pair<int, const Branch*>::first);
    return order;
}

void add_failures(Costs& costs) {
    for (const MemoryUse& use : costs.memories)
        if (use.bits > use.size_bits)
            costs.failures.push_back(use.memory + " holds " + figure_text(use.bits) + " bits and has room for " +
                                     figure_text(use.size_bits));
}

}  // namespace

Costs evaluate(const Workload& workload, const MachineFor& machine_for, const MappingTree& mapping) {
    const std::vector<Branch> branches = branches_of(mapping);
    std::vector<MappedEinsum> einsums;
    Costs costs;
    for (const auto& [index, branch] : order_of(workload, branches)) {
        const EinsumSpec& einsum = workload.einsums[index];
        MappedEinsum mapped{path_of(workload, einsum, machine_for(einsum), *branch), {}};
        mapped.counts = count(mapped.path);
        costs.einsums.push_back(costs_of(mapped));
        costs.energy_j += costs.einsums.back().energy_j;
        costs.latency_s += costs.einsums.back().latency_s;
        einsums.push_back(std::move(mapped));
    }
    costs.memories = occupancy(workload, einsums);
    add_failures(costs);
    return costs;
}

}  // namespace tilewright::accelforge
