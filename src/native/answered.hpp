// Search answers as text: the entries of the cache on disk.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "certificate/claim/certificate.hpp"
#include "native/problem.hpp"

namespace tilewright::native {

struct Answered {
    certificate::Answer best;
    std::vector<certificate::Answer> front;  ///< of a Pareto search
    std::int64_t evaluations = 0;
    std::int64_t valid = 0;
    std::int64_t sampled = 0;
    std::string stopped_by;
    std::optional<double> space;
    std::optional<double> lower_bound;
    std::string claim;
};

/// Dimensions, tensors and memories as in `problem`: nameless, to serve all equal problems.
std::string write_answered(const Answered& answered, const LayerProblem& problem);

/// Throws InputError unless this answers `problem`.
Answered read_answered(const std::string& text, const LayerProblem& problem);

}  // namespace tilewright::native
