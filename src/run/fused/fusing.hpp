// Which of the two searches fuses a cascade on a machine, and what the machine demands of mappings.
//
//     const Fusing fusing = fusing_of(cascade, architecture, objective, machine.constraints());
//     if (fusing.problem.empty()) use(fuse(cascade, architecture, fusing, objective, &stop));
//
// Leaves are mapped by the optimal mapper (fusion/hierarchy/optimize.hpp). On machines of a DRAM, a buffer and units
// with a register of one word the best of listed leaves is found and proven first (fusion/optimize.hpp): it is what the
// search through all leaves begins with.
#pragma once

#include <string>
#include <vector>

#include "fusion/optimize.hpp"
#include "mapspace/constraints.hpp"
#include "run/map_network.hpp"

namespace tilewright {

struct Fusing {
    std::string problem = {};               ///< why nothing is searched; "" when something is
    bool inside = false;                    ///< memories inside the shared buffer are searched, too
    std::vector<Constraints> demands = {};  ///< by einsum
};

/// Throws what `constraints` throws: of a machine with memories inside the buffer it is asked in the names of layers.
Fusing fusing_of(const Cascade& cascade, const Architecture& architecture, const Objective& objective,
                 const ConstraintsOf& constraints = {});

/// The same where leaves are mapped by the optimal mapper whatever the machine, as of trees that leave them open
/// (fusion/hierarchy/open_leaves.hpp).
Fusing fusing_inside(const Cascade& cascade, const Architecture& architecture, const Objective& objective,
                     const ConstraintsOf& constraints = {});

/// Requires that there is no problem. Throws OverflowError.
fusion::Answer fuse(const Cascade& cascade, const Architecture& architecture, const Fusing& fusing,
                    const Objective& objective, const StopSource* stop = nullptr,
                    const fusion::TellProgress& tell = {});

}  // namespace tilewright
