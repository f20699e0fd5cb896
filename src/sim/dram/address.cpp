#include "sim/dram/address.hpp"

#include <array>
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

/// XORs bank and row bits with column bits, so that strides spread.
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

enum class Field : std::uint8_t { column, rank, bank, row };

/// From the lowest bits up.
std::array<Field, 4> fields_of(Interleaving interleaving) {
    using enum Field;
    switch (interleaving) {
        case Interleaving::row_bank_column:
        case Interleaving::four_accesses: return {column, rank, bank, row};
        case Interleaving::row_column_bank_rank: return {rank, bank, column, row};
        case Interleaving::row_column_rank_bank: return {bank, rank, column, row};
        case Interleaving::rank_row_column_bank: return {bank, column, row, rank};
        case Interleaving::rank_bank_row_column: return {column, row, bank, rank};
        case Interleaving::rank_bank_column_row: return {row, column, bank, rank};
    }
    return {};
}

void take_field(const Organisation& o, Field field, Bits& bits, Place& place) {
    switch (field) {
        case Field::column: place.column = bits.take(bits_of(o.columns / o.burst)); break;
        case Field::rank: place.rank = bits.take(bits_of(o.ranks)); break;
        case Field::bank:
            place.bank_group = bits.take(bits_of(o.bank_groups));
            place.bank = bits.take(bits_of(o.banks));
            break;
        case Field::row: place.row = bits.take(bits_of(o.rows)); break;
    }
}

Place four_accesses(const Organisation& o, Bits bits) {
    const int column_bits = bits_of(o.columns / o.burst);
    const int low = column_bits < 2 ? column_bits : 2;
    Place place;
    place.column = bits.take(low);
    take_field(o, Field::rank, bits, place);
    take_field(o, Field::bank, bits, place);
    place.column += bits.take(column_bits - low) << low;
    take_field(o, Field::row, bits, place);
    exchange(o, place);
    return place;
}

}  // namespace

Place place_of(const Organisation& o, Interleaving interleaving, std::int64_t address) {
    Bits bits(address >> bits_of(o.access_bytes()));
    if (interleaving == Interleaving::four_accesses) return four_accesses(o, bits);
    Place place;
    for (const Field field : fields_of(interleaving)) take_field(o, field, bits, place);
    return place;
}

Routed route(const Organisation& o, int channels, std::int64_t address) {
    const int low = bits_of(o.access_bytes());
    const int width = bits_of(channels);
    const std::int64_t offset = address & ((std::int64_t{1} << low) - 1);
    return {static_cast<int>((address >> low) & (channels - 1)), (address >> (low + width)) << low | offset};
}

}  // namespace tilewright::sim::dram
