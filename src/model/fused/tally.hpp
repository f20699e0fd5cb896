// What is counted while a fused mapping runs.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/numbers/checked.hpp"
#include "model/fused/region.hpp"
#include "model/fused/walk.hpp"

namespace tilewright::fused {

struct Tally {
    /// Words of all repeats; see StoreCounts.
    struct Moved {
        std::int64_t in = 0;
        std::int64_t back = 0;
        std::int64_t out = 0;
        std::int64_t finished = 0;
    };

    std::map<LeafCall, std::int64_t> calls;
    std::vector<std::int64_t> operations;  ///< by einsum
    std::vector<Moved> moved;              ///< by entry of WalkCounts::stores
    std::vector<Region> made;              ///< by einsum: words of its first result

    Tally(std::size_t einsums, std::size_t stores) : operations(einsums), moved(stores), made(einsums) {}

    /// What is made, box by box, where `place(einsum, box)` says. Throws OverflowError.
    template <typename PlaceOf>
    void add(const Tally& more, const PlaceOf& place) {
        for (const auto& [call, times] : more.calls) calls[call] = checked_add(calls[call], times);
        for (std::size_t e = 0; e < operations.size(); ++e) {
            operations[e] = checked_add(operations[e], more.operations[e]);
            for (const Box& box : more.made[e].boxes()) made[e].add(place(e, box));
        }
        for (std::size_t i = 0; i < moved.size(); ++i) {
            moved[i].in = checked_add(moved[i].in, more.moved[i].in);
            moved[i].back = checked_add(moved[i].back, more.moved[i].back);
            moved[i].out = checked_add(moved[i].out, more.moved[i].out);
            moved[i].finished = checked_add(moved[i].finished, more.moved[i].finished);
        }
    }
};

}  // namespace tilewright::fused
