// What moves between the memories of one operand, for the order evaluator: sizes, counts and precisions by level, the
// same as movement.hpp by another way. Internal to account/zigzag.
#pragma once

#include <array>
#include <cmath>

#include "zigzag/lean/allocate.hpp"

namespace tilewright::zigzag::lean {

/// Rounded to the nearest integer, ties to even. Requires 0 <= x < 2^51.
inline double round_half_even(double x) {
    constexpr double kShift = 0x1.0p52;
    return (x + kShift) - kShift;
}

/// Requires -2^63 < x < 2^63.
inline double whole_part(double x) { return static_cast<double>(static_cast<std::int64_t>(x)); }

inline double ceiling(double x) {
    const double whole = whole_part(x);
    return whole < x ? whole + 1.0 : whole;
}

/// One order, allocated, with the loops that each level keeps once irrelevant loops have sunk to the level below them.
struct Nest {
    explicit Nest(const Sequence& the_sequence) : sequence(the_sequence) {}

    Sequence sequence;
    Cuts cuts;                                                     ///< as allocated
    std::array<std::array<std::uint8_t, kLevels>, kOperands> end;  ///< as Cuts::end, after sinking
    std::array<std::uint8_t, kOperands> idle;                      ///< irrelevant loops before the first other one
    int outermost_reuse = 0;  ///< architecture level of the outermost loop that is irrelevant to the output, 0: none
};

/// Requires cuts.
void sink(const Setup& setup, Nest& nest);

/// Elements in one instance, by architecture level (0: at the multipliers).
struct Sizes {
    std::array<double, kLevels + 1> elements;
};
void size_levels(const Setup& setup, const Spatial& spatial, int operand, const Nest& nest, Sizes& sizes);

/// How outputs travel, by memory level.
struct Sums {
    std::array<bool, kLevels + 1> partial;  ///< what lies at an architecture level is not final
    std::array<bool, kLevels + 2> back;     ///< some come back to an architecture level
};
void follow_sums(const Setup& setup, const Spatial& spatial, const Nest& nest, Sums& sums);

/// One direction at one level; nothing moves where elements or bits are 0.
struct Move {
    double elements = 0.0;
    double bits = 0.0;  ///< per element
    double count = 0.0;
};
using Moves = PerDirection<Move>;

/// Energy in pJ of a move through that many instances of a memory.
double stream_energy(const Stream& stream, const Move& move, double instances);

/// What moves through memory level `level` of an operand.
void moves_of(const Setup& setup, const Spatial& spatial, int operand, int level, const Nest& nest, const Sizes& sizes,
              const Sums& sums, Moves& moves);

/// All of it for the energy of an order, in pJ.
double energy_of(const Setup& setup, const Nest& nest);

}  // namespace tilewright::zigzag::lean
