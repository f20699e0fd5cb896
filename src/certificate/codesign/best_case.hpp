// The best case of a box of machines: a machine with every mapping of those within the area limit, at no greater cost.
//
// Every number of every part is the best in the box: largest capacity and bandwidth, least energy, area and latency,
// the most neighbours along x and y. Wire lengths depend on the mesh: if it varies, wires are free; otherwise tiles
// have their least area. Properties without an order must be equal.
//
// Written for the checker; the search has codesign/relaxation.hpp.
#pragma once

#include <string>
#include <vector>

#include "certificate/codesign/machines.hpp"

namespace tilewright::certificate {

struct BestCase {
    std::string unknown;          ///< reason there is no best case; "": there is
    bool within_area = false;     ///< some machine may be within the limit
    double least_area_mm2 = 0.0;  ///< of all machines of the box, for any limit
    Architecture machine;
    std::vector<Constraints> constraints;  ///< by layer of the form; implied by those of every machine of the box
};

BestCase best_case(const MachineSpace& space, const MachineForm& form, const MachineBox& box);

}  // namespace tilewright::certificate
