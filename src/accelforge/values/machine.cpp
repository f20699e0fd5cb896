#include "accelforge/values/machine.hpp"

#include <algorithm>

namespace tilewright::accelforge {
namespace {

bool holds(const MachineNode& node, int component) {
    return node.component == component ||
           std::ranges::any_of(node.inside, [&](const MachineNode& one) { return holds(one, component); });
}

// True once the compute unit is reached.
bool collect_path(const MachineSpec& machine, const std::vector<MachineNode>& nodes, int compute,
                  std::vector<int>& path) {
    for (const MachineNode& node : nodes) {
        if (node.component >= 0) {
            const bool is_compute = machine.components[node.component].kind == ComponentKind::compute;
            if (!is_compute || node.component == compute) path.push_back(node.component);
            if (node.component == compute) return true;
        } else if (!node.is_fork || holds(node, compute)) {
            if (collect_path(machine, node.inside, compute, path)) return true;
        }
    }
    return false;
}

}  // namespace

double Component::fanout() const {
    double product = 1.0;
    for (const Fanout& one : fanouts) product *= one.size;
    return product;
}

const Action* Component::action(const std::string& called) const {
    const auto found = std::ranges::find(actions, called, &Action::name);
    return found == actions.end() ? nullptr : &*found;
}

int MachineSpec::component_of(const std::string& name) const {
    const auto found = std::ranges::find(components, name, &Component::name);
    return found == components.end() ? -1 : static_cast<int>(found - components.begin());
}

std::vector<int> MachineSpec::path_to(int compute) const {
    std::vector<int> path;
    collect_path(*this, tree, compute, path);
    return path;
}

}  // namespace tilewright::accelforge
