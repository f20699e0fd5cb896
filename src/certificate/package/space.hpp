// The space of plans (docs/packages-of-cores.md, The search) as the judge lists it.
#pragma once

#include <cstdint>
#include <vector>

#include "certificate/package/reading.hpp"

namespace tilewright::certificate::package_proof {

/// Whole, or along an axis of the last result by a divisor.
std::vector<Step> steps_of(const Reading& reading, int last);

/// Splits over so many cores, and where sums come together; without teams and streams.
std::vector<package::Stage> shapes_of(const Reading& reading, int einsum, int cores);

/// Sets of operands that do not come from einsums `first` and behind, by bit.
std::vector<std::uint32_t> streams_of(const Reading& reading, int einsum, int first);

/// Cores from .. from + size - 1.
std::vector<int> team_of(int from, int size);
bool runs_on_all(const Reading& reading, int einsum, const std::vector<int>& team);

}  // namespace tilewright::certificate::package_proof
