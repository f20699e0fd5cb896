#include "accelforge/account/evaluate.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "accelforge/account/counts.hpp"
#include "base/numbers/number_text.hpp"

namespace tilewright::accelforge {
namespace {

// Memory occupancy for the einsums of a tree in sequence. Internal to account/.

/// An einsum of the mapping with its reservations.
struct MappedEinsum {
    EinsumPath path;
    EinsumCounts counts;
};

/// One einsum's part in a shared tensor.
struct Share {
    std::size_t einsum = 0;
    const Reservation* reservation = nullptr;
};

using ByName = std::map<std::string, double>;

bool runs_inside(const MappedEinsum& einsum, const MappingNode* loop) {
    return loop != nullptr && std::ranges::any_of(einsum.path.steps, [&](const Step& step) {
               return step.kind == Step::Kind::loop && step.node == loop;
           });
}

/// The branch of an einsum at split `depth` of its path; 0 behind the last.
int branch_at(const MappedEinsum& einsum, std::size_t depth) {
    return depth < einsum.path.splits.size() ? einsum.path.splits[depth].branch : 0;
}

// Number of splits common to all holders of the tensor.
std::size_t common_splits(const std::vector<MappedEinsum>& einsums, const std::vector<Share>& shares) {
    const MappedEinsum& first = einsums[shares.front().einsum];
    std::size_t depth = shares.front().reservation->splits_above;
    for (const Share& share : shares) {
        depth = std::min(depth, share.reservation->splits_above);
        const auto& other = einsums[share.einsum].path.splits;
        std::size_t same = 0;
        while (same < depth && first.path.splits[same] == other[same]) ++same;
        depth = same;
    }
    return depth;
}

bool is_alive(const std::vector<MappedEinsum>& einsums, const std::vector<Share>& shares, std::size_t now) {
    const bool in_a_loop = std::ranges::any_of(
        shares, [&](const Share& share) { return runs_inside(einsums[now], share.reservation->loop_below); });
    if (in_a_loop) return true;
    const std::size_t depth = common_splits(einsums, shares);
    const auto& first = einsums[shares.front().einsum].path.splits;
    const auto& here = einsums[now].path.splits;
    if (here.size() < depth ||
        !std::equal(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(depth), here.begin()))
        return false;
    int begin = branch_at(einsums[shares.front().einsum], depth);
    int end = begin;
    for (const Share& share : shares) {
        begin = std::min(begin, branch_at(einsums[share.einsum], depth));
        end = std::max(end, branch_at(einsums[share.einsum], depth));
    }
    return begin <= branch_at(einsums[now], depth) && branch_at(einsums[now], depth) <= end;
}

const std::string& memory_of(const MappedEinsum& einsum, const Reservation& reservation) {
    return einsum.path.component(reservation.component).name;
}

/// Maximum bits in one instance of each memory. A tile above a loop lives throughout the loop, in all einsums inside
/// it; a shared tensor lives in its outermost memory from the first branch using it to the last; persistent tensors
/// always; the rest during its own einsum.
std::vector<MemoryUse> occupancy(const Workload& workload, const std::vector<MappedEinsum>& einsums) {
    std::vector<ByName> used(einsums.size());
    std::map<std::pair<std::string, std::string>, std::vector<Share>> spans;
    std::map<std::pair<std::string, std::string>, double> always;
    for (std::size_t i = 0; i < einsums.size(); ++i)
        for (const Reservation& one : einsums[i].counts.reservations) {
            const std::string& tensor = einsums[i].path.access(one.tensor).tensor;
            const std::pair key{memory_of(einsums[i], one), tensor};
            if (one.persistent) {
                always[key] = one.bits * einsums[i].path.einsum->instances;
            } else if (one.first && workload.is_shared(tensor)) {
                spans[key].push_back({i, &one});
            } else {
                for (std::size_t now = 0; now < einsums.size(); ++now)
                    if (now == i || runs_inside(einsums[now], one.loop_below)) used[now][key.first] += one.bits;
            }
        }
    for (std::size_t now = 0; now < einsums.size(); ++now) {
        for (const auto& [key, shares] : spans)
            if (is_alive(einsums, shares, now)) used[now][key.first] += shares.front().reservation->bits;
        for (const auto& [key, bits] : always) used[now][key.first] += bits;
    }
    std::vector<MemoryUse> uses;
    for (const MappedEinsum& einsum : einsums)
        for (const int index : einsum.path.components) {
            const Component& component = einsum.path.component(index);
            if (component.kind != ComponentKind::memory) continue;
            auto use = std::ranges::find(uses, component.name, &MemoryUse::memory);
            if (use == uses.end()) use = uses.insert(uses.end(), MemoryUse{component.name, 0.0, component.size_bits});
            use->size_bits = component.size_bits;
        }
    for (MemoryUse& use : uses)
        for (const ByName& one : used)
            if (const auto bits = one.find(use.memory); bits != one.end()) use.bits = std::max(use.bits, bits->second);
    return uses;
}

// Leaking share of each component under power gating. Internal to account/.

bool has_component(const MachineNode& node, int component) {
    return node.component == component ||
           std::ranges::any_of(node.inside, [&](const MachineNode& one) { return has_component(one, component); });
}

class Gating {
   public:
    Gating(const EinsumPath& path, const EinsumCounts& counts)
        : path_(path), counts_(counts), shares_(path.machine.components.size(), 1.0) {}

