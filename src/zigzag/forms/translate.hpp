// Tilewright's layer, machine and mapping as ZigZag's, so that one mapping can be counted under both.
//
// A memory of the chain becomes a memory of ZigZag's graph for the tensors that the mapping stores there; every axis of
// a fan-out becomes a dimension of the array. Words are as wide everywhere as the compute units'. ZigZag has one cost
// of writing (ours of a fill), and ports that pass whole blocks: where the machine gives no bandwidth, transfers take
// no time.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "arch/architecture.hpp"
#include "mapping/mapping.hpp"
#include "model/evaluation.hpp"
#include "workload/einsum.hpp"
#include "zigzag/accounting/zigzag.hpp"

namespace tilewright::zigzag {

/// Why something cannot be expressed; caught where it is asked for.
struct Inexpressible {
    std::string reason;
};

struct Translation {
    Accelerator accelerator;
    Layer layer;
    ArrayUnrolling unrolling;
    UnevenMapping mapping;
    std::vector<int> memory_of;  ///< index into Architecture::memories, by memory of the accelerator
    std::vector<int> tensor_of;  ///< index into Einsum::tensors, by operand
};

/// Or why ZigZag cannot express it, in words: results beside one, more than two inputs, imperfect loops, loops outside
/// the memory that holds a tensor, ...  Requires a legal mapping. Throws OverflowError.
std::variant<Translation, std::string> translate(const Einsum& einsum, const Architecture& architecture,
                                                 const Mapping& mapping);

/// The machine by itself, with the operands that each of its memories holds (none: it is left out); sizes and widths in
/// the bits of each memory's own words. A memory without a bandwidth gets ports that take no time, one without a limit
/// an ample size. Throws OverflowError.
Accelerator from_architecture(const Architecture& architecture,
                              const std::vector<std::vector<MemoryOperand>>& operands);

/// What of the machine it would say wrongly, leakage aside: "'buffer': the network inside it costs energy, ...", or "".
/// Requires energies with a source.
std::string unsaid_in_hardware(const Architecture& architecture,
                               const std::vector<std::vector<MemoryOperand>>& operands);

/// A layer of any network as ZigZag has it, or why there is none, in words: with ZigZag's names (B, K, C, OX, OY, FX,
/// FY, G; O, W on I2, I on I1) and, as its reader of ONNX files has it, 8 bits for inputs and final results and 16 for
/// partial sums. Other names of dimensions stay; of two inputs without the usual names the first is I. Throws
/// OverflowError.
std::variant<Layer, std::string> from_einsum(const Einsum& einsum, std::string name, std::string operator_type);

/// The layer as an einsum: inputs first, the result last; a window is a sum of its two dimensions. ZigZag's layers add
/// or multiply alike, so that additions become products of the same traffic.
Einsum to_einsum(const Layer& layer);

/// ZigZag's result in the common form for reports. Counts are elements, whatever the width of a port; reads of results
/// include those that send them outwards. Requires a result without refusal.
Evaluation to_evaluation(const Result& result, const Translation& translation, const Einsum& einsum,
                         const Architecture& architecture);

}  // namespace tilewright::zigzag
