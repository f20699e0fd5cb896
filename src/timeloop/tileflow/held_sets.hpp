// Which words of each tensor an instance of a memory holds, as sets of boxes. Internal to tileflow/.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "timeloop/account/box.hpp"

namespace tilewright::tileflow {

/// By tensor; an empty set: nothing of it.
using HeldSets = std::vector<account::BoxSet>;
/// By instance of the memory inside a fan-out (0 where there is none).
using HeldByInstance = std::map<std::int64_t, HeldSets>;

std::int64_t words_of(const account::BoxSet& set, int ranks);

/// What `held` has and `before` does not.
account::BoxSet without(const account::BoxSet& held, const account::BoxSet& before, int ranks);

account::BoxSet moved(const account::BoxSet& set, const account::Point& by);

}  // namespace tilewright::tileflow
