// Rooms: memories of limited size with their tiles, and sets of factors that fit inside.
#pragma once

#include <cstdint>
#include <vector>

#include "mapper/cosa/encoding/encoding.hpp"
#include "mapper/cosa/mip/hull.hpp"
#include "mapping/tile.hpp"

namespace tilewright::cosa {

struct SharedBuffer {
    struct Share {
        int tensor = 0;
        double widening = 1.0;  ///< room of a word of the tensor
        double own = 1.0;       ///< the same without --cosa-bits
    };

    int memory = 0;
    double words = 0.0;        ///< all in the units of capacity_of(): words, unless the layer has widths
    double least_words = 0.0;  ///< least words of the tiles
    std::vector<Share> shares;
};

/// `tensor_bits`: as in ProgramOptions.
std::vector<SharedBuffer> shared_buffers_of(const Layout& layout, const std::vector<std::int64_t>& tensor_bits);

/// Words of a buffer taken by a tile, or all of them, for these tile extents.
double words_taken(const Layout& layout, const SharedBuffer::Share& share, const Extents& extents);
double words_taken(const Layout& layout, const SharedBuffer& buffer, const Extents& extents);

/// The same without --cosa-bits: compared with `least_words`.
double words_held(const Layout& layout, const SharedBuffer& buffer, const Extents& extents);

/// The groups whose factors change the buffer's tiles.
std::vector<int> groups_in(const Layout& layout, const SharedBuffer& buffer);

/// By group of `groups`, the factors inside the memory.
std::vector<int> numbers_inside(const Layout& layout, int memory, const std::vector<int>& groups,
                                const Placement& placement);

/// The extents of tiles with so many factors. A padded dimension ends at its true extent.
Extents extents_of(const Layout& layout, const std::vector<int>& groups, const std::vector<int>& numbers);

/// Factors that fit inside together; empty if they cannot be listed.
std::vector<mip::DownSet> fitting_sets(const Encoding& encoding, const std::vector<SharedBuffer>& buffers);

}  // namespace tilewright::cosa
