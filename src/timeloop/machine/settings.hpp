// Changes of one number of a machine, as if written in its file: `buffer.depth=4096`.
//
// A setting edits the tree before the machine is built: the effect of a depth on capacity, instances and estimated
// energies is that of the file. It replaces other spellings of the attribute (memory_depth) and of the capacity
// (entries, sizeKB).
#pragma once

#include <set>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "yaml/node.hpp"

namespace tilewright::timeloop {

/// Names: `COMPONENT.ATTRIBUTE` (a memory, the compute units, a network or a container; meshX, meshY and instances
/// too), `ATTRIBUTE` (everywhere it is given; `technology` also where it is not) and `variables.NAME`.
struct Setting {
    std::string name;
    std::string value;
    Location where;  ///< for messages
};

/// `root` with the settings applied in order. Throws InputError at the setting: unknown_name for a missing component,
/// unknown_key for an unknown attribute, both with the nearest one.
yaml::Node with_settings(const yaml::Node& root, const std::vector<Setting>& settings);

/// Memories (and compute units) with a size, technology or word changed by the settings: their given energies and
/// areas, untouched by settings, may no longer apply.
std::set<std::string> resized(const Architecture& architecture, const std::vector<Setting>& settings);

/// Drops these components' given energies and areas, for estimate() to fill in.
void forget_given(Architecture& architecture, const std::set<std::string>& components);

}  // namespace tilewright::timeloop
