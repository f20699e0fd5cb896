// Encodings of numbers for arrays computing in memory: bits of inputs and weights as circuits see them, and the mean
// value of each slice of bits, on which energies of drivers and cells depend.
//
// A histogram lists the probabilities of -(2^(n-1) - 1) ... 2^(n-1) - 1, in any scale: 2^n - 1 entries. Means are
// shares of the largest value of a full slice, most significant slice first. Encodings as in CiMLoop
// (mit-emze/cimloop; T. Andrulis et al., ISPASS 2024). Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tilewright::cim {

using Histogram = std::vector<double>;

enum class Encoding {
    magnitude,           ///< |v|, one bit less than the number
    two_part,            ///< a place for |v| of positive numbers, another of negative ones; the other holds 0
    offset,              ///< v + 2^(n-1) - 1
    offset_if_signed,    ///< magnitude without negative numbers
    two_part_if_signed,  ///< likewise
    xnor,                ///< digits +1 and -1 of weight 2^(n-1) ... 1, 1/2, 1/2, greedily; 1 for +1
    zero_gated_xnor,     ///< likewise, zero with all digits 0
};

/// "magnitude", ...; also CiMLoop's function names ("magnitude_encode_hist").
std::optional<Encoding> encoding_named(std::string_view name);
std::string_view name_of(Encoding encoding);

/// Bits of the numbers; empty unless it has 2^n - 1 entries, 2 <= n <= 16, none negative and some positive.
std::optional<int> bits_of(const Histogram& histogram);
/// Some number below zero occurs.
bool is_signed(const Histogram& histogram);

/// Bits that numbers of `bits` bits take when encoded (two_part: in one of its places).
int encoded_bits(Encoding encoding, int bits, bool has_sign);

/// Widths of the slices of `bits` bits, the last one possibly short.
std::vector<int> slice_widths(int bits, int bits_per_slice);

/// Means of the slices of an encoded number of `bits` bits (at most 16, not fewer than the histogram's): each entry
/// spreads evenly over the numbers that it stands for, so that every bit is known. Requires bits_of().
std::vector<double> mean_slices(const Histogram& histogram, Encoding encoding, int bits, int bits_per_slice);

/// CiMLoop's means of `encoded` bits: a bit beyond the histogram's has the mean of the bits that it has, and a short
/// slice is a share of a full one.
std::vector<double> cimloop_mean_slices(const Histogram& histogram, Encoding encoding, int encoded, int bits_per_slice);

}  // namespace tilewright::cim
