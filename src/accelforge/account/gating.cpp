#include "accelforge/account/gating.hpp"

#include <algorithm>

namespace tilewright::accelforge {
namespace {

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

}  // namespace

std::vector<double> leaking_share(const EinsumPath& path, const EinsumCounts& counts) {
    return Gating(path, counts).shares();
}

std::vector<double> outer_instances(const MachineSpec& machine) {
    std::vector<double> instances(machine.components.size(), 1.0);
    double outer = 1.0;
    count_instances(machine, machine.tree, outer, instances);
    return instances;
}

}  // namespace tilewright::accelforge
