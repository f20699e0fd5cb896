// One einsum's view of a mapping: holders, loops and the compute unit on its path from the root to its branch's end.
#pragma once

#include <cstdint>
#include <vector>

#include "accelforge/values/machine.hpp"
#include "accelforge/values/mapping.hpp"
#include "accelforge/values/workload.hpp"

namespace tilewright::accelforge {

struct SplitPlace {
    const MappingNode* split = nullptr;
    int branch = 0;

    bool operator==(const SplitPlace&) const = default;
};

struct Branch {
    std::vector<const MappingNode*> nodes;  ///< from the root to the compute
    std::vector<SplitPlace> splits;
    std::vector<std::size_t> splits_above;  ///< by node: number of splits above it
};

std::vector<Branch> branches_of(const MappingTree& tree);

struct Step {
    enum class Kind { hold, reserve, loop, compute };
    Kind kind = Kind::hold;
    const MappingNode* node = nullptr;
    std::size_t position = 0;  ///< as written
    int component = -1;        ///< of holders, spatial loops and the compute unit
    int tensor = -1;           ///< of holders and reservations: access of the einsum
    bool first = false;        ///< holder or its reservation: the outermost of its tensor
    std::size_t splits_above = 0;
    int variable = -1;
    double tile = 1.0;
    bool spatial = false;
    int fanout = -1;  ///< of spatial loops: index into the component's
};

struct EinsumPath {
    const EinsumSpec* einsum = nullptr;
    MachineSpec machine;
    int compute = -1;                ///< component
    std::vector<int> components;     ///< above the compute unit and itself, outermost first
    std::vector<int> place_on_path;  ///< by component; -1: off the path
    std::vector<Step> steps;         ///< without reservations
    std::vector<SplitPlace> splits;

    const Component& component(int index) const { return machine.components[index]; }
    const TensorAccess& access(int tensor) const { return einsum->accesses[tensor]; }
};

/// Throws InputError at the mapping's node: unknown names, components not above the compute unit, tiles larger than
/// their surroundings, a rank variable without a loop of single steps, a tensor without a holder, an outermost toll,
/// too many instances.
EinsumPath path_of(const Workload& workload, const EinsumSpec& einsum, MachineSpec machine, const Branch& branch);

/// With every holder's reservation. An outermost holder's stands right behind it; any other sinks through fully
/// relevant temporal loops, through one partly relevant one, and stops above any other step.
std::vector<Step> with_reservations(const EinsumPath& path);

/// The steps of one tensor: without other tensors' holders, each spatial loop right above the first holder (or the
/// compute unit) at or inside its component. Throws InputError if loops over one variable would be reordered.
std::vector<Step> steps_of_tensor(const EinsumPath& path, const std::vector<Step>& steps, int tensor);

}  // namespace tilewright::accelforge
