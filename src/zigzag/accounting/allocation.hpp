// Allocation of an order's loops to memory levels: ZigZag's and LOMA's bottom-up allocation, even and uneven. ZigZag
// 3.8.5: zigzag/opt/loma/memory_allocator.py.
//
// From the units upwards, the operands of a memory take the loops with the fewest accesses to the memory above (on ties
// the longer list). Even: operands sharing a memory end at the same loop. The order evaluator (order_evaluator.hpp)
// makes the same choice without lists.
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

/// A memory too small for its tiles.
struct Shortage {
    int memory = 0;
    int operand = -1;  ///< of the layer; -1: the smallest tiles of all its operands together
    double needed_bits = 0.0;

    bool operator==(const Shortage&) const = default;
};

/// "memory 'spad' lacks 4 bits: operand W needs 516, there are 512"
std::string text_of(const Shortage& shortage, const Accelerator& accelerator, const Layer& layer);

/// Reason why every order fails: a memory too small for single elements. "" if none (an order may still not fit).
std::string why_nothing_fits(const Accelerator& accelerator, const Layer& layer, const SpatialMapping& spatial);

/// `order` is innermost first; `spatial` is the fractional mapping. Requires a memory for every operand (problem_with).
std::variant<UnevenMapping, Shortage> allocate(const Accelerator& accelerator, const Layer& layer,
                                               const SpatialMapping& spatial, std::span<const TemporalLoop> order,
                                               Evenness evenness);

}  // namespace tilewright::zigzag
