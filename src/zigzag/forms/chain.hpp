// ZigZag's accelerator and mapping as a chain of memories and one nest, for the other accountings.
//
// Memories are in the order of their stores in the nest; an operand bypasses memories without it. A memory's words are
// as wide as its widest operand (ZigZag's differ in width), and it has one bandwidth per kind of port.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "arch/architecture.hpp"
#include "mapping/mapping.hpp"
#include "workload/einsum.hpp"
#include "zigzag/forms/translate.hpp"

namespace tilewright::zigzag {

struct Chain {
    Einsum einsum;
    Architecture architecture;
    Mapping mapping;             ///< uneven if operands sharing a memory keep different loops there
    std::vector<int> memory_of;  ///< index into Architecture::memories, by memory of the accelerator; -1: unused
    std::vector<int> tensor_of;  ///< index into Einsum::tensors, by operand
};

/// Or the reason why there is none: memories replicated along different array dimensions, loops not exactly covering a
/// dimension. Requires a mapping without problem. Throws OverflowError.
std::variant<Chain, std::string> to_chain(const Accelerator& accelerator, const Layer& layer,
                                          const ArrayUnrolling& unrolling, const UnevenMapping& mapping);

}  // namespace tilewright::zigzag
