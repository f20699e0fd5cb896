// Reads ONNX models: every contraction becomes a layer, every other operator is listed as not mapped.
//
// Mapped: Conv, ConvTranspose, ConvInteger, QLinearConv (1-D to 3-D), Gemm, MatMul, MatMulInteger, QLinearMatMul,
// Einsum; Attention, LSTM, GRU and RNN as their products (fused.hpp); attention built of MatMuls through them, and the
// bodies of the model's own functions. workload/shapes.hpp defines the einsums. The taken branch of an If with a
// constant condition is mapped, and the body of a Loop or Scan with a known trip count, with its repeats; operators in
// other bodies are not mapped, for lack of a count; nor are operators of unknown shape. Only the graph is read: weights
// may be missing or lie in other files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/notes.hpp"
#include "onnx/weights/counted.hpp"
#include "workload/cascade/cascade.hpp"
#include "workload/network.hpp"

namespace tilewright::onnx {

struct ReadOptions {
    /// Extents of symbolic dimensions, by name ("batch_size": 1), or by place for unnamed ones ("input.2": axis 2 of
    /// graph input "input"). A missing one defaults to 1 if it is a leading batch dimension at every occurrence;
    /// otherwise it is an error, naming the dimension and this option. So is a name absent from the model.
    std::map<std::string, std::int64_t> dimensions;
    Notes* notes = nullptr;  ///< skipped parts; may be null
    /// Receives the zeros of all layers' weights; null: values are not read. External data is read from files below the
    /// model's folder.
    std::vector<CountedWeights>* weights = nullptr;
};

/// Throws InputError for files that are truncated, not ONNX, or without inferable shapes.
Network read_onnx(const std::filesystem::path& path, const ReadOptions& options = {});

/// The same for a model in memory; `name`: the file's name in messages.
Network read_onnx_bytes(std::string_view bytes, const std::string& name, const ReadOptions& options = {});

/// The whole graph: every computing operator is an einsum, pure data movement is part of a reader's access (table in
/// docs/networks.md). The rest is listed with bytes and operations.
Cascade read_onnx_cascade(const std::filesystem::path& path, const ReadOptions& options = {});
Cascade read_onnx_cascade_bytes(std::string_view bytes, const std::string& name, const ReadOptions& options = {});

}  // namespace tilewright::onnx
