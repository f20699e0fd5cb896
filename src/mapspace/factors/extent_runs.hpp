// Possible extents of one slot of a chain, as runs of neighbours with the same number of chunks left.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/numbers/checked.hpp"

namespace tilewright {

/// A slot's bounds. An extent above `imperfect_up_to` has to divide the chunks.
struct ChainSlot {
    std::int64_t at_least = 1;
    std::int64_t at_most = INT64_MAX;
    std::int64_t imperfect_up_to = 1;

    bool allows(std::int64_t extent, std::int64_t chunks) const {
        return std::max<std::int64_t>(at_least, 1) <= extent && extent <= std::min(at_most, chunks) &&
               (extent <= imperfect_up_to || chunks % extent == 0);
    }
    bool operator==(const ChainSlot&) const = default;
};

/// The extents first, first + 1, ..., last leave `chunks` chunks each.
struct ExtentRun {
    std::int64_t first = 1;
    std::int64_t last = 1;
    std::int64_t chunks = 1;

    std::int64_t size() const { return last - first + 1; }
};

/// Calls `visit(run)` for all runs of extents allowed to `slot` at `chunks`, ascending, until it returns false; then
/// false. At most 2 sqrt(chunks) steps.
template <typename Visit>
bool visit_runs(const ChainSlot& slot, std::int64_t chunks, Visit&& visit) {
    const std::int64_t last = std::min(slot.at_most, chunks);
    for (std::int64_t first = std::max<std::int64_t>(slot.at_least, 1), end = 0; first <= last; first = end + 1) {
        const std::int64_t left = ceil_div(chunks, first);
        end = left == 1 ? last : std::min(last, (chunks - 1) / (left - 1));
        // Only the smallest extent that leaves `left` chunks can divide.
        const bool divides = chunks % first == 0 && first > slot.imperfect_up_to;
        const std::int64_t end_allowed = divides ? first : std::min(end, slot.imperfect_up_to);
        if (first <= end_allowed && !visit(ExtentRun{first, end_allowed, left})) return false;
    }
    return true;
}

/// `slot` without extents that leave fewer than `fewest` or more than `most` of `chunks`.
inline ChainSlot leaving(const ChainSlot& slot, std::int64_t chunks, std::int64_t fewest, std::int64_t most) {
    ChainSlot narrowed = slot;
    narrowed.at_least = std::max(slot.at_least, ceil_div(chunks, most));
    if (fewest > 1) narrowed.at_most = std::min(slot.at_most, (chunks - 1) / (fewest - 1));
    return narrowed;
}

}  // namespace tilewright
