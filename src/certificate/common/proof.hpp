// Parts of a proof: its assignments, the reason each is settled, and the doubts left.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/objective.hpp"

namespace tilewright::certificate {

// Goal: the value a lower bound has to reach.

/// Energy with leakage, cycles with the latency of links; of a mapping, or a lower bound of many.
struct Cost {
    double energy_pj = 0.0;
    double cycles = 0.0;

    bool operator==(const Cost&) const = default;
};

/// Energies are sums of doubles in any order: smaller relative differences count as equal. Cycles are whole.
inline constexpr double kTolerance = 1e-9;

/// `real` is below `bound`, refuting it.
bool falls_short(const Cost& real, const Cost& bound);

struct Goal {
    Objective objective;
    double value = 0.0;            ///< of the objective: nothing has less
    std::optional<double> tie_pj;  ///< of latency: nothing as fast has less energy
    std::vector<Cost> front;       ///< of a Pareto search: nothing is undominated by it
    Cost least = {};               ///< in addition: least energy and least cycles

    /// The goal for an optimal mapping of this cost.
    static Goal optimal(const Objective& objective, const Cost& best);

    /// No mapping with this bound falls short of the goal.
    bool is_out_of_reach(const Cost& bound) const;
};

/// Reason no mapping of an assignment beats the best.
enum class Reason : char {
    every_word_once = 'w',    ///< C1: even if every word were sent once only
    each_memory_alone = 'm',  ///< C2: even if every memory had its best tile
    followed = 'f',           ///< C3: every loop was followed
};

/// An assignment not proven to hold nothing better.
struct Doubt {
    std::int64_t assignment = 0;  ///< from 0
    std::string what;             ///< its spatial factors and kept tensors
    Cost bound;                   ///< of its mappings
};

/// The assignments of a proof.
struct Outline {
    std::int64_t assignments = 0;  ///< or families, beyond kMostAssignments
    std::string digest;            ///< of their list
    /// "w120 f4", in order: out of reach even if every word were sent once (w), or to be followed (f).
    std::string reasons;

    bool operator==(const Outline&) const = default;
};

struct Proof {
    Outline outline;
    bool by_family = false;     ///< the outline lists families
    std::vector<Doubt> doubts;  ///< none: it is proven
    std::map<Reason, std::int64_t> assignments_by_reason;
    bool leaves_out_wires = false;     ///< some wire costs are not counted: possible reason of doubts
    bool overlapping_results = false;  ///< likewise some first words of results
    bool too_many = false;             ///< some assignment has too many nests to follow
    bool refuted = false;              ///< some nest is cheaper than its bound: the checker itself is wrong
};

/// Even: a memory's tensors at one place. Uneven: mapping/uneven.hpp, one loop of a dimension between two stores.
enum class Storage { even, uneven };

/// Beyond this many assignments families are listed (by_family.hpp), for perfect factors.
inline constexpr std::int64_t kMostAssignments = 10'000;
/// Limit of listed assignments with remainders.
inline constexpr std::int64_t kMostImperfectAssignments = 100'000;
/// Limit of spatial factors searched for families.
inline constexpr std::int64_t kMostSpatialFactors = 10'000'000;

}  // namespace tilewright::certificate
