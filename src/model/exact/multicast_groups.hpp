// MulticastGroups: neighbours with simultaneous requests for the same words, and their multicasts.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/architecture.hpp"
#include "model/exact/fanout.hpp"
#include "model/exact/traffic.hpp"

namespace tilewright {

/// Neighbours are distinguished by the position of their words. Time and space are linear in their number.
class MulticastGroups {
   public:
    /// `ranks`: of a position. `most`: neighbours to reserve space for.
    MulticastGroups(const Mesh& grid, std::size_t ranks, std::int64_t most);

    /// `count` neighbours from number `first` on with the same words. Numbers ascend between calls.
    void add(const TileOffset& position, std::int64_t first, std::int64_t count = 1);

    /// One word to each group.
    Traffic traffic() const;

    std::vector<TileOffset> positions() const;

   private:
    struct Group {
        TileOffset position{};
        std::int64_t members = 0;
    };

    std::size_t slot_of(const TileOffset& position) const;
    std::vector<std::int64_t> numbers_by_group() const;

    const Mesh grid_;
    const std::size_t ranks_;
    std::vector<Group> groups_;
    std::vector<std::int32_t> slots_;     // hash table of groups; -1: free. A power of two, at most half full
    std::vector<std::int32_t> group_of_;  // by neighbour, in order of addition
    std::vector<std::int64_t> numbers_;   // likewise
};

}  // namespace tilewright
