// SPDX-License-Identifier: Apache-2.0
// Networks from ONNX models: every operator that is a contraction becomes a layer, every other one is listed.
//
//     const Network network = onnx::read_onnx("model.onnx", {.dimensions = {{"batch_size", 1}}});
//
// Only the graph is read: weights may be missing. Throws InputError for files that are not ONNX or whose shapes cannot
// be inferred. Thread-safe, with an Options::notes of its own for each call.
#pragma once

#include "onnx/onnx.hpp"
