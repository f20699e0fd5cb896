// The best case of a box of machines: one machine on which no mapping costs more than on any machine of the box that
// may keep the limit of area, and which has all mappings that those have.
//
// Every number of every part is the best that any machine of the box has there: the largest capacity and bandwidth, the
// least energy, area and latency. Below every memory lie as many neighbours along x and y as any of them has. How far
// words travel depends on the mesh: where it is not the same in all of them, they travel for nothing; elsewhere over
// tiles of the least area. What has no better and worse must be alike.
//
// It is the checker's own: the search has another one (codesign/relaxation.hpp).
#pragma once

#include <string>
#include <vector>

#include "certificate/codesign/machines.hpp"

namespace tilewright::certificate {

struct BestCase {
    std::string unknown;          ///< why nothing can be said of such machines; "": the rest holds
    bool within_area = false;     ///< some machine may keep the limit; else there is no machine
    double least_area_mm2 = 0.0;  ///< of all machines of the box, whatever the limit
    Architecture machine;
    std::vector<Constraints> constraints;  ///< by layer of the form; met wherever those of a machine of the box are
};

BestCase best_case(const MachineSpace& space, const MachineForm& form, const MachineBox& box);

}  // namespace tilewright::certificate
