// Which loops of an order each memory takes, for the order evaluator: the same choice as allocate() (allocation.hpp)
// makes, without its lists. Internal to account/zigzag.
#pragma once

#include <array>
#include <span>

#include "account/zigzag/lean_setup.hpp"

namespace tilewright::zigzag::lean {

/// The kinds of the loops of an order, innermost first.
using Order = std::span<const std::uint8_t>;

/// end[o][l]: how many loops of the order level l of operand o and the levels below it take.
struct Cuts {
    std::array<std::array<std::uint8_t, kLevels>, kOperands> end;
};

/// `outside[p]` is the product of the loops from position p outwards. False when a memory is too small.
bool allocate(const Setup& setup, Order order, const std::array<double, kLoops + 1>& outside, Cuts& cuts);

}  // namespace tilewright::zigzag::lean
