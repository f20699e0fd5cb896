// What counting the zeros of a model's weights gives.
#pragma once

#include <cstdint>
#include <string>

namespace tilewright::onnx {

/// How much of a constant operand of a layer is not zero.
struct CountedWeights {
    int layer = 0;     ///< of the network
    int tensor = 0;    ///< of its einsum
    std::string name;  ///< in the model, where they are stored
    std::int64_t nonzero = 0;
    std::int64_t elements = 0;
    std::string uncounted;  ///< why they were not counted, or "": then the counts hold
};

}  // namespace tilewright::onnx
