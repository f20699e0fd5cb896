// Which memory level keeps which loops of an order: ZigZag's and LOMA's bottom-up allocation, even and uneven.
// ZigZag 3.8.5: zigzag/opt/loma/memory_allocator.py.
//
// Memory by memory from the units upwards, the operands of a memory take the loops that make the accesses to the memory
// above fewest (of equally good choices the one with more loops). Even: operands that share a memory end at the same
// loop. The order evaluator (order_evaluator.hpp) makes the same choice without lists.
#pragma once

#include <span>
#include <string>
#include <variant>

#include "zigzag/accounting/spatial.hpp"
#include "zigzag/values/accelerator.hpp"
#include "zigzag/values/layer.hpp"
#include "zigzag/values/uneven_mapping.hpp"

namespace tilewright::zigzag {

enum class Evenness { uneven, even };

/// A memory that is too small for what it has to hold.
struct Shortage {
    int memory = 0;
    int operand = -1;  ///< of the layer; -1: the smallest tiles of all its operands together
    double needed_bits = 0.0;

    bool operator==(const Shortage&) const = default;
};

/// "memory 'spad' lacks 4 bits: operand W needs 516, there are 512"
std::string text_of(const Shortage& shortage, const Accelerator& accelerator, const Layer& layer);

/// Why no order of the layer's temporal loops fits: a memory lacks room for single elements, whatever the order. ""
/// when none does (an order may still not fit).
std::string why_nothing_fits(const Accelerator& accelerator, const Layer& layer, const SpatialMapping& spatial);

/// `order` is innermost first; `spatial` is the fractional mapping. Requires that every operand of the layer has a
/// memory (problem_with).
std::variant<UnevenMapping, Shortage> allocate(const Accelerator& accelerator, const Layer& layer,
                                               const SpatialMapping& spatial, std::span<const TemporalLoop> order,
                                               Evenness evenness);

}  // namespace tilewright::zigzag
