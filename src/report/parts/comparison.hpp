// One mapping under several accountings, side by side, line by line.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/evaluation.hpp"
#include "workload/einsum.hpp"

namespace tilewright::report {

/// Name of an accounting ("exact") and its evaluation.
using NamedEvaluation = std::pair<std::string, Evaluation>;

/// Totals, then every differing count, with its difference from the first. Requires at least one evaluation, all of the
/// same einsum and architecture.
std::string comparison_text(const Einsum& einsum, const std::vector<NamedEvaluation>& evaluations);

}  // namespace tilewright::report
