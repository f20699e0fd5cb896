// Checks that a certificate's machine is the best of its space: the tree covers the space, and each leaf holds.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "certificate/claim/check.hpp"
#include "certificate/codesign/machines.hpp"
#include "certificate/codesign/tree.hpp"

namespace tilewright::certificate {

/// Relative difference below which machines count as equal.
inline constexpr double kEqualMachines = 1e-8;

struct TreeVerdict {
    std::vector<Finding> findings;  ///< "tree.12.layers.3": path and fault; none: all is confirmed
    std::string proof;              ///< the theorem proven, in words
};

/// `stop`: polled; the rest then counts as not confirmed. `tell`: boxes done, and their total.
TreeVerdict check(const MachineCertificate& certificate, const std::function<bool()>& stop = {},
                  const std::function<void(std::size_t, std::size_t)>& tell = {});

// The best case of a box of machines: a machine with every mapping of those within the area limit, at no greater cost.
//
// Every number of every part is the best in the box: largest capacity and bandwidth, least energy, area and latency,
// the most neighbours along x and y. Wire lengths depend on the mesh: if it varies, wires are free; otherwise tiles
// have their least area. Properties without an order must be equal.
//
// Written for the checker; the search has codesign/relaxation.hpp.

struct BestCase {
    std::string unknown;          ///< reason there is no best case; "": there is
    bool within_area = false;     ///< some machine may be within the limit
    double least_area_mm2 = 0.0;  ///< of all machines of the box, for any limit
    Architecture machine;
    std::vector<Constraints> constraints;  ///< by layer of the form; implied by those of every machine of the box
};

BestCase best_case(const MachineSpace& space, const MachineForm& form, const MachineBox& box);

}  // namespace tilewright::certificate
