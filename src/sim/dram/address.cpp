#include "sim/dram/address.hpp"

#include <bit>

namespace tilewright::sim::dram {
namespace {

int bits_of(int count) { return std::bit_width(static_cast<unsigned>(count)) - 1; }

/// Takes fields off the low end.
class Bits {
   public:
    explicit Bits(std::int64_t value) : value_(value) {}
    int take(int bits) {
        const auto field = static_cast<int>(value_ & ((std::int64_t{1} << bits) - 1));
        value_ >>= bits;
        return field;
    }

   private:
    std::int64_t value_;
};

/// Exchanges banks and rows by the bits of the column, so that strides spread.
void exchange(const Organisation& o, Place& place) {
    int shift = 0;
    const auto flip = [&](int& field, int count) {
        const int bits = bits_of(count);
        field ^= (place.column >> shift) & ((1 << bits) - 1);
        shift += bits;
    };
    flip(place.rank, o.ranks);
    flip(place.bank_group, o.bank_groups);
    flip(place.bank, o.banks);
    flip(place.row, o.rows);
}

}  // namespace

Place place_of(const Organisation& o, Interleaving interleaving, std::int64_t address) {
    Bits bits(address >> bits_of(o.access_bytes()));
    const int column_bits = bits_of(o.columns / o.burst);
    const int low = interleaving == Interleaving::four_accesses ? (column_bits < 2 ? column_bits : 2) : column_bits;
    Place place;
    place.column = bits.take(low);
    place.rank = bits.take(bits_of(o.ranks));
    place.bank_group = bits.take(bits_of(o.bank_groups));
    place.bank = bits.take(bits_of(o.banks));
    place.column += bits.take(column_bits - low) << low;
    place.row = bits.take(bits_of(o.rows));
    if (interleaving == Interleaving::four_accesses) exchange(o, place);
    return place;
}

Routed route(const Organisation& o, int channels, std::int64_t address) {
    const int low = bits_of(o.access_bytes());
    const int width = bits_of(channels);
    const std::int64_t offset = address & ((std::int64_t{1} << low) - 1);
    return {static_cast<int>((address >> low) & (channels - 1)), (address >> (low + width)) << low | offset};
}

}  // namespace tilewright::sim::dram
