// Address decoding.
#pragma once

#include <cstdint>

#include "sim/dram/device.hpp"

namespace tilewright::sim::dram {

/// Assignment of address bits, named from the highest to the lowest; channels come below all, one access each. `bank`
/// lies above its group.
enum class Interleaving : std::uint8_t {
    row_bank_column,  ///< row, bank, rank, column: a whole row before the next bank
    four_accesses,    ///< row, rest of the column, bank, rank, two bits of column; banks exchanged by column bits
    row_column_bank_rank,
    row_column_rank_bank,
    rank_row_column_bank,
    rank_bank_row_column,
    rank_bank_column_row,
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

/// Channel, and address within it. Requires a power of two of channels.
struct Routed {
    int channel = 0;
    std::int64_t address = 0;
};
Routed route(const Organisation& organisation, int channels, std::int64_t address);

}  // namespace tilewright::sim::dram
