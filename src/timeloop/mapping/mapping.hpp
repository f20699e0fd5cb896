// Reads and writes Timeloop mappings.
#pragma once

#include <string>

#include "arch/architecture.hpp"
#include "mapping/mapping.hpp"
#include "mapping/text.hpp"
#include "mapspace/constraints.hpp"
#include "workload/einsum.hpp"
#include "yaml/node.hpp"

namespace tilewright::timeloop {

/// Timeloop's writer drops the remainders of imperfect factors ("C=4,3" becomes "C4"), so its files may not cover a
/// dimension exactly. They are restored only on request: a file of plainly wrong factors looks the same.
enum class Remainders { as_written, restore };

/// `root` is a loaded file with `mapping`: Timeloop's directives (src/mapping/parser.cpp there) or a nest (nest.hpp).
/// Errors carry the codes unknown_level, no_fanout, factor_product (the kinds of the golden files), unknown_name,
/// unknown_tensor and the usual ones. `restore` applies to files without any remainder.
Mapping read_mapping(const yaml::Node& root, const Einsum& einsum, const Architecture& architecture,
                     Remainders remainders = Remainders::as_written);

struct PlacedMapping {
    Mapping mapping;
    MappingPlaces places;
};

/// The same, with the place of each store (the directive of kept tensors, or another one of the memory) and each loop
/// (its factors).
PlacedMapping read_placed_mapping(const yaml::Node& root, const Einsum& einsum, const Architecture& architecture,
                                  Remainders remainders = Remainders::as_written);

/// Whether Timeloop's directives can express it: an even mapping, no dimension along both axes of a fan-out, loops
/// along X inside those along Y.
bool directives_can_say(const Mapping& mapping, const Architecture& architecture);

/// A mapping file for read_mapping and Timeloop; imperfect factors with their remainders ("C=4,3"). Requires
/// directives_can_say() and at most one loop per dimension and kind at each memory (std::invalid_argument otherwise).
/// Loops of extent 1 are lost.
std::string write_mapping(const Mapping& mapping, const Einsum& einsum, const Architecture& architecture);

/// Restricts the constraints to mappings of directives_can_say().
void keep_to_directives(Constraints& constraints, int memory_count);

}  // namespace tilewright::timeloop
