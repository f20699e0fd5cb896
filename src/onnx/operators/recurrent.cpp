#include "onnx/operators/recurrent.hpp"

#include "onnx/graph/attributes.hpp"

namespace tilewright::onnx {

bool is_recurrent(const pb::NodeProto& node) {
    return node.op_type() == "RNN" || node.op_type() == "GRU" || node.op_type() == "LSTM";
}

std::vector<Extents> recurrent_results(const Operator& op) {
    const Attributes attributes(op.node(), op.file());
    const std::int64_t hidden = attributes.integer("hidden_size", 0);
    if (hidden < 1) op.fail(ErrorCode::bad_value, "hidden_size is " + std::to_string(hidden) + "; expected at least 1");
    if (!op.knows_input(0)) return {};
    const Extents input = op.input(0);
    if (input.size() != 3)
        op.fail(ErrorCode::bad_value,
                "its input has shape " + shape_text(input) + "; expected [sequence, batch, features]");
    const std::int64_t directions = attributes.text("direction", "forward") == "bidirectional" ? 2 : 1;
    if (attributes.integer("layout", 0) != 0) {
        const Extents last{input[0], directions, hidden};
        return {{input[0], input[1], directions, hidden}, last, last};
    }
    const Extents last{directions, input[1], hidden};
    return {{input[0], directions, input[1], hidden}, last, last};
}

}  // namespace tilewright::onnx
