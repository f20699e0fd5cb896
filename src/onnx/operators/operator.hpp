// A node with its inputs' shapes, for shape rules and lowering.
// Result shapes of recurrent cells (RNN, GRU, LSTM): the cells are not mapped, but layers behind them are.
#pragma once

#include <string>
#include <vector>

#include "onnx/graph/messages.hpp"
#include "onnx/operators/infer.hpp"

namespace tilewright::onnx {

/// Holds references only: the node, the shapes and the file's name must outlive it.
class Operator {
   public:
    Operator(const pb::NodeProto& node, const Shapes& shapes, const std::string& file)
        : node_(node), shapes_(shapes), file_(file) {}

    const pb::NodeProto& node() const { return node_; }
    const std::string& file() const { return file_; }

    /// True for a present input: omitted ones have empty names.
    bool has_input(int index) const { return index < node_.input_size() && !node_.input(index).empty(); }
    /// True for a present input of fully known shape.
    bool knows_input(int index) const;
    /// The shape of input `index`, fully known and positive; otherwise throws InputError with the origin of the
    /// unknown.
    Extents input(int index) const;
    /// The same for an input possibly without elements, such as attention's past.
    Extents possibly_empty_input(int index) const;
    /// The integer scalar of input `index`, if known.
    std::optional<std::int64_t> number(int index) const;
    bool is_constant(int index) const { return shapes_.is_constant(node_.input(index)); }

    [[noreturn]] void fail(ErrorCode code, const std::string& message) const {
        onnx::fail(file_, node_, code, message);
    }

   private:
    const pb::NodeProto& node_;
    const Shapes& shapes_;
    const std::string& file_;
};

bool is_recurrent(const pb::NodeProto& node);

/// Y, Y_h and Y_c; none for an unknown input shape. Throws InputError for a hidden size below 1 and inputs without
/// three axes.
std::vector<Extents> recurrent_results(const Operator& op);

}  // namespace tilewright::onnx
