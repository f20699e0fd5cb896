// Plan: what a search over the choices of rules may leave out or put off, found once for all questions.
//
//     a growing requirement    `room <= shared` with values that ascend: once it fails, later values fail, too
//     an idle choice           `group_m`, in no rule and no objective: its first value stands for all
//     parts of times           `waves` needs no `stages`: computed once for all stages
//
// A depth is the number of choices made. Immutable.
#pragma once

#include <vector>

#include "tiles/rules/rules.hpp"

namespace tilewright::tiles {

struct DepthPlan {
    std::vector<bool> growing;     ///< by Ready::requirements
    bool constant_values = false;  ///< of the choice that leads here: they depend on no other choice
    bool idle_for_time = false;    ///< likewise
    bool idle_for_count = false;
    std::vector<int> numbers;  ///< slots that parts of times read, new at this depth
    std::vector<int> parts;    ///< of times, that are ready here
    bool quality = false;      ///< the code of a kernel is known here
};

struct Plan {
    std::vector<DepthPlan> depths;  ///< 0: before the first choice
    /// Slots that must not be below 0 for `growing` to hold.
    std::vector<int> not_negative;
};

Plan plan_of(const Rules& rules);

}  // namespace tilewright::tiles
