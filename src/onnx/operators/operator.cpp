#include "onnx/operators/operator.hpp"

#include <algorithm>

#include "onnx/graph/messages.hpp"

namespace tilewright::onnx {

bool Operator::knows_input(int index) const {
    if (index >= node_.input_size()) return false;
    const std::optional<Extents> extents = shapes_.of(node_.input(index));
    return extents && std::all_of(extents->begin(), extents->end(), [](std::int64_t extent) { return extent >= 0; });
}

Extents Operator::possibly_empty_input(int index) const {
    if (index >= node_.input_size() || node_.input(index).empty())
        fail(ErrorCode::missing_key, "input " + std::to_string(index) + " is missing");
    const std::string& name = node_.input(index);
    const std::optional<Extents> extents = shapes_.of(name);
    if (!extents)
        fail(ErrorCode::missing_key,
             "the shape of its input " + in_quotes(name) + " is not known: " + shapes_.why_unknown(name));
    for (const std::int64_t extent : *extents) {
        if (extent < 0)
            fail(ErrorCode::missing_key, "the shape " + shape_text(*extents) + " of its input " + in_quotes(name) +
                                             " is not fully known: " + shapes_.why_unknown(name));
    }
    return *extents;
}

Extents Operator::input(int index) const {
    Extents extents = possibly_empty_input(index);
    if (std::find(extents.begin(), extents.end(), 0) != extents.end())
        fail(ErrorCode::bad_value, "its input " + in_quotes(node_.input(index)) + " is empty: " + shape_text(extents) +
                                       "; extents start at 1");
    return extents;
}

std::optional<std::int64_t> Operator::number(int index) const {
    return has_input(index) ? shapes_.number(node_.input(index)) : std::nullopt;
}

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
