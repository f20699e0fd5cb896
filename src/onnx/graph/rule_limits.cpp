#include <onnx/defs/tensor_proto_util.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "onnx/graph/graph.hpp"
#include "onnx/graph/messages.hpp"

namespace tilewright::onnx {
namespace {

/// Since opset 18 these take their axes as an input; ReduceSum did earlier, in the library's time.
bool is_reduction_with_axes_input(const std::string& op) {
    static constexpr std::array<std::string_view, 9> kReductions{"ReduceL1",        "ReduceL2",   "ReduceLogSum",
                                                                 "ReduceLogSumExp", "ReduceMax",  "ReduceMean",
                                                                 "ReduceMin",       "ReduceProd", "ReduceSumSquare"};
    return std::find(kReductions.begin(), kReductions.end(), op) != kReductions.end();
}

const pb::AttributeProto* find_attribute(const pb::NodeProto& node, std::string_view name) {
    for (const pb::AttributeProto& attribute : node.attribute())
        if (attribute.name() == name) return &attribute;
    return nullptr;
}

bool axes_to_attribute(pb::NodeProto& node, const std::unordered_map<std::string, const pb::TensorProto*>& data) {
    if (node.input_size() < 2 || node.input(1).empty()) {
        if (node.input_size() == 2) node.mutable_input()->RemoveLast();
        const pb::AttributeProto* noop = find_attribute(node, "noop_with_empty_axes");
        return noop == nullptr || noop->i() == 0;
    }
    const auto axes = data.find(node.input(1));
    if (axes == data.end() || axes->second->data_type() != pb::TensorProto_DataType_INT64) return false;
    pb::AttributeProto* attribute = node.add_attribute();
    attribute->set_name("axes");
    attribute->set_type(pb::AttributeProto_AttributeType_INTS);
    for (const std::int64_t axis : pb::ParseData<std::int64_t>(axes->second)) attribute->add_ints(axis);
    node.mutable_input()->RemoveLast();
    return true;
}

void refuse_below_one(const pb::NodeProto& node, const pb::AttributeProto& attribute, const std::string& file) {
    const auto refuse = [&](std::int64_t value) {
        if (value < 1)
            fail(file, node, ErrorCode::bad_value,
                 "attribute '" + printable(attribute.name()) + "' has an entry " + std::to_string(value) +
                     "; expected at least 1");
    };
    for (const std::int64_t value : attribute.ints()) refuse(value);
    if (attribute.has_i()) refuse(attribute.i());
}

// Axes of the node, as an attribute or a constant input.
std::vector<std::int64_t> axes_named(const pb::NodeProto& node,
                                     const std::unordered_map<std::string, const pb::TensorProto*>& data) {
    static const WordSet kWithInput(
        "Squeeze Unsqueeze ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd "
        "ReduceSum ReduceSumSquare");
    std::vector<std::int64_t> axes;
    for (const pb::AttributeProto& attribute : node.attribute()) {
        if (attribute.name() == "axis" && attribute.has_i()) axes.push_back(attribute.i());
        if (attribute.name() == "axes") axes.insert(axes.end(), attribute.ints().begin(), attribute.ints().end());
    }
    if (!kWithInput.contains(node.op_type()) || node.input_size() < 2) return axes;
    const auto constant = data.find(node.input(1));
    if (constant == data.end() || constant->second->data_type() != pb::TensorProto_DataType_INT64) return axes;
    for (const std::int64_t axis : pb::ParseData<std::int64_t>(constant->second)) axes.push_back(axis);
    return axes;
}

}  // namespace

bool is_quantiser_domain(const std::string& domain) {
    static const WordSet kDomains("onnx.brevitas qonnx.custom_op.general finn.custom_op.general");
    return kDomains.contains(domain);
}

bool keeps_shape(const pb::NodeProto& node) {
    static const WordSet kStandard("BitwiseNot Gelu GroupNormalization LayerNormalization Mish RMSNormalization Swish");
    static const WordSet kMicrosoft(
        "BiasGelu DequantizeLinear FastGelu Gelu QLinearLeakyRelu QLinearSigmoid QLinearSoftmax QuantizeLinear "
        "QuickGelu RotaryEmbedding LayerNormalization SimplifiedLayerNormalization BiasAdd GroupNorm");
    // Of Brevitas, QONNX and FINN: numbers of fewer bits, as floats.
    static const WordSet kQuantisers("Quant IntQuant BipolarQuant FloatQuant Trunc");
    if (is_standard_domain(node.domain()))
        return kStandard.contains(node.op_type()) || node.op_type() == "SimplifiedLayerNormalization" ||
               node.op_type() == "RotaryEmbedding";
    if (is_quantiser_domain(node.domain())) return kQuantisers.contains(node.op_type());
    return node.domain() == "com.microsoft" && kMicrosoft.contains(node.op_type());
}

bool has_library_rule(const pb::NodeProto& node) {
    static const WordSet kRules(
        "Abs Acos Acosh Add And ArgMax ArgMin Asin Asinh Atan Atanh BatchNormalization BitShift Cast CastLike Ceil "
        "Celu Clip Compress Concat Constant ConstantOfShape Cos Cosh CumSum DepthToSpace DequantizeLinear Div Dropout "
        "DynamicQuantizeLinear Einsum Elu Equal Erf Exp Expand EyeLike Flatten Floor Gather GatherElements GatherND "
        "Greater GreaterOrEqual HardSigmoid HardSwish Hardmax Identity InstanceNormalization IsInf IsNaN LRN "
        "LeakyRelu Less LessOrEqual Log LogSoftmax LpNormalization Max Mean "
        "MeanVarianceNormalization Min Mod Mul Neg NonZero Not OneHot Or PRelu Pad Pow QuantizeLinear "
        "Range Reciprocal ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd "
        "ReduceSum ReduceSumSquare Relu Reshape Resize RoiAlign Round Scatter ScatterElements ScatterND Selu Shape "
        "Shrink Sigmoid Sign Sin Sinh Size Slice Softmax Softplus Softsign SpaceToDepth Split Sqrt Squeeze Sub Sum Tan "
        "Tanh ThresholdedRelu Tile TopK Transpose Trilu Unsqueeze Upsample Where Xor");
    return kRules.contains(node.op_type());
}

bool rewrite_newer_form(pb::NodeProto& node, int opset,
                        const std::unordered_map<std::string, const pb::TensorProto*>& data) {
    if (opset < 18) return true;
    const std::string& op = node.op_type();
    if (is_reduction_with_axes_input(op)) return axes_to_attribute(node, data);
    if (op == "Pad") return node.input_size() < 4 || node.input(3).empty();
    if (op == "Resize")
        return find_attribute(node, "axes") == nullptr && find_attribute(node, "keep_aspect_ratio_policy") == nullptr;
    return true;
}

void refuse_impossible_attributes(const pb::NodeProto& node, const std::string& file) {
    static const WordSet kPositive("strides dilations kernel_shape group blocksize num_outputs");
    for (const pb::AttributeProto& attribute : node.attribute())
        if (kPositive.contains(attribute.name())) refuse_below_one(node, attribute, file);
}

// The library's rules skip an absent axis, with a wrong shape.
void refuse_absent_axes(const pb::NodeProto& node, std::size_t axes,
                        const std::unordered_map<std::string, const pb::TensorProto*>& data, const std::string& file) {
    static const WordSet kOperators(
        "ArgMax ArgMin Concat Gather GatherElements Hardmax LayerNormalization LogSoftmax ReduceL1 ReduceL2 "
        "ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare Softmax "
        "Split "
        "Squeeze TopK Unsqueeze");
    if (!is_standard_domain(node.domain()) || !kOperators.contains(node.op_type())) return;
    const std::vector<std::int64_t> named = axes_named(node, data);
    const auto count = static_cast<std::int64_t>(axes + (node.op_type() == "Unsqueeze" ? named.size() : 0));
    for (const std::int64_t axis : named)
        if (axis < -count || axis >= count)
            fail(file, node, ErrorCode::bad_value,
                 "it names axis " + std::to_string(axis) + "; there are " + std::to_string(count) + ", from " +
                     std::to_string(-count) + " to " + std::to_string(count - 1));
}

}  // namespace tilewright::onnx
