#include "onnx/operators/fused.hpp"

#include "base/numbers/checked.hpp"
#include "workload/shapes.hpp"

namespace tilewright::onnx {
namespace {

/// One operand of attention.
struct Heads {
    std::int64_t batch = 1;
    std::int64_t heads = 1;
    std::int64_t rows = 1;
    std::int64_t features = 1;
};

Heads heads_of(const Operator& op, int input, const char* attribute) {
    const Extents extents = op.input(input);
    if (extents.size() == 4) return {extents[0], extents[1], extents[2], extents[3]};
    if (extents.size() != 3)
        op.fail(ErrorCode::bad_value, "its input has shape " + shape_text(extents) +
                                          "; expected [batch, heads, rows, features] or [batch, rows, features]");
    const std::int64_t heads = Attributes(op.node(), op.file()).integer(attribute, 0);
    if (heads < 1 || extents[2] % heads != 0)
        op.fail(ErrorCode::bad_value, std::string("attribute '") + attribute + "' (" + std::to_string(heads) +
                                          ") does not divide the " + std::to_string(extents[2]) + " features");
    return {extents[0], heads, extents[1], extents[2] / heads};
}

struct Attended {
    Heads query;
    Heads key;
    Heads value;
    std::int64_t rows = 0;  ///< of keys and values, with the past
};

Attended attended(const Operator& op) {
    Attended all{heads_of(op, 0, "q_num_heads"), heads_of(op, 1, "kv_num_heads"), heads_of(op, 2, "kv_num_heads"), 0};
    all.rows = all.key.rows;
    if (op.node().input_size() > 4 && !op.node().input(4).empty()) {
        const Extents past = op.input(4);
        if (past.size() != 4)
            op.fail(ErrorCode::bad_value, "past keys have shape " + shape_text(past) + "; expected four axes");
        all.rows = checked_add(all.rows, past[2]);
    }
    const bool fits = all.query.batch == all.key.batch && all.key.batch == all.value.batch &&
                      all.query.features == all.key.features && all.key.rows == all.value.rows &&
                      all.key.heads == all.value.heads && all.query.heads % all.key.heads == 0;
    if (!fits)
        op.fail(ErrorCode::bad_value, "the shapes of queries " + shape_text(op.input(0)) + ", keys " +
                                          shape_text(op.input(1)) + " and values " + shape_text(op.input(2)) +
                                          " do not go together");
    return all;
}

}  // namespace

Lowered lower_attention(const Operator& op) {
    const Attended all = attended(op);
    const std::int64_t batch = checked_mul(all.query.batch, all.query.heads);
    return std::vector<Product>{{"scores", batched_matmul(batch, all.query.rows, all.query.features, all.rows), 1},
                                {"values", batched_matmul(batch, all.query.rows, all.rows, all.value.features), 1}};
}

std::optional<Extents> attention_result(const Operator& op) {
    for (int input = 0; input < 3; ++input)
        if (!op.knows_input(input)) return std::nullopt;
    const Attended all = attended(op);
    if (op.input(0).size() == 4) return Extents{all.query.batch, all.query.heads, all.query.rows, all.value.features};
    return Extents{all.query.batch, all.query.rows, checked_mul(all.query.heads, all.value.features)};
}

Lowered lower_recurrent(const Operator& op) {
    const Attributes attributes(op.node(), op.file());
    const std::string& type = op.node().op_type();
    const std::int64_t gates = type == "LSTM" ? 4 : type == "GRU" ? 3 : 1;
    const std::int64_t hidden = attributes.integer("hidden_size", 0);
    if (hidden < 1) op.fail(ErrorCode::bad_value, "hidden_size is " + std::to_string(hidden) + "; expected at least 1");
    const Extents input = op.input(0);
    if (input.size() != 3)
        op.fail(ErrorCode::bad_value,
                "its input has shape " + shape_text(input) + "; expected [sequence, batch, features]");
    const bool batch_first = attributes.integer("layout", 0) != 0;
    const std::int64_t directions = attributes.text("direction", "forward") == "bidirectional" ? 2 : 1;
    const std::int64_t steps = checked_mul(batch_first ? input[1] : input[0], directions);
    const std::int64_t batch = batch_first ? input[0] : input[1];
    const std::int64_t columns = checked_mul(gates, hidden);
    return std::vector<Product>{{"input", gemm(batch, input[2], columns), steps},
                                {"state", gemm(batch, hidden, columns), steps}};
}

}  // namespace tilewright::onnx
