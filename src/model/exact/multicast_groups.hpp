// MulticastGroups: neighbours that want the same words at the same time, and the multicasts that reach them.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/architecture.hpp"
#include "model/exact/fanout.hpp"
#include "model/exact/traffic.hpp"

namespace tilewright {

/// Neighbours are told apart by the position of what they want. Takes time and room by their number.
class MulticastGroups {
   public:
    /// `ranks`: of a position. `most`: neighbours, to make room for.
    MulticastGroups(const Mesh& grid, std::size_t ranks, std::int64_t most);

    /// So many neighbours, numbered from `first` on, that want the same. Numbers ascend from call to call.
    void add(const TileOffset& position, std::int64_t first, std::int64_t count = 1);

    /// One word to each group.
    Traffic traffic() const;

    /// Of the groups.
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
    std::vector<std::int32_t> slots_;     // of a hash table: groups; -1: free. A power of two, at most half full
    std::vector<std::int32_t> group_of_;  // by neighbour, as they were added
    std::vector<std::int64_t> numbers_;   // likewise
};

}  // namespace tilewright
