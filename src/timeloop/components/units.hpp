// Numbers with units in attributes, as people say them: 2MiB, 32k, 25.6GB/s, 64B/cycle.
//
// k, M and G of counts and of bytes are powers of 1024, as memories are built (KiB and KB are the same); those of
// bytes in a second are powers of 1000, as links are sold (GiB/s is 1024^3). Units of clocks are in clock.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "timeloop/components/attributes.hpp"

namespace tilewright::timeloop {

enum class Unit { count, bytes, bytes_per_second, bytes_per_cycle };

struct Amount {
    double number = 0.0;  ///< of single things, bytes or bytes a second or a cycle
    Unit unit = Unit::count;
};

/// "2 MiB" is 2097152 bytes; nothing for a text that is no number with a unit behind it.
std::optional<Amount> amount_in(std::string_view text);

/// A whole number of things of `bits_of_one` bits each, 0 or more: as whole(), or with a unit (a count or bytes).
/// Throws InputError where the bytes are no whole number of things.
std::optional<std::int64_t> whole_amount(const Attributes& attributes, Attributes::Keys keys, std::int64_t bits_of_one);

/// Kibibytes (1024 bytes): as real_from(keys, 0), or bytes with a unit.
std::optional<double> kibibytes(const Attributes& attributes, Attributes::Keys keys);

/// What words are counted by where a bandwidth has a unit.
struct WordRate {
    std::int64_t word_bits = 1;
    std::optional<double> cycle_seconds;  ///< nothing: no clock is given
};

/// Words in a cycle: as real_from(keys, 0), or bytes in a second or in a cycle. Throws InputError for bytes in a second
/// where no clock is given.
std::optional<double> words_per_cycle(const Attributes& attributes, Attributes::Keys keys, const WordRate& rate);

}  // namespace tilewright::timeloop
