// Reads the section `silicon` of a machine's file: the timing of the machine as built (docs/silicon.md).
//
//     silicon:
//       systolic_array: {columns: Scratchpad, rows: Accumulator, block_rows: 16, ...}
//       dma: {request_bytes: 64, request_cycles: 2.7}
//       caches:
//       - {name: L2, bytes: 524288, line_bytes: 64, replacement: least_recently_used, read_miss_cycles: 5.1}
//       tiles_in_flight: 2
//       start_cycles: 1900
//
// or `kernels`, for machines running layers as kernels, and `accelerator` (silicon/files/accelerator.hpp), for those
// whose generation's kernels have a form. The architecture's sizes are not repeated: an array's rows and columns are
// its fan-outs, rates and bandwidths follow from its clock.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "arch/architecture.hpp"
#include "silicon/files/accelerator.hpp"
#include "silicon/kernels/machine.hpp"
#include "silicon/systolic/machine.hpp"
#include "yaml/node.hpp"

namespace tilewright::silicon {

/// Errors of predictions for this machine against measurements: facts of docs/silicon.md, relative.
struct Measured {
    std::string by;  ///< source of the measurements
    std::int64_t cases = 0;
    double median_error = 0.0;
    double worst_error = 0.0;
    std::optional<double> nine_of_ten = {};  ///< the 90th percentile, of shapes outside the calibration if any
};

struct Silicon {
    std::variant<SystolicMachine, KernelMachine> machine;
    std::optional<Accelerator> accelerator;  ///< of machines of kernels whose generation has a form; under vLLM
    std::string left_out;                    ///< effects outside the model, in words
    std::optional<Measured> measured;        ///< of the accelerator where there is one, else of `machine`
};

/// Empty without such a section. Throws InputError for misspelt, missing or contradictory values.
std::optional<Silicon> read_silicon(const yaml::Node& root, const Architecture& architecture);

}  // namespace tilewright::silicon
