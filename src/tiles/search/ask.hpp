// The best legal point of a question, and what that is worth.
//
//     proven       every legal point was evaluated, or the best one reaches the declared bound
//     within       the search ended early; no point is better by more than `within`
//     best_found   it ended early, and nothing is known of the others
//
// The first of equals in the order of `choose`. Pure functions; any number of threads may ask the same problem.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tiles/search/objective.hpp"
#include "tiles/search/points.hpp"
#include "tiles/search/problem.hpp"

namespace tilewright::tiles {

enum class Claim : std::uint8_t { proven, within, best_found };

struct RankedPoint {
    std::vector<std::int64_t> point;
    Score score{};
    double time_us = 0.0;
};

struct Answer {
    RankedPoint best;                     ///< no point: none is legal, or none was found
    std::vector<RankedPoint> runners_up;  ///< the next ones, as many as were asked for
    std::vector<std::int64_t> lets;       ///< of the best
    std::vector<double> parts;            ///< of its time
    Claim claim = Claim::proven;
    double within = 0.0;  ///< 0.02: no point is better by more than 2 %
    Walked walked;

    bool has_point() const { return !best.point.empty(); }
};

struct AskOptions {
    std::vector<Measure> measures;
    WalkLimits limits;
    std::size_t runners_up = 1;
};

/// Throws InputError where a rule or an objective has no value.
Answer ask(const Problem& problem, std::span<const std::int64_t> given, const AskOptions& options);

}  // namespace tilewright::tiles
