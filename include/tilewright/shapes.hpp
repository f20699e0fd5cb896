// SPDX-License-Identifier: Apache-2.0
// The shapes of deep learning as einsums: convolutions, depthwise and transposed ones, matrix products.
//
//     const Einsum layer = conv2d(64, 128, 28, 3, 2);     // 64 -> 128 channels, 28 x 28 outputs, 3 x 3, stride 2
//     const Einsum heads = batched_matmul(12, 128, 64, 128);
//
// All have the dimensions R, S, P, Q, C, K and N of Timeloop's CNN layer, so that constraints written for convolutions
// apply to them. Extents, strides and dilations are at least 1. Thread-safe: pure functions.
#pragma once

#include "workload/shapes.hpp"
