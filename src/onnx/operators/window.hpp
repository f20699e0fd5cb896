// Operators that slide a kernel over the spatial axes of their input: convolutions and pooling. Reads their attributes,
// counts the places the kernel takes, and gives the shapes of their results. (libonnx's own rules for these trust the
// attributes too much.)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "onnx/graph/attributes.hpp"
#include "onnx/operators/operator.hpp"
#include "workload/shapes.hpp"

namespace tilewright::onnx {

struct SlidingKernel {
    Extents input;
    Extents weights;  ///< empty for pooling
    std::int64_t groups = 1;
    std::vector<WindowAxis>
        axes;  ///< in the order of the model; positions along the result, for a transposed one along the input
    std::vector<std::int64_t> pads;
    std::string auto_pad;
};

/// Conv, ConvInteger and QLinearConv. Throws InputError for attributes and shapes that do not fit together.
SlidingKernel convolution_window(const Operator& op, int input, int weights);
SlidingKernel transposed_window(const Operator& op);

/// MaxPool, AveragePool, LpPool: `positions` are those of the result.
std::optional<SlidingKernel> pooling_window(const Operator& op);

/// Words of padding before the first of spatial axis `axis`, in the order of the model.
std::int64_t padding_before(const SlidingKernel& window, std::size_t axis);

/// The shape of the first result of a convolution or pooling, once its inputs are known; nullopt for other operators.
/// Throws InputError.
std::optional<Extents> window_result(const Operator& op);

/// True for the operators that window_result knows.
bool has_window(const pb::NodeProto& node);

}  // namespace tilewright::onnx
