// Attribute numbers with units: 2MiB, 32k, 25.6GB/s, 64B/cycle.
//
// k, M and G of counts and bytes are powers of 1024, as for memories (KiB = KB); of bytes per second powers of 1000, as
// for links (GiB/s is 1024^3). Clock units are in machine/passing.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "timeloop/components/attributes.hpp"

namespace tilewright::timeloop {

enum class Unit { count, bytes, bytes_per_second, bytes_per_cycle };

struct Amount {
    double number = 0.0;  ///< of items, bytes, or bytes per second or cycle
    Unit unit = Unit::count;
};

/// "2 MiB" is 2097152 bytes; empty without a number and a unit.
std::optional<Amount> amount_in(std::string_view text);

/// A non-negative integer of items of `bits_of_one` bits: as whole(), or with a unit (a count or bytes). Throws
/// InputError if the bytes are no whole number of items.
std::optional<std::int64_t> whole_amount(const Attributes& attributes, Attributes::Keys keys, std::int64_t bits_of_one);

/// Kibibytes (1024 bytes): as real_from(keys, 0), or bytes with a unit.
std::optional<double> kibibytes(const Attributes& attributes, Attributes::Keys keys);

/// Conversion of a bandwidth with a unit to words.
struct WordRate {
    std::int64_t word_bits = 1;
    std::optional<double> cycle_seconds;  ///< empty: no clock is given
};

/// Words per cycle: as real_from(keys, 0), or bytes per second or cycle. Throws InputError for bytes per second without
/// a clock.
std::optional<double> words_per_cycle(const Attributes& attributes, Attributes::Keys keys, const WordRate& rate);

}  // namespace tilewright::timeloop
