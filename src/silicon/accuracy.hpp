// Accuracy of predictions: errors relative to the measurement, their median, 90th percentile and maximum, and
// Spearman's rank correlation. A claim ("within 5 %") follows from these numbers alone.
//
//     const Accuracy reached = accuracy_of(predicted, measured);
//     if (!meets(reached, {.median = 0.05, .ninetieth = 0.27, .rank = 0.99})) ...
//
// Pure functions; thread-safe.
#pragma once

#include <cstddef>
#include <vector>

namespace tilewright::silicon {

struct Accuracy {
    std::size_t cases = 0;
    double median = 0.0;  ///< of |predicted / measured - 1|; of an even number of cases the mean of the middle two
    double mean = 0.0;
    double ninetieth = 0.0;  ///< 90th percentile, linear between the two nearest cases
    double worst = 0.0;
    double bias = 0.0;  ///< median of predicted / measured - 1
    double rank = 0.0;  ///< Spearman's correlation; 0 if one side is constant
};

/// A claim on predictions: maximum errors, minimum rank correlation.
struct Claim {
    double median = 0.0;
    double ninetieth = 0.0;
    double rank = -1.0;
};

/// Requires two lists of equal length, at least one case, and measured values above 0.
Accuracy accuracy_of(const std::vector<double>& predicted, const std::vector<double>& measured);

/// False without any case.
bool meets(const Accuracy& reached, const Claim& claim);

}  // namespace tilewright::silicon
