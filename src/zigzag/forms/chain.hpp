// ZigZag's accelerator and mapping as a chain of memories and one nest, so that the other accountings can count them.
//
// The memories stand in the order in which the nest stores into them; every operand passes the memories that do not
// hold it by. A memory's words are as wide as the widest operand that it holds (ZigZag's differ in width), and it has
// one bandwidth for each kind of port.
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
    Mapping mapping;             ///< uneven where operands that share a memory keep different loops there
    std::vector<int> memory_of;  ///< index into Architecture::memories, by memory of the accelerator; -1: not used
    std::vector<int> tensor_of;  ///< index into Einsum::tensors, by operand
};

/// Or why there is none, in words: memories replicated along different dimensions of the array, loops that do not cover
/// a dimension exactly. Requires a mapping without problem. Throws OverflowError.
std::variant<Chain, std::string> to_chain(const Accelerator& accelerator, const Layer& layer,
                                          const ArrayUnrolling& unrolling, const UnevenMapping& mapping);

}  // namespace tilewright::zigzag
