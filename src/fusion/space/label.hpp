// Labels: what is left to compare of all that may follow one another in a group.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace tilewright::fusion {

/// What is minimised: a sum of energy and cycles. Neither is negative, not both 0.
struct Weights {
    double energy = 1.0;
    double cycles = 0.0;

    bool operator==(const Weights&) const = default;
    double value(double energy_pj, double cycle_count) const { return energy * energy_pj + cycles * cycle_count; }
    /// Decides between equal values: what has no weight.
    double tie(double energy_pj, double cycle_count) const {
        return energy == 0.0 ? energy_pj : cycles == 0.0 ? cycle_count : 0.0;
    }
    std::pair<double, double> score(double energy_pj, double cycle_count) const {
        return {value(energy_pj, cycle_count), tie(energy_pj, cycle_count)};
    }
};

struct Label {
    double value = 0.0;
    double energy_pj = 0.0;
    double cycles = 0.0;
    std::int64_t throughout = 0;  ///< units of the buffer that are reserved as long as the group runs
    std::int64_t peak = 0;        ///< the most that is reserved for a while
    std::int32_t decision = -1;   ///< the last one that led here
    std::int32_t other = -1;      ///< where two lines of decisions meet that are not noted yet: the second one
};

/// Leaves what nothing beats in score, units throughout and peak; ascending score.
void prune(std::vector<Label>& labels, const Weights& weights);

/// Private units of the buffer of a leaf against what it costs, over all boxes that it makes in a group; ascending
/// words, descending value.
struct MemberPoint {
    std::int64_t words = 0;
    double value = 0.0;
    double energy_pj = 0.0;
    double cycles = 0.0;
};
using MemberFront = std::vector<MemberPoint>;

/// Costs add up, the words are the larger of the two.
MemberFront sum(const MemberFront& a, const MemberFront& b);

}  // namespace tilewright::fusion
