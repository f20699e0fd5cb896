// Words of each tensor held by a memory instance, as sets of boxes. Internal to tileflow/.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "timeloop/account/box.hpp"

namespace tilewright::tileflow {

/// By tensor; an empty set: none.
using HeldSets = std::vector<account::BoxSet>;
/// By inner memory instance of a fan-out (0 without one).
using HeldByInstance = std::map<std::int64_t, HeldSets>;

std::int64_t words_of(const account::BoxSet& set, int ranks);

account::BoxSet without(const account::BoxSet& held, const account::BoxSet& before, int ranks);

account::BoxSet moved(const account::BoxSet& set, const account::Point& by);

}  // namespace tilewright::tileflow
