// How near predictions came to what was measured: errors relative to the measured value, their median, 90th percentile
// and maximum, and Spearman's rank correlation. A claim ("within 5 %") follows from these numbers and from nothing
// else.
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
    double ninetieth = 0.0;  ///< 90th percentile, between the two nearest cases in proportion
    double worst = 0.0;
    double bias = 0.0;  ///< median of predicted / measured - 1
    double rank = 0.0;  ///< Spearman's correlation; 0 where all values of one side are equal
};

/// What is claimed of predictions: at most these errors, at least this rank correlation.
struct Claim {
    double median = 0.0;
    double ninetieth = 0.0;
    double rank = -1.0;
};

/// Requires two lists of the same length, at least one case, and measured values above 0.
Accuracy accuracy_of(const std::vector<double>& predicted, const std::vector<double>& measured);

/// False as well where there is no case to stand on.
bool meets(const Accuracy& reached, const Claim& claim);

}  // namespace tilewright::silicon
