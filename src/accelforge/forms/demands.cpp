#include <algorithm>
#include <cmath>
#include <utility>

#include "accelforge/forms/as_ours.hpp"

namespace tilewright::accelforge {
namespace {

// A dimension may use fan-outs with irrelevant `reuse`.
bool may_cross(const Fanout& fanout, const EinsumSpec& spec, int variable) {
    for (std::size_t t = 0; t < spec.accesses.size(); ++t)
        if ((fanout.reuse >> t & 1U) != 0 && relevancy(spec.accesses[t], variable) != Relevancy::none) return false;
    return true;
}

// A component's first fan-out is X, the product of the others Y.
Mesh most_across(const Component& component, const EinsumSpec& spec, int variable) {
    Mesh most;
    for (std::size_t i = 0; i < component.fanouts.size(); ++i)
        if (may_cross(component.fanouts[i], spec, variable))
            (i == 0 ? most.x : most.y) *= static_cast<std::int64_t>(usable(component.fanouts[i]));
    return most;
}

// Each dimension has one axis: Y for those of both if others use X alone.
void split_axes(const std::vector<Mesh>& most, LoopConstraint& loops) {
    const auto along_y = [](const Mesh& one) { return one.y > 1; };
    if (std::ranges::all_of(most, along_y)) return;
    for (int d = 0; d < static_cast<int>(most.size()); ++d) (along_y(most[d]) ? loops.outer : loops.inner).push_back(d);
    loops.split = static_cast<int>(loops.inner.size());
    for (std::size_t d = 0; d < most.size(); ++d) loops.factors[d].at_most = along_y(most[d]) ? most[d].y : most[d].x;
}

// Operands without axes are no tensors to a machine's expressions.
Einsum without_constants(Einsum einsum) {
    std::erase_if(einsum.tensors, [](const Tensor& tensor) { return !tensor.written && tensor.ranks.empty(); });
    return einsum;
}

constexpr double kCalls = 1e6;  // argument for a latency rule

/// A machine's demands on an einsum's mappings.
class Demands {
   public:
    Demands(MachineSpec machine, EinsumSpec spec, const Architecture& architecture, const Einsum& einsum)
        : machine_(std::move(machine)),
          spec_(std::move(spec)),
          architecture_(architecture),
          einsum_(einsum),
          across_(architecture.memories.size()) {
        for (int t = 0; t < einsum.tensor_count(); ++t)
            if (einsum.tensors[t].written || !einsum.tensors[t].ranks.empty()) tensors_.push_back(t);
    }

    Constraints all() {
        made_.levels.resize(architecture_.memories.size());
        const int compute = machine_.component_of(architecture_.compute.name);
        find_unit(compute);
        if (machine_.component_of(architecture_.memories.front().name) < 0) level_ = 0;  // a free memory outside
        for (const int index : machine_.path_to(compute)) add(index);
        for (std::size_t l = 0; l < across_.size(); ++l) {
            LoopConstraint& loops = made_.levels[l].spatial;
            for (const Mesh& most : across_[l]) loops.factors.push_back({std::nullopt, 1, most.size()});
            split_axes(across_[l], loops);
        }
        return std::move(made_);
    }

   private:
    // An einsum outside the array runs on another unit: as a row of array lanes equal to its speed-up.
    void find_unit(int compute) {
        if (machine_.components[compute].enabled) return;
        for (int i = 0; i < static_cast<int>(machine_.components.size()); ++i) {
            const Component& one = machine_.components[i];
            if (one.kind != ComponentKind::compute || !one.enabled) continue;
            const double lanes =
                machine_.components[compute].latency({{"compute", kCalls}}) / one.latency({{"compute", kCalls}});
            constexpr double kMost = 1e9;
            unit_ = i;
            lanes_ = std::isfinite(lanes) ? static_cast<std::int64_t>(std::clamp(std::floor(lanes + 1e-9), 1.0, kMost))
                                          : static_cast<std::int64_t>(kMost);
            return;
        }
    }

    // A fan-out lies above its component: below the previous memory.
    void add(int index) {
        const Component& component = machine_.components[index];
        if (!component.fanouts.empty() && level_ >= 0) spread(component, unit_ >= 0 && index > unit_);
        const int level = find_memory(architecture_, component.name);
        if (level < 0) return;  // no room for any word, or a toll beside others
        level_ = level;
        if (component.kind == ComponentKind::toll) return;
        LevelConstraint& at = made_.levels[level_];
        for (std::size_t t = 0; level_ > 0 && t < tensors_.size(); ++t) {
            if ((component.keep >> t & 1U) != 0 && component.enabled)
                at.must_keep.add(tensors_[t]);
            else if (!component.enabled || (component.may_keep >> t & 1U) == 0)
                at.must_bypass.add(tensors_[t]);
        }
        send_once(component.sends_once, at.temporal);
    }

    // Loops inside a store that do not move a tensor, or move windows of it, would send its values again.
    void send_once(std::uint64_t tensors, LoopConstraint& loops) const {
        for (std::size_t t = 0; t < spec_.accesses.size(); ++t)
            for (std::size_t d = 0; (tensors >> t & 1U) != 0 && d < einsum_.dimensions.size(); ++d) {
                const int variable = spec_.variable_of("v" + std::to_string(d));
                loops.factors.resize(einsum_.dimensions.size());
                if (variable < 0 || relevancy(spec_.accesses[t], variable) != Relevancy::full)
                    loops.factors[d].exactly = 1;
            }
    }

    void spread(const Component& component, bool is_beside) {
        std::vector<Mesh>& most = across_[level_];
        most.resize(einsum_.dimensions.size());
        for (std::size_t d = 0; d < einsum_.dimensions.size(); ++d) {
            const int variable = spec_.variable_of("v" + std::to_string(d));
            Mesh one = variable < 0 ? Mesh{} : most_across(component, spec_, variable);
            if (is_beside && variable >= 0)
                one = {std::min(lanes_, static_cast<std::int64_t>(usable(component.fanouts.front()))), 1};
            most[d] = {most[d].x * one.x, most[d].y * one.y};
        }
    }

    MachineSpec machine_;
    EinsumSpec spec_;
    const Architecture& architecture_;
    const Einsum& einsum_;
    std::vector<int> tensors_;               // of the einsum, by place in the spec
    std::vector<std::vector<Mesh>> across_;  // by memory and dimension, below it
    int unit_ = -1;                          // the einsum's unit beside the array
    std::int64_t lanes_ = 1;
    int level_ = -1;  // the innermost memory so far
    Constraints made_;
};

}  // namespace

Constraints constraints_of(const yaml::Node& root, const Architecture& architecture, const Einsum& einsum,
                           double bits) {
    EinsumSpec spec = spec_of(without_constants(einsum), bits);
    MachineSpec machine = read_machine(root, spec);
    return Demands(std::move(machine), std::move(spec), architecture, einsum).all();
}

}  // namespace tilewright::accelforge
