// Element-wise operators.
#include <algorithm>
#include <map>

#include "onnx/cascade/draft.hpp"
#include "onnx/operators/lower.hpp"

namespace tilewright::onnx {
namespace {

using enum OperationClass;
using Operations = std::vector<OperationCount>;

struct Elementwise {
    Operations operations;
    int operands = -1;  ///< input operands; -1: all (one operation fewer than operands)
};

const std::map<std::string, Elementwise>& known() {
    static const std::map<std::string, Elementwise> kKnown = [] {
        std::map<std::string, Elementwise> all;
        const auto put = [&](const Operations& operations, int operands, std::initializer_list<const char*> names) {
            for (const char* name : names) all[name] = {operations, operands};
        };
        put({{add, 1}}, 1,
            {"Abs", "Ceil", "Floor", "Neg", "Not", "Relu", "Round", "Sign", "IsInf", "IsNaN", "BitwiseNot",
             "ThresholdedRelu"});
        put({{add, 2}}, 1, {"Clip", "Shrink"});
        put({{add, 1}}, 2,
            {"Add", "And", "BitShift", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Equal", "Greater", "GreaterOrEqual",
             "Less", "LessOrEqual", "Or", "Sub", "Xor"});
        put({{add, 1}}, -1, {"Max", "Mean", "Min", "Sum"});
        put({{add, 1}}, 3, {"Where"});
        put({{multiply, 1}}, 2, {"Mul"});
        put({{multiply, 1}, {add, 1}}, 1, {"LeakyRelu", "HardSigmoid", "CumSum"});
        put({{multiply, 1}, {add, 1}}, 2, {"PRelu"});
        put({{multiply, 2}, {add, 1}}, 1, {"HardSwish"});
        put({{multiply, 2}, {add, 1}}, 3, {"RotaryEmbedding"});
        put({{divide, 1}}, 1, {"Reciprocal", "Sqrt"});
        put({{divide, 1}}, 2, {"Div", "Mod"});
        put({{divide, 1}, {add, 1}}, 1, {"Softsign"});
        put({{exponential, 1}}, 1,
            {"Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Cos", "Cosh", "Erf", "Exp", "Log", "Sigmoid", "Sin",
             "Sinh", "Tan", "Tanh"});
        put({{exponential, 1}, {multiply, 1}}, 1, {"Swish", "QuickGelu"});
        put({{exponential, 1}, {multiply, 1}, {add, 1}}, 1, {"Celu", "Elu", "Selu"});
        put({{exponential, 1}, {multiply, 2}, {add, 1}}, 1, {"Gelu", "FastGelu"});
        put({{exponential, 1}, {multiply, 2}, {add, 2}}, 2, {"BiasGelu"});
        put({{exponential, 2}, {add, 1}}, 1, {"Softplus"});
        put({{exponential, 3}, {add, 1}, {multiply, 1}}, 1, {"Mish"});
        put({{exponential, 2}}, 2, {"Pow"});
        put({{multiply, 1}, {add, 1}}, 1, {"QuantizeLinear", "DequantizeLinear"});
        return all;
    }();
    return kKnown;
}

// A folded batch normalisation: x * scale + shift per channel.
bool add_batch_normalization(const Operator& op, const Shapes& shapes, Values& values) {
    const Extents shape = op.input(0);
    Draft draft(values, name_of(op.node()), op.node().op_type(), EinsumKind::elementwise, {{multiply, 1}, {add, 1}});
    const std::vector<int> dimensions = draft.dimensions(shape);
    draft.read(values.of(op.node().input(0)), places_along(dimensions));
    for (const int factor : {1, 2})
        if (op.has_input(factor) && op.knows_input(factor) && shape.size() > 1)
            read_per_channel(op, factor, values, draft, dimensions[1]);
    const int result = values.make(op.node().output(0), shape);
    draft.write(result, places_along(dimensions));
    draft.finish();
    values.set(op.node().output(0), values.whole(result));
    static_cast<void>(shapes);
    return true;
}

// The present input operands.
std::vector<int> operands_of(const Operator& op, int most) {
    std::vector<int> operands;
    for (int i = 0; i < op.node().input_size() && (most < 0 || i < most); ++i)
        if (op.has_input(i)) operands.push_back(i);
    return operands;
}

}  // namespace

bool add_elementwise(const Operator& op, const Shapes& shapes, Values& values) {
    const std::string& type = op.node().op_type();
    if (type == "BatchNormalization" || type == "SpatialBN") return add_batch_normalization(op, shapes, values);
    const auto found = known().find(type);
    if (found == known().end() || op.node().output_size() < 1) return false;
    const std::optional<Extents> shape = shapes.of(op.node().output(0));
    const std::vector<int> operands = operands_of(op, found->second.operands);
    if (!shape || operands.empty() || static_cast<int>(operands.size()) >= kMaxTensors) return false;
    Operations operations = found->second.operations;
    if (found->second.operands < 0)
        for (OperationCount& one : operations) one.per_point = std::max<std::int64_t>(1, std::ssize(operands) - 1);
    Draft draft(values, name_of(op.node()), type, EinsumKind::elementwise, std::move(operations));
    const std::vector<int> dimensions = draft.dimensions(*shape);
    for (const int operand : operands) {
        const Extents own = op.input(operand);
        if (own.size() > shape->size()) return false;
        draft.read(values.of(op.node().input(operand)), broadcast_places(own, dimensions));
    }
    const int result = values.make(op.node().output(0), *shape);
    draft.write(result, places_along(dimensions));
    draft.finish();
    values.set(op.node().output(0), values.whole(result));
    return true;
}

void add_bias(const Operator& op, Values& values, int before, int bias, std::size_t axis, const std::string& name,
              const Extents& shape) {
    const int result = values.make(name, shape);
    Draft draft(values, name_of(op.node()) + ".bias", op.node().op_type(), EinsumKind::elementwise, {{add, 1}});
    const std::vector<int> dimensions = draft.dimensions(shape);
    const Value added = values.of(op.node().input(bias));
    if (added.shape.size() > shape.size())
        op.fail(ErrorCode::bad_value,
                "its bias has shape " + shape_text(added.shape) + ", its result " + shape_text(shape));
    draft.read(values.whole(before), places_along(dimensions));
    if (added.shape.size() == 1 && added.shape[0] > 1)
        draft.read(added, places_along({dimensions[axis]}));
    else
        draft.read(added, broadcast_places(added.shape, dimensions));
    draft.write(result, places_along(dimensions));
    draft.finish();
    values.set(name, values.whole(result));
}

}  // namespace tilewright::onnx
