// Reads ONNX models: every operator that is a contraction becomes a layer, every other one is listed as not mapped.
//
// Mapped: Conv, ConvTranspose, ConvInteger, QLinearConv (1-D to 3-D), Gemm, MatMul, MatMulInteger, QLinearMatMul,
// Einsum; Attention, LSTM, GRU and RNN as the products inside them (fused.hpp); attention made of MatMuls is mapped
// through them, and so are the bodies of the model's own functions. workload/shapes.hpp says which einsum a shape
// becomes. The branch of an If whose condition folds to a constant is mapped, and the body of a Loop or Scan whose trip
// count is known, as often as it runs; operators inside others are listed as not mapped: how often they run is not
// known. So are operators whose shapes cannot be worked out. Only the graph is read: weights may be missing or lie in
// other files.
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
    /// Extents for symbolic dimensions, by name ("batch_size": 1), or by place for those without a name ("input.2":
    /// axis 2 of graph input "input"). A symbolic dimension that is not here is 1 when it is a leading batch dimension
    /// wherever it occurs and an error otherwise, naming the dimension and this option. A name here that the model does
    /// not have is an error.
    std::map<std::string, std::int64_t> dimensions;
    Notes* notes = nullptr;  ///< what was read over; may be null
    /// Takes the zeros of all weights of layers; null: values are not looked at. Read from files below the model's
    /// folder where they lie there.
    std::vector<CountedWeights>* weights = nullptr;
};

/// Throws InputError for files that are not ONNX, are truncated, or whose shapes cannot be inferred.
Network read_onnx(const std::filesystem::path& path, const ReadOptions& options = {});

/// The same for a model in memory; `name` stands for the file in messages.
Network read_onnx_bytes(std::string_view bytes, const std::string& name, const ReadOptions& options = {});

/// The whole graph: every operator that computes is an einsum, and what only moves data is how others read a tensor
/// (docs/networks.md has the table). What is not covered is listed with its bytes and operations.
Cascade read_onnx_cascade(const std::filesystem::path& path, const ReadOptions& options = {});
Cascade read_onnx_cascade_bytes(std::string_view bytes, const std::string& name, const ReadOptions& options = {});

}  // namespace tilewright::onnx
