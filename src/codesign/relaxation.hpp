// The best of several machines in one: at every number that a mapping's energy and cycles depend on, the one that costs
// least. Every mapping that one of them has, the best of them has, and it costs no more there.
//
// What has no better and worse (words of a row, instances of a cluster, what a network is) has to be alike: such
// machines have one *form*, and only machines of one form are taken together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "mapspace/constraints.hpp"

namespace tilewright::codesign {

/// A memory without the numbers that relax() takes the best of, its mesh and its instances: equal forms may be taken
/// together.
Memory form_of(const Memory& memory);
Compute form_of(const Compute& compute);

/// Takes what is better in `other`: more capacity and bandwidth, less energy, area and latency. Requires equal forms.
/// The mesh and the instances of `best` stay.
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

/// Gives a machine the widest fan-outs. Wires below a memory whose fan-out is not that of all machines cost nothing:
/// how far words travel depends on the mesh. The length of others follows from the least areas inside. Requires a
/// machine of the best parts.
void spread_out(Architecture& best, const Fanouts& fanouts);

/// Constraints that every mapping meets that meets them on one of the machines: what a fan-out of one neighbour does
/// not ask for is not asked, and the least share of units in use is that of the machine with the fewest.
Constraints relaxed(Constraints constraints, const Fanouts& fanouts, std::int64_t units);

}  // namespace tilewright::codesign
