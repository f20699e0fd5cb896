// The shapes of deep learning as einsums, in one convention, so that machine constraints written for convolutions apply
// to all of them.
//
// Every einsum has the dimensions of a Timeloop CNN layer, in this order, absent ones with extent 1:
//     R, S   kernel width and height         P, Q   output width and height
//     C      input channels (of one group)   K      output channels (of one group)        N   batch, or the rows of a
//     matrix
// and only where they are needed
//     T, Z   kernel and output depth (3-D)   G      groups, or the common batch of a matrix product's operands
// and the tensors
//     Weights[G, C, K, R, S, T]   Inputs[N, G, C, dR + sP, dS + sQ, dT + sZ]   Outputs[N, G, K, Q, P, Z]
// with s the stride and d the dilation of the axis. Padding only changes the output extents: the projections have no
// offset.
//
// - A matrix product [M x C] * [C x K] is a 1x1 convolution of 1x1 images with N = M.
// - A depthwise convolution has G = channels, C = 1 and K = the channel multiplier.
// - A 1-D convolution lies along the width (P, R).
// - A transposed convolution runs over the positions of its *input*, P and Q, and scatters: Inputs[N, G, C, P, Q, Z]
// and
//   Outputs[N, G, K, dS + sQ, dR + sP, dT + sZ]; padding crops the output afterwards and so does not appear.
//
// All functions require extents, strides and dilations of at least 1. Layers of equal shape get equal einsums, also in
// name.
#pragma once

#include <cstdint>
#include <optional>

#include "workload/einsum.hpp"

namespace tilewright {

struct WindowAxis {
    std::int64_t positions = 1;  ///< window positions: the output extent (transposed: the input extent)
    std::int64_t kernel = 1;
    std::int64_t stride = 1;
    std::int64_t dilation = 1;
};

struct Convolution {
    std::int64_t batch = 1;
    std::int64_t groups = 1;
    std::int64_t in_channels = 1;   ///< of one group
    std::int64_t out_channels = 1;  ///< of one group
    WindowAxis width;
    WindowAxis height;
    std::optional<WindowAxis> depth = std::nullopt;
};

Einsum convolution(const Convolution& shape);
Einsum transposed_convolution(const Convolution& shape);

/// A square 2-D convolution: `size` x `size` outputs, `kernel` x `kernel` weights.
Einsum conv2d(std::int64_t in_channels, std::int64_t out_channels, std::int64_t size, std::int64_t kernel,
              std::int64_t stride = 1, std::int64_t batch = 1);

/// The same per channel, for `channels` channels.
Einsum depthwise(std::int64_t channels, std::int64_t size, std::int64_t kernel, std::int64_t stride = 1,
                 std::int64_t batch = 1);

/// [rows x inner] * [inner x columns]; the first operand is Inputs, the second Weights.
Einsum gemm(std::int64_t rows, std::int64_t inner, std::int64_t columns);

/// `batch` independent products: attention scores, for instance. A batch of 1 is a gemm.
Einsum batched_matmul(std::int64_t batch, std::int64_t rows, std::int64_t inner, std::int64_t columns);

/// A shape of this room with `factor` times the extent of its dimension N or G, which must exist. Throws OverflowError.
Einsum multiplied(const Einsum& einsum, char dimension, std::int64_t factor);

}  // namespace tilewright
