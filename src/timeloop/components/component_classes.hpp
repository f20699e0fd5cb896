// Roles of components, from Timeloop's substrings of the class name.
#pragma once

#include <string>
#include <string_view>

namespace tilewright::timeloop {

enum class Role {
    memory,   ///< the class contains DRAM, SRAM, regfile, smartbuffer or storage
    compute,  ///< ... mac or compute
    network,  ///< ... XY_NoC, Legacy, ReductionTree or SimpleMulticast
    passive,  ///< wires, adders and the like: only an energy estimator uses them
    unknown,
};

Role role_of(std::string_view component_class);

/// The class words of the table above, for messages.
std::string known_classes();

}  // namespace tilewright::timeloop
