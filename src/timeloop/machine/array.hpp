// `!CellArray` of a hierarchy (version 0.4): arrays that compute in their memory cells, as the last node of a machine
// (docs/guide-compute-in-memory.md). Our own, as `!Passage` is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "cim/encoding.hpp"
#include "cim/machine.hpp"
#include "cim/prices.hpp"
#include "mapspace/constraints.hpp"
#include "timeloop/components/attributes.hpp"
#include "yaml/node.hpp"

namespace tilewright::timeloop {

struct PlacedArray {
    std::string name;
    yaml::Node node;
    cim::Array array;
    int input_bits = 8;  ///< encoded
    int weight_bits = 8;
    cim::Slicing slices;
    cim::ArrayPrices prices;
    double step_seconds = 0.0;  ///< 0: a cycle of the file's clock
    cim::ArrayCircuits circuits;
    double endurance_writes = 0.0;  ///< of a cell; 0: unknown
};

/// Attributes of an array, its own and of containers around it.
const std::vector<std::string>& array_attributes();

/// `attributes` are those of `node`. Throws InputError.
PlacedArray read_array(const yaml::Node& node, const Attributes& attributes);

/// `outside` with the array's levels in place of its compute units; `outside` has the file's clock. Throws InputError.
Architecture with_array(Architecture outside, const PlacedArray& array);

/// What an array can do: rows sum, columns share inputs, cells keep the weights that lie on them. Throws InputError for
/// an einsum without weights.
void constrain(const PlacedArray& array, const Architecture& machine, const Einsum& einsum, Constraints& constraints);

/// What a user should know: slices, bits that the converter lacks, programming without time.
std::vector<std::string> notes_about(const PlacedArray& array);
/// Of the array of a machine's file, if it has one.
std::vector<std::string> notes_about_array(const yaml::Node& root);

}  // namespace tilewright::timeloop
