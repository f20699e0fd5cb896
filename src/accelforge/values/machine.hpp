// AccelForge's machine for one einsum: its expressions may refer to the einsum's tensors, so sizes, energies and
// enabled parts can differ between einsums. Values; thread-safe. Tensors are numbered as the einsum's accesses, sets of
// them are bits.
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
    std::vector<double> values;  ///< of one action, by tensor; 0: by the bits
};

/// A number of copies of the following nodes, side by side.
struct Fanout {
    std::string name;
    double size = 1.0;
    std::uint64_t may_reuse = 0;  ///< tensors with multicast or reduction across it
    std::uint64_t reuse = 0;      ///< tensors irrelevant to every loop across it
    double min_usage = 0.0;
    double usage_scale = 1.0;
    bool power_gateable = false;
};

/// Copies that loops can use: each iteration takes `usage_scale` of them.
inline double usable(const Fanout& fanout) {
    return fanout.usage_scale > 1.0 && fanout.usage_scale <= fanout.size
               ? static_cast<double>(static_cast<std::int64_t>(fanout.size / fanout.usage_scale + 1e-9))
               : fanout.size;
}

struct ActionCalls {
    std::string name;
    double calls = 0.0;
};
/// Seconds of these calls in one instance.
using LatencyRule = std::function<double(const std::vector<ActionCalls>&)>;

/// A key restricting AccelForge's search only.
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
    std::uint64_t sends_once =
        0;                ///< tensors whose values go inwards once for each time they come (no_resend_to_below)
    LatencyRule latency;  ///< none: a container
    Location where;

    std::vector<std::string> missing;          ///< missing values: "read energy", "leak_power"
    std::map<std::string, double> attributes;  ///< arguments of its model: tech_node, n_banks, ...
    std::map<std::string, std::string> texts;  ///< arguments that are texts: cell_config
    std::vector<SearchRule> search_rules;      ///< keys of AccelForge's search only
    bool has_own_bits = false;                 ///< `bits_per_value` of its own

    double fanout() const;
    const Action* action(const std::string& name) const;
};

/// A component, or a side branch not above the nodes behind it.
struct MachineNode {
    int component = -1;
    bool is_fork = false;
    bool forked_power_gateable = false;
    bool non_forked_power_gateable = false;
    std::vector<MachineNode> inside;
};

struct MachineSpec {
    std::vector<Component> components;  ///< in file order
    std::vector<MachineNode> tree;

    int component_of(const std::string& name) const;  ///< -1: there is none
    /// Components above and with this compute unit, outermost first.
    std::vector<int> path_to(int compute) const;
};

}  // namespace tilewright::accelforge
