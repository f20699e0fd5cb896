// A node together with the shapes of its inputs: what shape rules and lowering look at.
#pragma once

#include <string>

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

    /// True when input `index` is there: the names of those that are left out are empty.
    bool has_input(int index) const { return index < node_.input_size() && !node_.input(index).empty(); }
    /// True when input `index` is there and all its extents are known.
    bool knows_input(int index) const;
    /// The shape of input `index`, fully known and positive; throws InputError, saying where the trail was lost, when
    /// it is not.
    Extents input(int index) const;
    /// The same for an input that may have no elements yet, such as the past of attention.
    Extents possibly_empty_input(int index) const;
    /// The one whole number of input `index`, where it is known.
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

}  // namespace tilewright::onnx
