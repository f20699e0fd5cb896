// A machine as spelled in its file, in any form: components from the outermost memory to the compute units, with
// attributes, instances and in-place constraints. architecture.cpp and constraints.cpp interpret it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arch/architecture.hpp"
#include "timeloop/components/attributes.hpp"
#include "timeloop/components/component_classes.hpp"
#include "timeloop/machine/array.hpp"
#include "yaml/node.hpp"

namespace tilewright::timeloop {

struct Component {
    std::string name;
    std::string component_class;
    std::string subclass;
    yaml::Node node;  ///< for its place
    Attributes attributes;
    std::optional<std::int64_t> instances;  ///< from the ranges on its path; none in the flat form
    std::optional<Mesh> mesh;               ///< from the hierarchy's containers
    std::optional<std::string> power_gate;  ///< from has_power_gating in a hierarchy
    bool spreads_only = false;
    std::vector<Passage> passages;  ///< directly inside it
    double energy_scale = 1.0;      ///< of an estimate
    double area_scale = 1.0;
    bool latch = false;  ///< holds a tensor whose words pay as a passage inside it
};

/// A component that holds nothing (`no_coalesce`; `no_reuse` without loops), CiMLoop's drivers and converters: its
/// words pass it where they are sent on, as a passage of its level (docs/model.md).
struct PassingComponent {
    Component component;
    std::string level;   ///< a level that only spreads
    std::string tensor;  ///< "": area and leakage alone
    bool adds = false;   ///< results of several neighbours leave it as their sum
};

/// `no_reuse` of a fan-out: neighbours share no words of these tensors.
struct UnsharedFanout {
    std::string level;
    std::vector<std::string> tensors;
    yaml::Node node;
    /// Those that a memory outside would send once for all neighbours: no loop here may leave them alone.
    std::vector<std::string> bound = {};
};

/// `constraints: {spatial: .., temporal: .., dataspace: ..}` inside a component or container.
struct PlacedConstraints {
    std::string memory;          ///< owner of the temporal and dataspace constraints; empty for a container
    std::string spatial_memory;  ///< the spreading level; empty without a fan-out
    bool has_spatial = false;    ///< `spatial` is given, if only as 1 x 1
    yaml::Node node;
    std::shared_ptr<const Scope> scope;
};

/// One branch of a !Parallel group: its memories, or bypassing tensors (!Nothing).
struct ParallelBranch {
    std::vector<std::string> memories;
    std::vector<yaml::Node> constraints;
};

struct ParallelGroup {
    yaml::Node node;
    std::vector<ParallelBranch> branches;
};

enum class Form { flat, tree, hierarchy };

struct MachineFile {
    Form form = Form::flat;
    yaml::Node root;
    bool dumped = false;  ///< written by Timeloop's front end: expressions are computed, unused variables remain
    std::string name;
    std::vector<Component> memories;  ///< outermost first
    Component compute;
    bool has_compute = false;
    std::optional<PlacedArray> array;  ///< at the places of the compute units
    std::vector<PassingComponent> passing;
    std::vector<UnsharedFanout> unshared;
    std::vector<Component> networks;
    std::vector<std::string> others;  ///< components without a role in the model
    std::vector<PlacedConstraints> constraints;
    std::vector<ParallelGroup> parallels;
    /// Sections `sparse_optimizations` of components, by their level. Empty unless Sparsity::read.
    std::vector<std::pair<std::string, yaml::Node>> sparse_sections;
    bool reads_sparse = false;
    std::shared_ptr<const Scope> variables;
    std::shared_ptr<Evaluator> evaluator;
};

/// Sparse sections: refused as unsupported, or read (timeloop/sparse/read_sparse.hpp).
enum class Sparsity { refused, read };

/// Reads `architecture` or `arch` of `root`. Throws InputError.
MachineFile read_machine(const yaml::Node& root, Sparsity sparsity = Sparsity::refused);

/// The machine's section in `root`, or null.
const yaml::Node* find_architecture(const yaml::Node& root);

// The three forms (flat.cpp, tree.cpp, hierarchy.cpp).
void read_flat(const yaml::Node& architecture, MachineFile& machine);
void read_tree(const yaml::Node& architecture, MachineFile& machine);
void read_hierarchy(const yaml::Node& architecture, MachineFile& machine);

/// The place of a component's class: `class`, or `subclass` alone as in Accelergy; else missing_key.
const yaml::Node& class_of(const yaml::Node& component);
/// Its `subclass`, or "".
std::string subclass_of(const yaml::Node& component);

/// Adds a component in the role of its class; refuses a duplicate name or a second compute unit. `place`: its source.
void add_component(MachineFile& machine, Component component, Role role);

/// unknown_key for an unknown or unused attribute; unsupported for sparse features. `used`: names referenced by
/// expressions and compound components.
void check_attributes(const yaml::Node& attributes, const std::vector<std::string>& used, bool reads_sparse = false);

/// Reads `energy_scale` and `area_scale` beside the class of `node`. bad_value if negative.
void set_scales(const yaml::Node& node, Component& component);

/// unsupported if the version of `architecture` is not in `known`.
void check_version(const yaml::Node& architecture, const std::vector<std::string>& known);

/// Keeps a non-empty sparse_optimizations section of `node` for `level`, or refuses it.
void take_sparse(const yaml::Node& node, const std::string& level, MachineFile& machine);

/// "PE[0..15]" -> "PE" and 16; "PE" -> "PE" and 1. Fails at `node`.
struct RangedName {
    std::string name;
    std::int64_t count = 1;
};
RangedName ranged_name(const yaml::Node& node);

}  // namespace tilewright::timeloop
