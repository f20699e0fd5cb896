// Loops taken by each memory, for the order evaluator: the choice of allocate() (allocation.hpp) without its lists.
// Internal to account/zigzag.
#pragma once

#include <array>
#include <span>

#include "zigzag/lean/setup.hpp"

namespace tilewright::zigzag::lean {

/// Loop kinds of an order, innermost first.
using Order = std::span<const std::uint8_t>;

/// An order and its tables before any allocation.
struct Sequence {
    Order order;
    std::array<double, kLoops + 1> outside;        ///< products of the loops from a position outwards
    std::array<std::uint64_t, kOperands> reuse{};  ///< bit p: the loop at position p is irrelevant to the operand

    Sequence(const Setup& setup, Order the_order);
    int size() const { return static_cast<int>(order.size()); }
};

struct Cuts {
    /// end[o][l]: number of loops in level l of operand o and below.
    std::array<std::array<std::uint8_t, kLevels>, kOperands> end;
    /// Into Spatial::elements, for tabulated operands.
    std::array<std::array<std::uint32_t, kLevels>, kOperands> index;
};

/// False if a memory is too small.
bool allocate(const Setup& setup, const Sequence& sequence, Cuts& cuts);

}  // namespace tilewright::zigzag::lean
