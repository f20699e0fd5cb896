// Every uneven mapping of a small problem, written down from the rules of mapping/uneven.hpp alone.
#pragma once

#include <cstdint>
#include <functional>

#include "mapping/mapping.hpp"
#include "random_problem.hpp"

namespace tilewright::property {

/// Calls `visit` for every uneven mapping without remainders that the constraints allow (capacities are not looked at)
/// until it returns false, and for `most` nests at most, allowed or not. A dimension has one loop between two stores,
/// and one loop at a memory that bounds its factor. Returns false when stopped.
bool enumerate_uneven(const Problem& problem, std::int64_t most, const std::function<bool(const Mapping&)>& visit);

}  // namespace tilewright::property
