// AccelForge's machine as one einsum sees it: its expressions may ask which tensors the einsum has, so sizes, energies
// and what is switched on can differ from einsum to einsum. Values; thread-safe. Tensors are numbered as the einsum's
// accesses, sets of them are bits.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace tilewright::accelforge {

enum class ComponentKind { memory, toll, compute, container };

struct Action {
    std::string name;
    double energy_j = 0.0;
    double per_second = std::numeric_limits<double>::infinity();
    double bits = 1.0;           ///< of one action
    std::vector<double> values;  ///< of one action, by tensor; 0: as many as the bits hold
};

/// So many of what follows, side by side.
struct Fanout {
    std::string name;
    double size = 1.0;
    std::uint64_t may_reuse = 0;  ///< tensors that are multicast or reduced across it
    std::uint64_t reuse = 0;      ///< tensors that no loop across it may move
    double min_usage = 0.0;
    double usage_scale = 1.0;
    bool power_gateable = false;
};

/// Calls of an action in one einsum.
struct ActionCalls {
    std::string name;
    double calls = 0.0;
};
/// Seconds that the calls take, one instance.
using LatencyRule = std::function<double(const std::vector<ActionCalls>&)>;

/// A key of the file that says which mappings AccelForge's search may find, and no more.
struct SearchRule {
    std::string key;
    Location where;
};

enum class TollDirection { up, down, both };

struct Component {
    ComponentKind kind = ComponentKind::memory;
    std::string name;
    std::string component_class;
    bool enabled = true;
    std::vector<Fanout> fanouts;
    std::vector<Action> actions;
    double leak_w = 0.0;  ///< of one instance
    double area_m2 = 0.0;
    double actions_scale = 1.0;
    bool skips_first_read = true;
    double size_bits = std::numeric_limits<double>::infinity();
    std::vector<double> bits;               ///< of a value here, by tensor; 0: as elsewhere
    std::vector<TollDirection> directions;  ///< by tensor
    std::uint64_t keep = 0;
    std::uint64_t may_keep = 0;
    LatencyRule latency;  ///< none: a container
    Location where;

    std::vector<std::string> missing;          ///< "read energy", "leak_power": not given
    std::map<std::string, double> attributes;  ///< that its model is asked with: tech_node, n_banks, ...
    std::vector<SearchRule> search_rules;      ///< what only AccelForge's search looks at
    bool has_own_bits = false;                 ///< `bits_per_value` of its own

    double fanout() const;
    const Action* action(const std::string& name) const;
};

/// A component, or a side branch whose nodes are not above those behind it.
struct MachineNode {
    int component = -1;
    bool is_fork = false;
    bool forked_power_gateable = false;
    bool non_forked_power_gateable = false;
    std::vector<MachineNode> inside;
};

struct MachineSpec {
    std::vector<Component> components;  ///< in the order of the file
    std::vector<MachineNode> tree;

    int component_of(const std::string& name) const;  ///< -1: there is none
    /// Components above and with this compute unit, outermost first.
    std::vector<int> path_to(int compute) const;
};

}  // namespace tilewright::accelforge
