// Data movement between one operand's memories, for the order evaluator: sizes, counts and precisions by level;
// movement.hpp by another method. Internal to account/zigzag.
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

/// One allocated order, with each level's loops after irrelevant loops have sunk.
struct Nest {
    explicit Nest(const Sequence& the_sequence) : sequence(the_sequence) {}

    Sequence sequence;
    Cuts cuts;                                                     ///< as allocated
    std::array<std::array<std::uint8_t, kLevels>, kOperands> end;  ///< as Cuts::end, after sinking
    std::array<std::uint8_t, kOperands> idle;                      ///< irrelevant loops before the first relevant one
    int outermost_reuse = 0;  ///< architecture level of the output's outermost irrelevant loop, 0: none
};

/// Requires cuts.
void sink(const Setup& setup, Nest& nest);

/// Elements in one instance, by architecture level (0: at the multipliers).
struct Sizes {
    std::array<double, kLevels + 1> elements;
};
void size_levels(const Setup& setup, const Spatial& spatial, int operand, const Nest& nest, Sizes& sizes);

/// State of moving outputs, by memory level.
struct Sums {
    std::array<bool, kLevels + 1> partial;  ///< outputs at an architecture level are partial
    std::array<bool, kLevels + 2> back;     ///< some return to an architecture level
};
void follow_sums(const Setup& setup, const Spatial& spatial, const Nest& nest, Sums& sums);

/// One direction at one level; no movement with 0 elements or bits.
struct Move {
    double elements = 0.0;
    double bits = 0.0;  ///< per element
    double count = 0.0;
};
using Moves = PerDirection<Move>;

/// Energy in pJ of a move through `instances` of a memory.
double stream_energy(const Stream& stream, const Move& move, double instances);

void moves_of(const Setup& setup, const Spatial& spatial, int operand, int level, const Nest& nest, const Sizes& sizes,
              const Sums& sums, Moves& moves);

/// Total energy of an order, in pJ.
double energy_of(const Setup& setup, const Nest& nest);

}  // namespace tilewright::zigzag::lean
