// Every even mapping that a file may say of a small problem, listed without a mapspace: whatever factors, axes, orders
// and kept tensors there are, one temporal loop per dimension and memory, one spatial loop per dimension and axis.
//
// The judge of claims: it knows the constraints' words (docs/search.md) and the rules of mapping/validity.hpp only.
#pragma once

#include <cstdint>
#include <functional>

#include "mapping/mapping.hpp"
#include "mapspace/factors/factor_rule.hpp"
#include "random_problem.hpp"

namespace tilewright::property {

/// Calls `visit` for every mapping that meets the constraints and fits on the meshes, until it returns false; which of
/// them fit in memories is for check() to say. Returns false when stopped, or when there are more than `most`. The rule
/// is perfect or ruby-s.
bool visit_mapping_files(const Problem& problem, FactorRule rule, std::int64_t most,
                         const std::function<bool(const Mapping&)>& visit);

}  // namespace tilewright::property
