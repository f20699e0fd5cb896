// Problem: rules and a machine that go together, ready for questions. Immutable; any number of threads may ask.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tiles/rules/rules.hpp"
#include "tiles/search/plan.hpp"

namespace tilewright::tiles {

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
