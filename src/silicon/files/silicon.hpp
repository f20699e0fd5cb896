// Reads the section `silicon` of a machine's file: how the machine as built spends its time (docs/silicon.md).
//
//     silicon:
//       systolic_array: {columns: Scratchpad, rows: Accumulator, block_rows: 16, ...}
//       dma: {request_bytes: 64, request_cycles: 2.7}
//       caches:
//       - {name: L2, bytes: 524288, line_bytes: 64, replacement: least_recently_used, read_miss_cycles: 5.1}
//       tiles_in_flight: 2
//       start_cycles: 1900
//
// or `kernels`, for machines that run layers as kernels. Sizes that the architecture has are not said again: an array's
// rows and columns are fan-outs of it, rates and bandwidths follow from its clock.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "arch/architecture.hpp"
#include "silicon/kernels/machine.hpp"
#include "silicon/systolic/machine.hpp"
#include "yaml/node.hpp"

namespace tilewright::silicon {

/// How far predictions of this machine were from what was measured: facts of docs/silicon.md, relative errors.
struct Measured {
    std::string by;  ///< who measured what
    std::int64_t cases = 0;
    double median_error = 0.0;
    double worst_error = 0.0;
    std::optional<double> nine_of_ten = {};  ///< the 90th percentile, of shapes that calibrated nothing where some did
};

struct Silicon {
    std::variant<SystolicMachine, KernelMachine> machine;
    std::string left_out;  ///< what the model does not know, in words
    std::optional<Measured> measured;
};

/// Nothing where `root` has no section of this name. Throws InputError at what is misspelt, missing or contradicts
/// itself or the architecture.
std::optional<Silicon> read_silicon(const yaml::Node& root, const Architecture& architecture);

}  // namespace tilewright::silicon
