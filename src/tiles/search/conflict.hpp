// Why no point is legal: the smallest sets of requirements that cannot hold together.
//
// Every point of the choices breaks some requirements; a set cannot hold together just when it has one of those that
// each point breaks. The smallest such sets are found from the least of what points break (minimum hitting sets).
//
// Pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tiles/search/problem.hpp"

namespace tilewright::tiles {

struct Conflicts {
    std::vector<std::vector<std::size_t>> sets;  ///< all of the least size, at most 16; numbers of requirements
    std::vector<std::string> empty_choices;      ///< no values at all, whatever was chosen before
    bool decided = true;                         ///< false: there were more points than can be tried
};

/// Requires that no point is legal. Throws InputError where a requirement has no value at a point that broke none
/// before it.
Conflicts conflicts_of(const Problem& problem, std::span<const std::int64_t> given);

/// A line for each set and its requirements, with their reasons.
std::vector<std::string> conflict_lines(const Rules& rules, const Conflicts& conflicts);

}  // namespace tilewright::tiles
