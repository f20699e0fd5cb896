// Where an address lies.
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/dram/device.hpp"

namespace tilewright::sim::dram {

/// Which bits of an address choose what, from the lowest up; channels come first, an access each.
enum class Interleaving : std::uint8_t {
    row_bank_column,  ///< column, rank, bank group, bank, row: a row is read to its end before the bank changes
    four_accesses,  ///< two bits of column, rank, bank group, bank, rest of the column, row; banks exchanged by column
                    ///< bits
};

struct Place {
    int rank = 0;
    int bank_group = 0;
    int bank = 0;
    int row = 0;
    int column = 0;  ///< in accesses

    bool operator==(const Place&) const = default;
};

/// `address` in bytes within the channel. Addresses beyond the memory wrap around.
Place place_of(const Organisation& organisation, Interleaving interleaving, std::int64_t address);

/// Of all channels: the channel, and the address within it. Requires a power of two of channels.
struct Routed {
    int channel = 0;
    std::int64_t address = 0;
};
Routed route(const Organisation& organisation, int channels, std::int64_t address);

}  // namespace tilewright::sim::dram
