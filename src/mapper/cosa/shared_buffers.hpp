// Rooms: the memories of limited size, whose tiles they hold, and which factors may be inside together.
#pragma once

#include <cstdint>
#include <vector>

#include "mapper/cosa/encoding/encoding.hpp"
#include "mapper/cosa/mip/down_set.hpp"
#include "mapping/tile.hpp"

namespace tilewright::cosa {

struct SharedBuffer {
    struct Share {
        int tensor = 0;
        double widening = 1.0;  ///< what a word of the tensor takes
        double own = 1.0;       ///< the same without the widths that only CoSA is told
    };

    int memory = 0;
    double words = 0.0;        ///< all in the units of capacity_of(): words, unless the layer says widths
    double least_words = 0.0;  ///< that the tiles have to fill
    std::vector<Share> shares;
};

/// `tensor_bits`: as in ProgramOptions.
std::vector<SharedBuffer> shared_buffers_of(const Layout& layout, const std::vector<std::int64_t>& tensor_bits);

/// Words of a buffer that a tile, or all of them, take where tiles have these extents.
double words_taken(const Layout& layout, const SharedBuffer::Share& share, const Extents& extents);
double words_taken(const Layout& layout, const SharedBuffer& buffer, const Extents& extents);

/// The same without the widths that only CoSA is told: what has to reach `least_words`.
double words_held(const Layout& layout, const SharedBuffer& buffer, const Extents& extents);

/// The groups whose factors change the buffer's tiles.
std::vector<int> groups_in(const Layout& layout, const SharedBuffer& buffer);

/// By group of `groups`, the factors inside the memory.
std::vector<int> numbers_inside(const Layout& layout, int memory, const std::vector<int>& groups,
                                const Placement& placement);

/// The extents of tiles with so many factors. A padded dimension ends where it ends.
Extents extents_of(const Layout& layout, const std::vector<int>& groups, const std::vector<int>& numbers);

/// Which factors fit inside together; empty where that cannot be listed.
std::vector<mip::DownSet> fitting_sets(const Encoding& encoding, const std::vector<SharedBuffer>& buffers);

}  // namespace tilewright::cosa
