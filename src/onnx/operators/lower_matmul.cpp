// Matrix products. Common batch axes become G; one operand's own join its rows or columns, so a broadcast operand is
// read once for all. A constant first operand is the Weights, and the product is read as its transpose.
#include <algorithm>
#include <optional>

#include "base/numbers/checked.hpp"
#include "onnx/graph/messages.hpp"
#include "onnx/operators/lower.hpp"
#include "workload/shapes.hpp"

namespace tilewright::onnx {
namespace {

struct MatrixProduct {
    std::int64_t shared = 1;  ///< batch of both operands
    std::int64_t rows = 1;    ///< of the first operand, times its own batch
    std::int64_t inner = 1;
    std::int64_t columns = 1;  ///< of the second operand, times its own batch
};

void require_inner(const Operator& op, std::int64_t first, std::int64_t second, const Extents& a, const Extents& b) {
    if (first != second)
        op.fail(ErrorCode::bad_value, "cannot multiply " + shape_text(a) + " by " + shape_text(b) + ": " +
                                          std::to_string(first) + " against " + std::to_string(second));
}

Contraction as_einsum(const Operator& op, const MatrixProduct& p, int first, int second) {
    if (op.is_constant(first) && !op.is_constant(second))
        return {batched_matmul(p.shared, p.columns, p.inner, p.rows), {first, second}};
    return {batched_matmul(p.shared, p.rows, p.inner, p.columns), {second, first}};
}

/// Batch extents aligned at the right; a missing one is 1.
void fold_batches(const Operator& op, const Extents& a, const Extents& b, MatrixProduct& product) {
    const std::size_t batches_a = a.size() - 2;
    const std::size_t batches_b = b.size() - 2;
    for (std::size_t i = 0; i < std::max(batches_a, batches_b); ++i) {
        const std::int64_t in_a = i < batches_a ? a[batches_a - 1 - i] : 1;
        const std::int64_t in_b = i < batches_b ? b[batches_b - 1 - i] : 1;
        if (in_a == in_b)
            product.shared = checked_mul(product.shared, in_a);
        else if (in_b == 1)
            product.rows = checked_mul(product.rows, in_a);
        else if (in_a == 1)
            product.columns = checked_mul(product.columns, in_b);
        else
            op.fail(ErrorCode::bad_value,
                    "the batch axes of " + shape_text(a) + " and " + shape_text(b) + " do not broadcast");
    }
}

/// The operands as matrices, or stacks of them.
struct Operands {
    Extents a;
    Extents b;
    bool row = false;     ///< the first operand was a vector: the result has no rows
    bool column = false;  ///< the second operand was a vector: the result has no columns
};

Operands read_operands(const Operator& op, int first, int second) {
    Operands operands{op.input(first), op.input(second)};
    auto& [a, b, row, column] = operands;
    if (a.empty() || b.empty()) op.fail(ErrorCode::bad_value, "an operand is a scalar");
    row = a.size() == 1;
    column = b.size() == 1;
    if (row) a.insert(a.begin(), 1);
    if (column) b.push_back(1);
    if (op.node().op_type() == "FusedMatMul") {
        const Attributes attributes(op.node(), op.file());
        if (attributes.integer("transA", 0) != 0 && !row) std::swap(a[a.size() - 2], a.back());
        if (attributes.integer("transB", 0) != 0 && !column) std::swap(b[b.size() - 2], b.back());
    }
    require_inner(op, a.back(), b[b.size() - 2], a, b);
    return operands;
}

/// Two matrices, transposed by the attributes.
Operands read_gemm(const Operator& op) {
    const Attributes attributes =
        op.node().op_type() == "FusedGemm"  // with an activation
            ? Attributes(op.node(), op.file())
            : Attributes(op.node(), op.file(), {"alpha", "beta", "broadcast", "transA", "transB"});
    Operands operands{op.input(0), op.input(1)};
    auto& [a, b, row, column] = operands;
    if (a.size() != 2 || b.size() != 2)
        op.fail(ErrorCode::bad_value,
                "its operands have shapes " + shape_text(a) + " and " + shape_text(b) + "; expected matrices");
    if (attributes.integer("transA", 0) != 0) std::swap(a[0], a[1]);
    if (attributes.integer("transB", 0) != 0) std::swap(b[0], b[1]);
    require_inner(op, a[1], b[0], a, b);
    return operands;
}

Lowered multiplied(const Operator& op, int first, int second) {
    const auto& [a, b, row, column] = read_operands(op, first, second);
    MatrixProduct product{1, a[a.size() - 2], a.back(), b.back()};
    fold_batches(op, a, b, product);
    return as_einsum(op, product, first, second);
}

Lowered lower_product(const Operator& op, int first, int second) {
    const Attributes none(op.node(), op.file(), {});
    return multiplied(op, first, second);
}

Extents result_of(const Operator& op, const Operands& operands) {
    const auto& [a, b, row, column] = operands;
    MatrixProduct unused;
    fold_batches(op, a, b, unused);
    Extents result(std::max(a.size(), b.size()) - 2, 1);
    for (const Extents* operand : {&a, &b})
        for (std::size_t i = 2; i < operand->size(); ++i) {
            std::int64_t& extent = result[result.size() - (i - 1)];
            extent = std::max(extent, (*operand)[operand->size() - 1 - i]);
        }
    if (!row) result.push_back(a[a.size() - 2]);
    if (!column) result.push_back(b.back());
    return result;
}

}  // namespace

Lowered lower_fused_matmul(const Operator& op) {
    const Attributes attributes(op.node(), op.file(), {"alpha", "transA", "transB", "transBatchA", "transBatchB"});
    if (attributes.integer("transBatchA", 0) != 0 || attributes.integer("transBatchB", 0) != 0)
        return NotMapped{"a product that moves its batch axis behind its rows"};
    return multiplied(op, 0, 1);
}

Lowered lower_dynamic_matmul(const Operator& op) {
    const Attributes none(op.node(), op.file(), {});
    Lowered lowered = multiplied(op, 0, 1);
    constexpr std::int64_t kDynamicBits = 8;  // precision for its floats
    for (Tensor& tensor : std::get<Contraction>(lowered).einsum.tensors)
        if (!tensor.written) tensor.bits = kDynamicBits;
    return lowered;
}

Lowered lower_matmul(const Operator& op) { return lower_product(op, 0, 1); }

Lowered lower_qlinear_matmul(const Operator& op) { return lower_product(op, 0, 3); }

Lowered lower_gemm(const Operator& op) {
    const auto& [a, b, row, column] = read_gemm(op);
    return as_einsum(op, {1, a[0], a[1], b[1]}, 0, 1);
}

std::optional<Extents> product_result(const Operator& op) {
    const std::string& type = op.node().op_type();
    static const WordSet kProducts(
        "Gemm MatMul MatMulInteger QLinearMatMul FusedGemm FusedMatMul DynamicQuantizeMatMul MatMulIntegerToFloat");
    const bool is_gemm = type == "Gemm" || type == "FusedGemm";
    if (!kProducts.contains(type)) return std::nullopt;
    const int second = type == "QLinearMatMul" ? 3 : 1;
    if (!op.knows_input(0) || !op.knows_input(second)) return std::nullopt;
    return result_of(op, is_gemm ? read_gemm(op) : read_operands(op, 0, second));
}

}  // namespace tilewright::onnx
