// A mapping as one einsum sees it: the holders, loops and the compute unit on its way from the root to its branch's
// end.
#pragma once

#include <cstdint>
#include <vector>

#include "accelforge/values/machine.hpp"
#include "accelforge/values/mapping.hpp"
#include "accelforge/values/workload.hpp"

namespace tilewright::accelforge {

/// Which branch of a split was taken.
struct SplitPlace {
    const MappingNode* split = nullptr;
    int branch = 0;

    bool operator==(const SplitPlace&) const = default;
};

struct Branch {
    std::vector<const MappingNode*> nodes;  ///< from the root to the compute
    std::vector<SplitPlace> splits;
    std::vector<std::size_t> splits_above;  ///< by node: how many of them stand above it
};

/// All branches of a tree, in their order.
std::vector<Branch> branches_of(const MappingTree& tree);

struct Step {
    enum class Kind { hold, reserve, loop, compute };
    Kind kind = Kind::hold;
    const MappingNode* node = nullptr;
    std::size_t position = 0;  ///< as written
    int component = -1;        ///< of holders, spatial loops and the compute unit
    int tensor = -1;           ///< of holders and reservations: access of the einsum
    bool first = false;        ///< holder or its reservation: no other holds the tensor further out
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
    std::vector<int> place_on_path;  ///< by component; -1: it is not on the path
    std::vector<Step> steps;         ///< without reservations
    std::vector<SplitPlace> splits;

    const Component& component(int index) const { return machine.components[index]; }
    const TensorAccess& access(int tensor) const { return einsum->accesses[tensor]; }
};

/// Throws InputError at the mapping's node: names that do not exist, components that are not above the compute unit,
/// tiles larger than what is around them, a rank variable without a loop of single steps, a tensor that is held
/// nowhere, an outermost toll, more instances than there are.
EinsumPath path_of(const Workload& workload, const EinsumSpec& einsum, MachineSpec machine, const Branch& branch);

/// With the reservation of every holder. That of an outermost holder stands right behind it; any other sinks through
/// temporal loops that move the tensor fully, through one that moves it partly, and stops above any other step.
std::vector<Step> with_reservations(const EinsumPath& path);

/// The steps that count for one tensor: no other's holders, and each spatial loop right above the first holder (or the
/// compute unit) that lies at or inside its component. Throws InputError where loops over one variable would change
/// places.
std::vector<Step> steps_of_tensor(const EinsumPath& path, const std::vector<Step>& steps, int tensor);

}  // namespace tilewright::accelforge
