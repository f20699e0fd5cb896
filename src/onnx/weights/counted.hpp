// Results of counting the zeros of a model's weights.
#pragma once

#include <cstdint>
#include <string>

namespace tilewright::onnx {

/// Non-zeros of a constant layer operand.
struct CountedWeights {
    int layer = 0;     ///< of the network
    int tensor = 0;    ///< of its einsum
    std::string name;  ///< stored name in the model
    std::int64_t nonzero = 0;
    std::int64_t elements = 0;
    std::string uncounted;  ///< reason for missing counts, or ""
};

}  // namespace tilewright::onnx
