// One operator to one einsum: what each family of operators knows about its inputs and attributes.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "onnx/graph/attributes.hpp"
#include "onnx/operators/operator.hpp"
#include "workload/einsum.hpp"

namespace tilewright::onnx {

/// Why an operator is not mapped.
struct NotMapped {
    std::string reason;
};

/// What an operator with operands of its own becomes.
struct Contraction {
    Einsum einsum;
    std::vector<int> operands;  ///< which input of the operator each tensor is that the einsum reads, in its order
    std::int64_t bits = 0;      ///< of the words of the first of them, where the operator says it; else 0
};

/// One of the products that an operator stands for.
struct Product {
    std::string part;  ///< "scores"
    Einsum einsum;
    std::int64_t repeats = 1;
};

using Lowered = std::variant<Contraction, std::vector<Product>, NotMapped>;

Lowered lower_conv(const Operator& op);            ///< Conv and ConvInteger: X, W
Lowered lower_qlinear_conv(const Operator& op);    ///< x, scale, zero point, w, ...
Lowered lower_conv_transpose(const Operator& op);  ///< X, W
Lowered lower_gemm(const Operator& op);            ///< A, B
Lowered lower_matmul(const Operator& op);          ///< MatMul and MatMulInteger: A, B
Lowered lower_qlinear_matmul(const Operator& op);  ///< a, scale, zero point, b, ...
Lowered lower_fused_matmul(const Operator& op);    ///< of com.microsoft: operands that may be transposed
Lowered lower_dynamic_matmul(const Operator& op);  ///< of com.microsoft: floats that it multiplies as 8 bits
Lowered lower_einsum(const Operator& op);

/// The shape of a matrix product's result, once its operands are known; nullopt for other operators. Throws InputError.
std::optional<Extents> product_result(const Operator& op);

/// Chooses by the operator's name; whatever is not a contraction comes back with its reason. Throws InputError, also
/// for einsums too large to count.
Lowered lower(const Operator& op);

/// Why an operator that is not a contraction is not mapped: "element by element", "moves data only", ...
std::string reason_not_mapped(const pb::NodeProto& node);

/// Whether it computes on whole tensors: pools, reduces, normalises, or works element by element. (Others move data, or
/// compute shapes.)
bool computes_elements(const pb::NodeProto& node);

}  // namespace tilewright::onnx
