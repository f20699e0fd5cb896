// The three goals of CoSA and their sum (12).
#pragma once

#include <optional>

#include "mapper/cosa/mip/problem.hpp"

namespace tilewright::cosa {

/// All in log2.
struct Terms {
    mip::Expression utilization;  ///< (5)
    mip::Expression compute;      ///< (6)
    mip::Expression traffic;      ///< (11)
};

/// Their values in a solution.
struct TermValues {
    double utilization = 0.0;
    double compute = 0.0;
    double traffic = 0.0;
};

/// The released code's.
struct Weights {
    double utilization = 0.1;
    double compute = 10.0;
    double traffic = 1.0;
    /// Of iterations outside the hub, inside traffic; default: the variant's.
    std::optional<double> outside = std::nullopt;

    bool operator==(const Weights&) const = default;
};

}  // namespace tilewright::cosa
