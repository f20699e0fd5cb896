// A mapping as a loop nest for people, like Timeloop's map.txt:
//
//     DRAM [ Weights:864 Inputs:151875 Outputs:401408 ]
//     -------------------------------------------------
//     | for Q in [0:28)
//
//     Buffer [ Inputs:6075 Outputs:14336 ]
//     ------------------------------------
//     |   for P in [0:4,3)
//     |     for K in [0:8) (Spatial-X)
//     |       << Compute >>
//
// Words are of the largest tile per instance; an imperfect loop shows the iterations of its last run ("[0:4,3)").
// Source places of a mapping, for messages.
//
//     const timeloop::PlacedMapping given = timeloop::read_placed_mapping(root, einsum, machine);
//     for (const Violation& violation : check(einsum, machine, given.mapping))
//         std::cerr << placed_text(violation, given.places) << '\n';
#pragma once

#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "base/error.hpp"
#include "mapping/mapping.hpp"
#include "mapping/validity.hpp"
#include "workload/einsum.hpp"

namespace tilewright {

/// Loops of extent 1 are left out. Works for uneven nests too. Requires indices that exist. Throws OverflowError.
std::string loop_nest_text(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping);

struct MappingPlaces {
    Location whole;               ///< of its list; no file: not read from one
    std::vector<Location> nodes;  ///< by node of the mapping

    /// The violation's place, as closely as known.
    const Location& of(const Violation& violation) const;
};

/// "mapping.yaml:7:5: pad holds 70 words, ..."; the message alone for a mapping of no file.
std::string placed_text(const Violation& violation, const MappingPlaces& places);

}  // namespace tilewright
