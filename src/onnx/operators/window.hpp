// Sliding-kernel operators: convolutions and pooling. Reads attributes, counts kernel positions, and gives result
// shapes. (libonnx's own rules trust the attributes too much.)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "onnx/graph/messages.hpp"
#include "onnx/operators/operator.hpp"
#include "workload/shapes.hpp"

namespace tilewright::onnx {

struct SlidingKernel {
    Extents input;
    Extents weights;  ///< empty for pooling
    std::int64_t groups = 1;
    std::vector<WindowAxis>
        axes;  ///< in the model's order; positions along the result, for a transposed one along the input
    std::vector<std::int64_t> pads;
    std::string auto_pad;
};

/// Conv, ConvInteger and QLinearConv. Throws InputError for inconsistent attributes and shapes.
SlidingKernel convolution_window(const Operator& op, int input, int weights);
SlidingKernel transposed_window(const Operator& op);

/// MaxPool, AveragePool, LpPool: `positions` are the result's.
std::optional<SlidingKernel> pooling_window(const Operator& op);

/// Words of padding before spatial axis `axis`, in the model's order.
std::int64_t padding_before(const SlidingKernel& window, std::size_t axis);

/// The first result's shape of a convolution or pooling with known inputs; nullopt for other operators. Throws
/// InputError.
std::optional<Extents> window_result(const Operator& op);

bool has_window(const pb::NodeProto& node);

}  // namespace tilewright::onnx