    std::vector<double> shares() {
        walk(path_.machine.tree, 1.0);
        return std::move(shares_);
    }

   private:
    // Returns the remaining share behind the nodes.
    double walk(const std::vector<MachineNode>& nodes, double outer);
    double branch(const MachineNode& node, double share, double outer);
    double fanout_share(int component, bool unused) const;

    const EinsumPath& path_;
    const EinsumCounts& counts_;
    std::vector<double> shares_;
};

double Gating::fanout_share(int component, bool unused) const {
    double share = 1.0;
    const std::vector<Fanout>& fanouts = path_.component(component).fanouts;
    for (std::size_t i = 0; i < fanouts.size(); ++i) {
        if (!fanouts[i].power_gateable) continue;
        const double usage = counts_.used[component][i] / fanouts[i].size * fanouts[i].usage_scale;
        share *= unused ? 0.0 : usage / fanouts[i].size;
    }
    return share;
}

double Gating::branch(const MachineNode& node, double share, double outer) {
    const bool inside = has_component(node, path_.compute);
    const double entering = node.is_fork && node.forked_power_gateable && !inside ? 0.0 : share;
    const double left = walk(node.inside, outer * entering);
    if (!node.is_fork) return share * left;
    return node.non_forked_power_gateable && inside ? 0.0 : share;
}

double Gating::walk(const std::vector<MachineNode>& nodes, double outer) {
    const bool mine =
        std::ranges::any_of(nodes, [&](const MachineNode& node) { return has_component(node, path_.compute); });
    bool found = false;
    double share = 1.0;
    for (const MachineNode& node : nodes) {
        if (node.component < 0) {
            found = found || has_component(node, path_.compute);
            share = branch(node, share, outer);
            continue;
        }
        share *= fanout_share(node.component, found || !mine);
        shares_[node.component] = outer * share;
        found = found || node.component == path_.compute;
    }
    return share;
}

void count_instances(const MachineSpec& machine, const std::vector<MachineNode>& nodes, double& outer,
                     std::vector<double>& instances) {
    for (const MachineNode& node : nodes) {
        if (node.component < 0) {
            double inner = outer;
            count_instances(machine, node.inside, inner, instances);
            if (!node.is_fork) outer = inner;
            continue;
        }
        instances[node.component] = outer;
        outer *= machine.components[node.component].fanout();
    }
}

/// By component. As in AccelForge, a fan-out's used share is divided by the fan-out once more.
std::vector<double> leaking_share(const EinsumPath& path, const EinsumCounts& counts) {
    return Gating(path, counts).shares();
}

/// By component: instances, without the component's own fan-out (as in AccelForge).
std::vector<double> outer_instances(const MachineSpec& machine) {
    std::vector<double> instances(machine.components.size(), 1.0);
    double outer = 1.0;
    count_instances(machine, machine.tree, outer, instances);
    return instances;
}

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
