// Problem: rules and a machine that go together, ready for questions. Immutable; any number of threads may ask.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tiles/rules/rules.hpp"

namespace tilewright::tiles {

// Plan: what a search over the choices of rules may leave out or put off, found once for all questions.
//
//     a growing requirement    `room <= shared` with values that ascend: once it fails, later values fail, too
//     an idle choice           `group_m`, in no rule and no objective: its first value stands for all
//     parts of times           `waves` needs no `stages`: computed once for all stages
//
// A depth is the number of choices made. Immutable.

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

inline constexpr std::size_t kMostQualityNames = 8;
using QualityKey = std::array<std::int64_t, kMostQualityNames>;

/// What the time of code is multiplied by.
struct CodeWeight {
    double time = 1.0;  ///< measured over predicted
    double rank = 1.0;  ///< where points are compared
};

struct Problem {
    Rules rules;
    Machine machine;
    std::vector<std::int64_t> whole;  ///< machine numbers by slot, where rules name them
    std::vector<double> real;
    std::vector<std::int64_t> kernels;                       ///< rows one after the other
    std::vector<std::pair<QualityKey, CodeWeight>> quality;  ///< ascending
    CodeWeight unmeasured;                                   ///< of code that stands not there
    Plan plan;
};

/// Throws InputError: rules name a number that the machine lacks, or take it for whole where it is not; rows of kernels
/// or qualities of another length than the rules'.
Problem make_problem(Rules rules, Machine machine);

/// The slots of rules for a question: what is given, and the machine. Throws InputError(usage) for another number of
/// values than are given.
std::vector<std::int64_t> slots_for(const Problem& problem, std::span<const std::int64_t> given);

}  // namespace tilewright::tiles
