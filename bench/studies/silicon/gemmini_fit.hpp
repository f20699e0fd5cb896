// Calibrates the constants of a systolic machine on measured rows, and judges the model by rows it was not calibrated
// on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "silicon/systolic/latency.hpp"

namespace tilewright::silicon_study {

struct MeasuredTraffic {
    std::string shape;
    silicon::Traffic traffic;
    double cycles = 0.0;
};

/// The machine with request_cycles, the misses of two caches, the stores that miss the last one, and start_cycles
/// chosen so that the mean of |log(predicted / measured)| over the rows is small: a walk along one constant at a time.
/// Everything else is read, not calibrated, and stays. Requires two caches and at least one row.
silicon::SystolicMachine calibrated(const std::vector<const MeasuredTraffic*>& rows, silicon::SystolicMachine machine);

/// By row: cycles predicted by the machine that was calibrated, from round numbers, on the rows of other folds. Shapes
/// are dealt to folds in an order that the seed decides.
std::vector<double> cross_validated(const std::vector<MeasuredTraffic>& rows, const silicon::SystolicMachine& machine,
                                    int folds, std::uint64_t seed);

}  // namespace tilewright::silicon_study
