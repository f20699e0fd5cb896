// The best of several machines in one: every input to energy and cycles at its cheapest. It has every mapping of the
// machines, at no greater cost.
//
// Properties without an order (words of a row, instances of a cluster, the kind of network) have to be equal: such
// machines have one *form*, and only machines of one form are joined.
#pragma once

#include <vector>

#include "arch/architecture.hpp"
#include "mapspace/constraints.hpp"

namespace tilewright::codesign {

/// A memory without relax()'s numbers, mesh and instances: equal forms may be joined.
Memory form_of(const Memory& memory);
Compute form_of(const Compute& compute);

/// Takes every better number of `other`: more capacity and bandwidth, less energy, area and latency. Requires equal
/// forms. The mesh and the instances of `best` stay.
void relax(Memory& best, const Memory& other);
void relax(Compute& best, const Compute& other);

/// The meshes of all levels, outermost memory first, the compute units last.
using Meshes = std::vector<Mesh>;

Meshes meshes_of(const Architecture& architecture);

/// Fan-outs of several machines: below every memory the widest, the smallest, and whether they are alike.
struct Fanouts {
    std::vector<Mesh> widest;
    std::vector<std::int64_t> smallest;  ///< inner neighbours of one instance
    std::vector<bool> alike;
    std::vector<bool> sometimes_one;   ///< of some machine: one inner neighbour only
    std::vector<std::int64_t> fewest;  ///< instances, by level
    std::int64_t fewest_units = 1;     ///< compute units

    /// Requires at least one; all of the same number of levels.
    explicit Fanouts(const Meshes& first);
    void add(const Meshes& other);
};

/// Gives a machine the widest fan-outs. Wires below a varying fan-out are free, since lengths depend on the mesh;
/// others get their length from the least inner areas. Requires a machine of the best parts.
void spread_out(Architecture& best, const Fanouts& fanouts);

/// Constraints implied by those of each machine: none on a fan-out that is sometimes one neighbour, and the least share
/// of units of the machine with the fewest.
Constraints relaxed(Constraints constraints, const Fanouts& fanouts, std::int64_t units);

}  // namespace tilewright::codesign
