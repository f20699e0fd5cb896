// The numbers of a machine from measured times: each name that the rules list under `calibrate`, in turn, takes the
// value that brings predictions nearest, until none helps. Then the quality of each code: measured over predicted, in
// the median.
//
// Nearest: the least mean of |log(predicted / measured)|. Pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "tiles/search/problem.hpp"

namespace tilewright::tiles {

struct MeasuredPoint {
    std::vector<std::int64_t> given;
    std::vector<std::int64_t> point;
    double us = 0.0;
};

/// The machine with calibrated numbers, the kernels that were seen (where rules choose among the machine's), qualities
/// and the median error that is left. Requires rows, rules with `time`, and numbers to begin with. Throws InputError.
Machine calibrated(const Rules& rules, const Machine& begin, const std::vector<MeasuredPoint>& rows);

}  // namespace tilewright::tiles
