// One operator to one einsum: what each family of operators knows about its inputs and attributes.
#pragma once

#include <string>
#include <variant>

#include "frontend/onnx/attributes.hpp"
#include "frontend/onnx/infer.hpp"
#include "workload/einsum.hpp"

namespace tilewright::onnx {

/// A node with the shapes of its inputs.
class Operator {
   public:
    Operator(const pb::NodeProto& node, const Shapes& shapes, const std::string& file)
        : node_(node), shapes_(shapes), file_(file) {}

    const pb::NodeProto& node() const { return node_; }
    const std::string& file() const { return file_; }

    /// The shape of input `index`, fully known and positive; throws InputError, saying where the trail was lost, when
    /// it is not.
    Extents input(int index) const;
    bool is_constant(int index) const { return shapes_.is_constant(node_.input(index)); }

    [[noreturn]] void fail(ErrorCode code, const std::string& message) const {
        onnx::fail(file_, node_, code, message);
    }

   private:
    const pb::NodeProto& node_;
    const Shapes& shapes_;
    const std::string& file_;
};

/// Why an operator is not mapped.
struct NotMapped {
    std::string reason;
};

using Lowered = std::variant<Einsum, NotMapped>;

Lowered lower_conv(const Operator& op);            ///< Conv and ConvInteger: X, W
Lowered lower_qlinear_conv(const Operator& op);    ///< x, scale, zero point, w, ...
Lowered lower_conv_transpose(const Operator& op);  ///< X, W
Lowered lower_gemm(const Operator& op);            ///< A, B
Lowered lower_matmul(const Operator& op);          ///< MatMul and MatMulInteger: A, B
Lowered lower_qlinear_matmul(const Operator& op);  ///< a, scale, zero point, b, ...
Lowered lower_einsum(const Operator& op);

/// Chooses by the operator's name; whatever is not a contraction comes back with its reason. Throws InputError, also
/// for einsums too large to count.
Lowered lower(const Operator& op);

/// Why an operator that is not a contraction is not mapped: "element by element", "moves data only", ...
std::string reason_not_mapped(const pb::NodeProto& node);

}  // namespace tilewright::onnx
