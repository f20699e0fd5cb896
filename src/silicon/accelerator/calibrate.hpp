// The calibrated numbers of an accelerator from measured rows: nine products and three all-reduces.
//
// Launch: the least products; bandwidth: most weights for at most 16 rows; rate: nearest to 8192 x 8192 x 8192; link:
// the largest all-reduces. Each number is the median of what three rows ask for: one row carries the throttling of a
// day.
//
// Pure functions; thread-safe.
#pragma once

#include <string>
#include <vector>

#include "silicon/accelerator/kernels.hpp"

namespace tilewright::silicon {

struct MeasuredProduct {
    ProductSize size;
    double us = 0.0;
};

struct MeasuredAllReduce {
    double devices = 0.0;
    double bytes = 0.0;
    double us = 0.0;
};

/// One number: the median, and the least and the most that its rows ask for.
struct Fitted {
    double value = 0.0;
    double least = 0.0;
    double most = 0.0;
    std::vector<std::string> rows;  ///< "1 x 4096 x 4096"
};

struct FittedNumbers {
    Fitted launch_us;
    Fitted bandwidth_share;
    Fitted rate_share;
    Fitted link_share;          ///< without rows: as before
    double median_error = 0.0;  ///< of all products, with the numbers found

    CalibratedNumbers numbers() const {
        return {launch_us.value, bandwidth_share.value, rate_share.value, link_share.value};
    }
};

/// From 16-bit products, each with weights of six layers in turn (the measuring program of docs/silicon.md). `begin`:
/// the machine with numbers to begin with. Requires at least one product; the same rows may serve twice where there are
/// few.
FittedNumbers fitted(const Accelerator& begin, const std::vector<MeasuredProduct>& products,
                     const std::vector<MeasuredAllReduce>& links);

}  // namespace tilewright::silicon
