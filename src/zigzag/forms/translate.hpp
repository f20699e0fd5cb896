// Tilewright's layer, machine and mapping in ZigZag's form, to count one mapping under both.
//
// A memory of the chain becomes one of ZigZag's graph for its stored tensors; every fan-out axis becomes an array
// dimension. Words have the compute units' width everywhere. ZigZag has one write cost (our fill's), and ports passing
// whole blocks: without a bandwidth, transfers take no time.
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

/// Reason why a value is inexpressible; caught at the entry points.
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

/// Or the reason why ZigZag cannot express it: further results, more than two inputs, imperfect loops, loops outside a
/// tensor's memory, ...  Requires a legal mapping. Throws OverflowError.
std::variant<Translation, std::string> translate(const Einsum& einsum, const Architecture& architecture,
                                                 const Mapping& mapping);

/// The machine alone, with the operands of each memory (none: it is left out); sizes and widths in bits of each
/// memory's own words. A memory without a bandwidth gets zero-time ports, one without a limit an ample size. Throws
/// OverflowError.
Accelerator from_architecture(const Architecture& architecture,
                              const std::vector<std::vector<MemoryOperand>>& operands);

/// First property misrepresented by ZigZag's form, leakage aside: "'buffer': the network inside it costs energy, ...",
/// or "". Requires energies with a source.
std::string unsaid_in_hardware(const Architecture& architecture,
                               const std::vector<std::vector<MemoryOperand>>& operands);

/// A layer of any network in ZigZag's form, or the reason why there is none: ZigZag's names (B, K, C, OX, OY, FX, FY,
/// G; O, W on I2, I on I1) and, as in its ONNX reader, 8 bits for inputs and final results and 16 for partial sums.
/// Other dimension names stay; without the usual names the first input is I. Throws OverflowError.
std::variant<Layer, std::string> from_einsum(const Einsum& einsum, std::string name, std::string operator_type);

/// The layer as an einsum: inputs first, the result last; a window is a sum of its two dimensions. ZigZag does not
/// distinguish addition from multiplication: additions become products with the same traffic.
Einsum to_einsum(const Layer& layer);

/// ZigZag's result as an Evaluation. Counts are elements, whatever the port width; reads of results include the outward
/// transfers. Requires a result without refusal.
Evaluation to_evaluation(const Result& result, const Translation& translation, const Einsum& einsum,
                         const Architecture& architecture);

}  // namespace tilewright::zigzag
