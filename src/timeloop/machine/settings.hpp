// Changes of one number of a machine, as if its file had been written so: `buffer.depth=4096`.
//
// A setting edits the tree that was read, before a machine is made of it: what a depth means for the capacity,
// the instances, the energies that are estimated, is what it would mean in the file. Where the file spells the
// attribute in another way (memory_depth), or says the capacity otherwise (entries, sizeKB), the setting takes its
// place.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "yaml/node.hpp"

namespace tilewright::timeloop {

/// Names: `COMPONENT.ATTRIBUTE` (a memory, the compute units, a network or a container; meshX, meshY and instances
/// too), `ATTRIBUTE` (everywhere in the machine where it is given; `technology` also where nothing gives it) and
/// `variables.NAME`.
struct Setting {
    std::string name;
    std::string value;
    Location where;  ///< for messages
};

/// `root` with the settings made, in order. Throws InputError at the setting: unknown_name for a component that is not
/// there, unknown_key for an unknown attribute, both with the nearest one.
yaml::Node with_settings(const yaml::Node& root, const std::vector<Setting>& settings);

/// Names of the memories (and of the compute units) whose size, technology or word the settings may change: those whose
/// given energies and areas, which settings leave alone, may then be beside the point.
std::set<std::string> resized(const Architecture& architecture, const std::vector<Setting>& settings);

/// Forgets the given energies and areas of these components, so that estimate() fills them in.
void forget_given(Architecture& architecture, const std::set<std::string>& components);

}  // namespace tilewright::timeloop
