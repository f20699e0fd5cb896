// Source places of a mapping, for messages.
//
//     const timeloop::PlacedMapping given = timeloop::read_placed_mapping(root, einsum, machine);
//     for (const Violation& violation : check(einsum, machine, given.mapping))
//         std::cerr << placed_text(violation, given.places) << '\n';
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "mapping/validity.hpp"

namespace tilewright {

struct MappingPlaces {
    Location whole;               ///< of its list; no file: not read from one
    std::vector<Location> nodes;  ///< by node of the mapping

    /// The violation's place, as closely as known.
    const Location& of(const Violation& violation) const;
};

/// "mapping.yaml:7:5: pad holds 70 words, ..."; the message alone for a mapping of no file.
std::string placed_text(const Violation& violation, const MappingPlaces& places);

}  // namespace tilewright
