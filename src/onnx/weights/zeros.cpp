#include "onnx/weights/zeros.hpp"

#include <algorithm>
#include <array>

#include "onnx/graph/graph.hpp"
#include "onnx/graph/messages.hpp"
#include "onnx/operators/microsoft.hpp"
#include "onnx/weights/stored.hpp"

namespace tilewright::onnx {
namespace {

/// Bound on operators between a layer and its stored weights.
constexpr int kMostFollowed = 16;

bool hands_values_on(const pb::NodeProto& node) {
    static const WordSet kOperators("Flatten Identity Reshape Squeeze Transpose Unsqueeze");
    return is_standard_domain(node.domain()) && node.input_size() > 0 && kOperators.contains(node.op_type());
}

bool dequantizes(const pb::NodeProto& node) {
    return (is_standard_domain(node.domain()) || is_microsoft(node)) && node.op_type() == "DequantizeLinear" &&
           node.input_size() > 0;
}

std::int64_t axis_of(const pb::NodeProto& node) {
    for (const pb::AttributeProto& attribute : node.attribute())
        if (attribute.name() == "axis") return attribute.i();
    return 1;
}

/// The zero-point input of another input of an integer operator, and its axis.
struct ZeroPointInput {
    const char* type;
    int operand;
    int zero_point;
    std::int64_t axis;
};

const ZeroPointInput* zero_point_of(const pb::NodeProto& node, int operand) {
    static constexpr std::array kInputs{
        ZeroPointInput{"QLinearConv", 0, 2, 0},           ZeroPointInput{"QLinearConv", 3, 5, 0},
        ZeroPointInput{"ConvInteger", 0, 2, 0},           ZeroPointInput{"ConvInteger", 1, 3, 0},
        ZeroPointInput{"QLinearMatMul", 0, 2, -2},        ZeroPointInput{"QLinearMatMul", 3, 5, -1},
        ZeroPointInput{"MatMulInteger", 0, 2, -2},        ZeroPointInput{"MatMulInteger", 1, 3, -1},
        ZeroPointInput{"MatMulIntegerToFloat", 0, 4, -2}, ZeroPointInput{"MatMulIntegerToFloat", 1, 5, -1},
        ZeroPointInput{"DynamicQuantizeMatMul", 1, 3, -1}};
    const auto* found = std::find_if(kInputs.begin(), kInputs.end(), [&](const ZeroPointInput& one) {
        return node.op_type() == one.type && operand == one.operand;
    });
    const bool given =
        found != kInputs.end() && found->zero_point < node.input_size() && !node.input(found->zero_point).empty();
    return given ? found : nullptr;
}

}  // namespace

Weights::Weights(const pb::GraphProto& graph, std::filesystem::path folder) : folder_(std::move(folder)) { add(graph); }

void Weights::add_name(const std::string& value) {
    if (!value.empty() && !names_.insert(value).second) shared_.insert(value);
}

void Weights::add(const pb::GraphProto& graph) {
    for (const pb::TensorProto& tensor : graph.initializer()) stored_[tensor.name()] = &tensor, add_name(tensor.name());
    for (const pb::SparseTensorProto& tensor : graph.sparse_initializer()) {
        few_[tensor.values().name()] = &tensor;
        add_name(tensor.values().name());
    }
    for (const pb::NodeProto& node : graph.node()) {
        for (const std::string& output : node.output()) makers_[output] = &node, add_name(output);
        for (const pb::AttributeProto& attribute : node.attribute()) {
            if (attribute.has_g()) add(attribute.g());
            for (const pb::GraphProto& body : attribute.graphs()) add(body);
        }
    }
}

const pb::TensorProto* Weights::stored(const std::string& value) const {
    if (const auto found = stored_.find(value); found != stored_.end()) return found->second;
    const auto maker = makers_.find(value);
    if (maker == makers_.end() || maker->second->op_type() != "Constant") return nullptr;
    for (const pb::AttributeProto& attribute : maker->second->attribute())
        if (attribute.has_t()) return &attribute.t();
    return nullptr;
}

std::string Weights::take_zero_points(const std::string& value, std::int64_t axis, ZeroPoints& zero) const {
    const pb::TensorProto* tensor = stored(value);
    if (tensor == nullptr) return "its zero point is computed";
    const Stored numbers(*tensor, folder_);
    if (!numbers.problem().empty()) return "its zero point " + in_quotes(value) + " " + numbers.problem();
    if (number_format(tensor->data_type()).has_sign_bit) return "";
    zero = {{}, axis};
    for (std::int64_t i = 0; i < numbers.count(); ++i) zero.values.push_back(numbers.integer(i));
    if (std::adjacent_find(zero.values.begin(), zero.values.end(), std::not_equal_to<>{}) == zero.values.end())
        zero.values.resize(1);
    return "";
}

std::string Weights::start(const pb::NodeProto& node, int index, Followed& at) const {
    at.value = node.input(index);
    const ZeroPointInput* given = zero_point_of(node, index);
    return given == nullptr ? "" : take_zero_points(node.input(given->zero_point), given->axis, at.zero);
}

/// Follows to the stored value; reason for failure, or "".
std::string Weights::follow(Followed& at) const {
    for (int steps = 0; steps < kMostFollowed; ++steps) {
        if (shared_.contains(at.value)) return "several bodies have a value " + in_quotes(at.value);
        if (stored(at.value) != nullptr || few_.contains(at.value)) return "";
        const auto maker = makers_.find(at.value);
        if (maker == makers_.end()) return "nothing in the model makes them";
        const pb::NodeProto& node = *maker->second;
        if (!dequantizes(node) && !hands_values_on(node)) return "they are computed by " + describe(node);
        if (at.zero.values.size() > 1) return "zero points along an axis behind " + describe(node);
        if (dequantizes(node) && node.input_size() > 2 && !node.input(2).empty())
            if (std::string problem = take_zero_points(node.input(2), axis_of(node), at.zero); !problem.empty())
                return problem;
        at.value = node.input(0);
    }
    return "they are computed by too many operators";
}

std::string Weights::count(const Followed& at, CountedWeights& counted) const {
    const auto few = few_.find(at.value);
    const pb::TensorProto& tensor = few == few_.end() ? *stored(at.value) : few->second->values();
    const Stored numbers(tensor, folder_);
    if (!numbers.problem().empty()) return in_quotes(at.value) + " " + numbers.problem();
    if (numbers.count() == 0 && few == few_.end()) return in_quotes(at.value) + " has no elements";
    const auto points = static_cast<std::int64_t>(at.zero.values.size());
    std::int64_t stride = 1;
    if (points > 1) {
        const std::int64_t axes = tensor.dims_size();
        const std::int64_t axis = at.zero.axis < 0 ? at.zero.axis + axes : at.zero.axis;
        if (few != few_.end() || axis < 0 || axis >= axes || tensor.dims(static_cast<int>(axis)) != points)
            return "its zero points do not fit the axes of " + in_quotes(at.value);
        for (std::int64_t a = axis + 1; a < axes; ++a) stride *= tensor.dims(static_cast<int>(a));
    }
    counted.elements = numbers.count();
    for (std::int64_t i = 0; i < numbers.count(); ++i)
        counted.nonzero += numbers.is_zero(i, at.zero.values[i / stride % points]) ? 0 : 1;
    if (few == few_.end()) return "";
    counted.elements = 1;
    for (const std::int64_t extent : few->second->dims())
        if (extent < 0 || __builtin_mul_overflow(counted.elements, extent, &counted.elements))
            return in_quotes(at.value) + " has a shape without a size";
    return counted.nonzero <= counted.elements && counted.elements > 0
               ? ""
               : in_quotes(at.value) + " holds more values than its shape has";
}

CountedWeights Weights::counted(const pb::NodeProto& node, int index) const {
    CountedWeights counted;
    Followed at;
    counted.uncounted = start(node, index, at);
    if (counted.uncounted.empty()) counted.uncounted = follow(at);
    counted.name = printable(at.value);
    if (counted.uncounted.empty()) counted.uncounted = count(at, counted);
    return counted;
}

}  // namespace tilewright::onnx
