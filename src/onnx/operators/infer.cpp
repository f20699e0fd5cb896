#include "onnx/operators/infer.hpp"

#include <onnx/defs/schema.h>
#include <onnx/shape_inference/implementation.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <memory>
#include <utility>

#include "base/numbers/checked.hpp"
#include "onnx/graph/graph.hpp"
#include "onnx/graph/messages.hpp"
#include "onnx/operators/fold.hpp"
#include "onnx/operators/lower.hpp"
#include "onnx/operators/microsoft.hpp"
#include "onnx/operators/operator.hpp"
#include "onnx/operators/window.hpp"

namespace tilewright::onnx {
namespace {

namespace si = pb::shape_inference;

constexpr int kMostAxes = 64;
/// Only small integer tensors (shapes, axes, starts) are worth following.
constexpr std::int64_t kMostFollowedElements = 4096;

std::int64_t element_bytes(std::int32_t type) {
    switch (type) {
        case pb::TensorProto_DataType_INT64: return 8;
        case pb::TensorProto_DataType_INT32:
        case pb::TensorProto_DataType_FLOAT: return 4;
        case pb::TensorProto_DataType_BOOL: return 1;
        default: return 0;
    }
}

std::int64_t stored_elements(const pb::TensorProto& tensor) {
    if (tensor.has_raw_data()) {
        const std::int64_t bytes = element_bytes(tensor.data_type());
        const auto size = static_cast<std::int64_t>(tensor.raw_data().size());
        return bytes > 0 && size % bytes == 0 ? size / bytes : -1;
    }
    switch (tensor.data_type()) {
        case pb::TensorProto_DataType_INT64: return tensor.int64_data_size();
        case pb::TensorProto_DataType_FLOAT: return tensor.float_data_size();
        default: return tensor.int32_data_size();
    }
}

/// True if the library may read the tensor's values: few, of a known type, stored here, and matching its shape.
bool is_followable(const pb::TensorProto& tensor) {
    if (element_bytes(tensor.data_type()) == 0) return false;
    if (tensor.data_location() == pb::TensorProto_DataLocation_EXTERNAL) return false;
    std::int64_t elements = 1;
    for (const std::int64_t dim : tensor.dims()) {
        if (dim < 0 || dim > kMostFollowedElements) return false;
        elements *= dim;
        if (elements > kMostFollowedElements) return false;
    }
    return stored_elements(tensor) == elements;
}

/// Negative extents have no meaning; they count as unknown.
void forget_negative_extents(pb::TypeProto& type) {
    for (pb::TensorShapeProto_Dimension& dim : *type.mutable_tensor_type()->mutable_shape()->mutable_dim())
        if (dim.has_dim_value() && dim.dim_value() < 0) dim.clear_value();
}

bool has_full_shape(const pb::TypeProto& type) {
    if (!type.has_tensor_type() || !type.tensor_type().has_shape()) return false;
    const auto& dims = type.tensor_type().shape().dim();
    return std::all_of(dims.begin(), dims.end(), [](const auto& dim) { return dim.has_dim_value(); });
}

}  // namespace

std::optional<Extents> Shapes::of(const std::string& value) const {
    const auto found = types_.find(value);
    if (found == types_.end() || !found->second.has_tensor_type() || !found->second.tensor_type().has_shape())
        return std::nullopt;
    Extents extents;
    for (const pb::TensorShapeProto_Dimension& dim : found->second.tensor_type().shape().dim())
        extents.push_back(dim.has_dim_value() ? dim.dim_value() : -1);
    return extents;
}

std::int32_t Shapes::element_type(const std::string& value) const {
    const auto found = types_.find(value);
    return found == types_.end() ? 0 : found->second.tensor_type().elem_type();
}

std::string Shapes::why_unknown(const std::string& value) const {
    const auto found = reasons_.find(value);
    return found == reasons_.end() ? "the model does not say" : found->second;
}

std::optional<std::int64_t> Shapes::number(const std::string& value) const {
    const auto found = numbers_.find(value);
    return found == numbers_.end() ? std::nullopt : std::optional(found->second);
}

class Inference {
   public:
    Inference(pb::ModelProto& model, const std::string& file)
        : model_(model), file_(file), opset_(opset_version(model)) {
        for (const pb::ValueInfoProto& value : model.graph().value_info()) stated_.emplace(value.name(), &value.type());
        for (const pb::ValueInfoProto& value : model.graph().output()) stated_.emplace(value.name(), &value.type());
    }

    Shapes run() {
        for (const pb::ValueInfoProto& input : model_.graph().input()) set_type(input.name(), input.type());
        add_initializers(model_.graph());
        for (pb::NodeProto& node : *model_.mutable_graph()->mutable_node()) visit(node);
        return std::move(shapes_);
    }

   private:
    void add_initializers(const pb::GraphProto& graph) {
        for (const pb::TensorProto& tensor : graph.initializer()) {
            set_constant_type(tensor.name(), tensor.data_type(), tensor.dims());
            if (!is_followable(tensor)) continue;
            data_[tensor.name()] = &tensor;
            if (const std::optional<Numbers> numbers = numbers_in(tensor)) note_single(tensor.name(), *numbers);
        }
        for (const pb::SparseTensorProto& tensor : graph.sparse_initializer()) {
            set_constant_type(tensor.values().name(), tensor.values().data_type(), tensor.dims());
        }
    }

    void note_single(const std::string& value, const Numbers& numbers) {
        if (numbers.values.size() == 1 && numbers.values[0] == std::trunc(numbers.values[0]))
            shapes_.numbers_[value] = static_cast<std::int64_t>(numbers.values[0]);
    }

    using Dims = google::protobuf::RepeatedField<std::int64_t>;

    void set_constant_type(const std::string& name, std::int32_t element_type, const Dims& dims) {
        pb::TypeProto type;
        type.mutable_tensor_type()->set_elem_type(element_type);
        type.mutable_tensor_type()->mutable_shape();  // no axes: a scalar, not an unknown shape
        for (const std::int64_t dim : dims) {
            if (dim < 0)
                fail(file_, ErrorCode::bad_value,
                     "tensor " + in_quotes(name) + " has a negative extent " + std::to_string(dim));
            type.mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(dim);
        }
        set_type(name, type);
        shapes_.constants_.insert(name);
    }

    void set_type(const std::string& name, const pb::TypeProto& type) {
        if (!type.has_tensor_type()) return;
        if (type.tensor_type().shape().dim_size() > kMostAxes)
            fail(file_, ErrorCode::unsupported,
                 "value " + in_quotes(name) + " has " + std::to_string(type.tensor_type().shape().dim_size()) +
                     " axes; at most " + std::to_string(kMostAxes) + " are supported");
        pb::TypeProto& known = shapes_.types_[name] = type;
        if (known.tensor_type().has_shape()) forget_negative_extents(known);
    }

    void visit(pb::NodeProto& node) {
        const std::string reason = infer(node);
        fold(node);
        const std::vector<std::string> read = values_read(node);
        const bool constant =
            std::all_of(read.begin(), read.end(), [&](const std::string& value) { return shapes_.is_constant(value); });
        for (const std::string& output : node.output()) {
            if (output.empty()) continue;
            if (constant) shapes_.constants_.insert(output);
            complete_from_model(output);
            const auto type = shapes_.types_.find(output);
            if (type == shapes_.types_.end() || !has_full_shape(type->second))
                shapes_.reasons_[output] = trail(node, reason);
        }
    }

    /// Origin of an unknown shape: one of the node's inputs, or here.
    std::string trail(const pb::NodeProto& node, const std::string& reason) const {
        for (const std::string& input : node.input())
            if (const auto found = shapes_.reasons_.find(input); found != shapes_.reasons_.end()) return found->second;
        return describe(node) + (reason.empty() ? depends_on_data(node) : ": " + reason);
    }

    static std::string depends_on_data(const pb::NodeProto& node) {
        static const WordSet kOperators("NonZero Unique Compress NonMaxSuppression");
        return kOperators.contains(node.op_type()) ? " has an extent that depends on data"
                                                   : ": its result cannot be worked out from what is known here";
    }

    /// Values that follow from shapes and constants; they become shapes later.
    void fold(const pb::NodeProto& node) {
        constexpr std::size_t kMostStored = std::size_t{4} << 20U;  // numbers of all values together
        if (!is_standard_domain(node.domain()) || node.output_size() < 1 || stored_ > kMostStored) return;
        const Known known{[&](const std::string& value) -> std::optional<Numbers> {
                              const auto found = data_.find(value);
                              return found == data_.end() ? std::nullopt : numbers_in(*found->second);
                          },
                          [&](const std::string& value) { return shapes_.of(value); }};
        for (int output = 0; output < node.output_size(); ++output)
            if (const std::optional<Numbers> numbers = folded(node, opset_, known, output))
                remember(node.output(output), *numbers);
    }

    void remember(const std::string& value, const Numbers& numbers) {
        if (element_bytes(numbers.type) == 0) return;
        stored_ += numbers.values.size() + 1;
        constants_.push_back(std::make_unique<pb::TensorProto>(tensor_of(numbers)));
        data_[value] = constants_.back().get();
        note_single(value, numbers);
        pb::TypeProto type;
        type.mutable_tensor_type()->set_elem_type(numbers.type);
        type.mutable_tensor_type()->mutable_shape();
        for (const std::int64_t extent : numbers.extents)
            type.mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(extent);
        set_type(value, type);
    }

    void complete_from_model(const std::string& name) {
        const auto stated = stated_.find(name);
        if (stated == stated_.end() || !stated->second->has_tensor_type() || !stated->second->tensor_type().has_shape())
            return;
        const pb::TensorShapeProto& shape = stated->second->tensor_type().shape();
        const auto known = shapes_.types_.find(name);
        if (known == shapes_.types_.end() || !known->second.tensor_type().has_shape())
            return set_type(name, *stated->second);
        pb::TensorShapeProto& inferred = *known->second.mutable_tensor_type()->mutable_shape();
        if (inferred.dim_size() != shape.dim_size()) return;
        for (int axis = 0; axis < shape.dim_size(); ++axis)
            if (!inferred.dim(axis).has_dim_value() && shape.dim(axis).dim_value() > 0)
                inferred.mutable_dim(axis)->set_dim_value(shape.dim(axis).dim_value());
    }

    /// Returns the reason for a possibly missing output shape, or "".
    std::string infer(pb::NodeProto& node) {
        try {
            return apply_rules(node);
        } catch (const OverflowError&) {
            Operator(node, shapes_, file_).fail(ErrorCode::overflow, "an extent does not fit in 64 bits");
        }
    }

    std::string apply_rules(pb::NodeProto& node) {
        if (node.op_type() == "If" && is_standard_domain(node.domain())) return infer_if(node);
        if ((node.op_type() == "Loop" || node.op_type() == "Scan") && is_standard_domain(node.domain()))
            return infer_loop(node);
        if (node.output_size() == 0) return "";
        refuse_impossible_attributes(node, file_);
        if (node.input_size() > 0)
            if (const std::optional<Extents> first = shapes_.of(node.input(0)))
                refuse_absent_axes(node, first->size(), data_, file_);
        if (keeps_shape(node)) {
            copy_type(node);
            return "";
        }
        if (is_microsoft(node) && set_microsoft_results(node)) return "";
        if (!is_standard_domain(node.domain()))
            return "an operator of domain " + in_quotes(node.domain()) + " has no shape rule here";
        if (set_contraction_result(node)) return "";
        if (node.op_type() == "Attention") {
            const std::optional<Extents> extents = attention_result(Operator(node, shapes_, file_));
            if (extents && node.output_size() > 0) set_extents(node, node.output(0), *extents);
            return extents ? "" : "the shapes of its inputs are not known";
        }
        if (is_recurrent(node)) {
            set_recurrent_results(node);
            return "";
        }
        if (!has_library_rule(node)) return "the operator has no shape rule here";
        // The library's rules hold for its own version of the operator; a newer form is first rewritten, if possible.
        pb::NodeProto known_form = node;
        if (!rewrite_newer_form(known_form, opset_, data_))
            return "this newer form of the operator has no shape rule here";
        return apply_rule(known_form);
    }

    /// True for the operators with results computed by this importer, known or not.
    bool set_contraction_result(const pb::NodeProto& node) {
        const Operator op(node, shapes_, file_);
        const std::optional<Extents> extents = has_window(node) ? window_result(op) : product_result(op);
        if (!extents) return has_window(node);
        for (const std::string& output : node.output()) set_extents(node, output, *extents);
        return true;
    }

    bool set_microsoft_results(const pb::NodeProto& node) {
        const std::vector<std::optional<Extents>> results = microsoft_results(Operator(node, shapes_, file_));
        for (std::size_t i = 0; i < results.size() && static_cast<int>(i) < node.output_size(); ++i)
            if (results[i]) set_extents(node, node.output(static_cast<int>(i)), *results[i]);
        return !results.empty();
    }

    void set_recurrent_results(const pb::NodeProto& node) {
        const std::vector<Extents> results = recurrent_results(Operator(node, shapes_, file_));
        for (std::size_t i = 0; i < results.size() && static_cast<int>(i) < node.output_size(); ++i)
            set_extents(node, node.output(static_cast<int>(i)), results[i]);
    }

    /// The first input's, except for integer operators with wider sums.
    std::int32_t result_type(const pb::NodeProto& node) const {
        const std::string& type = node.op_type();
        if (type == "ConvInteger" || type == "MatMulInteger") return pb::TensorProto_DataType_INT32;
        // Of ONNX Runtime, on integers: the scales are of the result's type.
        const int scale = type == "MatMulIntegerToFloat" ? 2 : type == "QAttention" ? 3 : node.input_size();
        if (scale < node.input_size()) return shapes_.element_type(node.input(scale));
        constexpr int kZeroPoint = 7;  // of the result
        const bool says_so = (type == "QLinearConv" || type == "QLinearMatMul") && node.input_size() > kZeroPoint;
        return shapes_.element_type(node.input(says_so ? kZeroPoint : 0));
    }

    void set_extents(const pb::NodeProto& node, const std::string& output, const Extents& extents) {
        if (output.empty()) return;
        pb::TypeProto type;
        type.mutable_tensor_type()->set_elem_type(result_type(node));
        for (const std::int64_t extent : extents)
            type.mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(extent);
        set_type(output, type);
    }

    std::string apply_rule(pb::NodeProto& node) {
        const pb::OpSchema* schema = pb::OpSchemaRegistry::Schema(node.op_type(), opset_, "");
        if (schema == nullptr) return "the operator is unknown in opset " + std::to_string(opset_);
        try {
            if (opset_ > kLibraryOpset) drop_unknown_attributes(node, *schema);
            schema->Verify(node);  // the rules rely on the right number of inputs and kinds of attributes
            refuse_endless_shape(node);
            remember_constant(node);
            if (!knows_types(node)) return "the types of its inputs are not known";
            Types known = typed_inputs(node);
            si::InferenceContextImpl context(node, known, data_, no_sparse_, &followed_);
            if (schema->has_type_and_shape_inference_function()) schema->GetTypeAndShapeInferenceFunction()(context);
            for (int i = 0; i < node.output_size(); ++i)
                if (!node.output(i).empty()) set_type(node.output(i), context.allOutputTypes_[i]);
            if (schema->has_data_propagation_function()) follow_data(*schema, node, known);
        } catch (const InputError&) {
            throw;
        } catch (const std::exception& error) {
            return printable(error.what());
        }
        return "";
    }

    /// The library makes an axis per number of a result-shape list, even an unknown one.
    void refuse_endless_shape(const pb::NodeProto& node) const {
        const int list = node.op_type() == "Expand" ? 1 : node.op_type() == "ConstantOfShape" ? 0 : -1;
        if (list < 0 || node.input_size() <= list) return;
        const std::optional<Extents> extents = shapes_.of(node.input(list));
        if (extents && extents->size() == 1 && extents->front() > kMostAxes)
            fail(file_, node, ErrorCode::unsupported,
                 "its result would have " + std::to_string(extents->front()) + " axes; at most " +
                     std::to_string(kMostAxes) + " are supported");
    }

    /// Attributes added by newer opsets without effect on shapes.
    static void drop_unknown_attributes(pb::NodeProto& node, const pb::OpSchema& schema) {
        google::protobuf::RepeatedPtrField<pb::AttributeProto> known;
        for (pb::AttributeProto& attribute : *node.mutable_attribute())
            if (schema.attributes().contains(attribute.name())) known.Add()->Swap(&attribute);
        node.mutable_attribute()->Swap(&known);
    }

    using Types = std::unordered_map<std::string, pb::TypeProto*>;

    /// The library's rules assume all input types known; omitted inputs have no name.
    bool knows_types(const pb::NodeProto& node) const {
        return std::all_of(node.input().begin(), node.input().end(),
                           [&](const std::string& input) { return input.empty() || shapes_.types_.contains(input); });
    }

    Types typed_inputs(const pb::NodeProto& node) {
        Types types;
        for (const std::string& input : node.input())
            if (const auto found = shapes_.types_.find(input); found != shapes_.types_.end())
                types.emplace(input, &found->second);
        return types;
    }

    /// Values of small tensors that become shapes later: Shape, Gather, Concat, ...
    void follow_data(const pb::OpSchema& schema, pb::NodeProto& node, Types& known) {
        std::int64_t elements = 0;
        for (const std::string& input : node.input()) {
            // The library's list arithmetic reads the first number of empty lists: those are left out.
            if (const auto found = followed_.find(input); found != followed_.end()) {
                if (found->second.dim_size() == 0) return;
                elements += found->second.dim_size();
            }
            if (const auto found = data_.find(input); found != data_.end()) {
                if (stored_elements(*found->second) == 0) return;
                elements += stored_elements(*found->second);
            }
        }
        if (elements > kMostFollowedElements) return;
        for (const std::string& output : node.output())
            if (followed_.contains(output)) return;
        si::DataPropagationContextImpl context(node, known, data_, followed_);
        schema.GetDataPropagationFunction()(context);
    }

    void remember_constant(const pb::NodeProto& node) {
        if (node.op_type() != "Constant" || node.output_size() != 1) return;
        for (const pb::AttributeProto& attribute : node.attribute()) {
            if (attribute.name() == "value" && attribute.has_t() && is_followable(attribute.t())) {
                constants_.push_back(std::make_unique<pb::TensorProto>(attribute.t()));
            } else if (attribute.name() == "value_ints" && attribute.ints_size() <= kMostFollowedElements) {
                constants_.push_back(std::make_unique<pb::TensorProto>());
                constants_.back()->set_data_type(pb::TensorProto_DataType_INT64);
                constants_.back()->add_dims(attribute.ints_size());
                *constants_.back()->mutable_int64_data() = attribute.ints();
            } else if (attribute.name() == "value_int") {
                constants_.push_back(std::make_unique<pb::TensorProto>());
                constants_.back()->set_data_type(pb::TensorProto_DataType_INT64);
                constants_.back()->add_int64_data(attribute.i());
            } else {
                continue;
            }
            data_[node.output(0)] = constants_.back().get();
            return;
        }
    }

    void copy_type(const pb::NodeProto& node) {
        if (node.input_size() == 0 || node.output(0).empty()) return;
        if (const auto found = shapes_.types_.find(node.input(0)); found != shapes_.types_.end()) {
            const pb::TypeProto type = found->second;
            set_type(node.output(0), type);
        }
    }

    /// Common result of both branches; a constant condition decides.
    std::string infer_if(pb::NodeProto& node) {
        std::vector<pb::GraphProto*> branches;
        for (pb::AttributeProto& attribute : *node.mutable_attribute())
            if (attribute.has_g() && is_taken(node, attribute.name())) branches.push_back(attribute.mutable_g());
        if (branches.size() == 1 && is_decided(node)) shapes_.bodies_[&node] = {branches.front(), 1};
        for (pb::GraphProto* branch : branches) {
            for (const pb::ValueInfoProto& value : branch->value_info()) stated_.emplace(value.name(), &value.type());
            add_initializers(*branch);
            for (pb::NodeProto& inner : *branch->mutable_node()) visit(inner);
        }
        for (int i = 0; i < node.output_size(); ++i) merge_branches(branches, node, i);
        return "its branches differ in shape, or their shapes are not known";
    }

    /// The single value of an input, if it is a known truth value or count.
    std::optional<double> single(const pb::NodeProto& node, int input) const {
        if (input >= node.input_size() || node.input(input).empty()) return std::nullopt;
        const auto found = data_.find(node.input(input));
        const std::optional<Numbers> numbers = found == data_.end() ? std::nullopt : numbers_in(*found->second);
        return numbers && numbers->values.size() == 1 ? std::optional(numbers->values.front()) : std::nullopt;
    }

    bool is_decided(const pb::NodeProto& node) const { return single(node, 0).has_value(); }

    bool is_taken(const pb::NodeProto& node, const std::string& branch) const {
        if (branch != "then_branch" && branch != "else_branch") return false;
        const std::optional<double> condition = single(node, 0);
        return !condition || (*condition != 0.0) == (branch == "then_branch");
    }

    /// A body with a known trip count: its values get the first turn's shapes, which must hold in all turns.
    std::string infer_loop(pb::NodeProto& node) {
        pb::GraphProto* body = nullptr;
        std::int64_t scanned = 0;  // scanned inputs of a Scan, the last ones
        for (pb::AttributeProto& attribute : *node.mutable_attribute()) {
            if (attribute.name() == "body" && attribute.has_g()) body = attribute.mutable_g();
            if (attribute.name() == "num_scan_inputs") scanned = attribute.i();
            const bool other_axes = attribute.name().starts_with("scan_") && attribute.name().ends_with("axes");
            if (other_axes &&
                std::any_of(attribute.ints().begin(), attribute.ints().end(), [](auto a) { return a != 0; }))
                return "it goes along other axes than the first";
        }
        const bool is_loop = node.op_type() == "Loop";
        const int before = is_loop ? 2 : 0;  // non-state inputs, of the node and of the body
        const int states = node.input_size() - before - static_cast<int>(scanned);
        if (body == nullptr || scanned < 0 || states < 0 || body->input_size() != node.input_size())
            return "its body is not as the standard has it";
        const std::optional<std::int64_t> trips = is_loop ? loop_trips(node, *body) : scan_trips(node, states);
        if (!trips) return "how often its body runs is not known";
        set_body_inputs(node, *body, before, states);
        for (const pb::ValueInfoProto& value : body->value_info()) stated_.emplace(value.name(), &value.type());
        add_initializers(*body);
        for (pb::NodeProto& inner : *body->mutable_node()) visit(inner);
        shapes_.bodies_[&node] = {body, *trips};
        set_loop_outputs(node, *body, is_loop ? 1 : 0, states, *trips);
        return "its states change their shapes from turn to turn";
    }

    /// Of a Loop with a constantly true condition.
    std::optional<std::int64_t> loop_trips(const pb::NodeProto& node, const pb::GraphProto& body) const {
        const std::optional<double> most = single(node, 0);
        const bool has_condition = node.input_size() > 1 && !node.input(1).empty();
        if (!most || *most < 1.0 || (has_condition && single(node, 1).value_or(0.0) == 0.0)) return std::nullopt;
        if (body.output_size() < 1 || body.input_size() < 2) return std::nullopt;
        const std::string& again = body.output(0).name();
        bool goes_on = again == body.input(1).name();
        for (const pb::NodeProto& inner : body.node()) {
            if (inner.output_size() < 1 || inner.output(0) != again) continue;
            const Known nothing{[](const std::string&) { return std::nullopt; },
                                [](const std::string&) { return std::nullopt; }};
            const std::optional<Numbers> constant = folded(inner, opset_, nothing);
            goes_on =
                (inner.op_type() == "Identity" && inner.input_size() == 1 && inner.input(0) == body.input(1).name()) ||
                (constant && constant->values.size() == 1 && constant->values[0] != 0.0);
        }
        for (const pb::TensorProto& tensor : body.initializer())
            if (tensor.name() == again) {
                const std::optional<Numbers> constant = numbers_in(tensor);
                goes_on = constant && constant->values.size() == 1 && constant->values[0] != 0.0;
            }
        return goes_on ? std::optional(static_cast<std::int64_t>(*most)) : std::nullopt;
    }

    std::optional<std::int64_t> scan_trips(const pb::NodeProto& node, int states) const {
        if (states >= node.input_size()) return std::nullopt;
        const std::optional<Extents> scanned = shapes_.of(node.input(states));
        if (!scanned || scanned->empty() || scanned->front() < 1) return std::nullopt;
        return scanned->front();
    }

    void set_body_inputs(const pb::NodeProto& node, const pb::GraphProto& body, int before, int states) {
        for (int i = 0; i < body.input_size(); ++i) {
            const std::string& name = body.input(i).name();
            set_type(name, body.input(i).type());
            if (i < before || i >= node.input_size()) continue;
            const auto given = shapes_.types_.find(node.input(i));
            if (given == shapes_.types_.end()) continue;
            pb::TypeProto type = given->second;
            if (i >= before + states && type.tensor_type().has_shape()) {  // one slice of a scanned input
                auto* dims = type.mutable_tensor_type()->mutable_shape()->mutable_dim();
                if (dims->size() > 0) dims->DeleteSubrange(0, 1);
            }
            set_type(name, type);
        }
    }

    /// States keep their shape; other results of each turn are stacked.
    void set_loop_outputs(const pb::NodeProto& node, const pb::GraphProto& body, int before, int states,
                          std::int64_t trips) {
        for (int i = 0; i < node.output_size() && before + i < body.output_size(); ++i) {
            const std::optional<Extents> made = shapes_.of(body.output(before + i).name());
            if (!made || node.output(i).empty()) continue;
            const int input = (before > 0 ? 2 : 0) + i;
            if (i < states && shapes_.of(node.input(input)) != made) continue;
            pb::TypeProto type = shapes_.types_.at(body.output(before + i).name());
            if (i >= states) {
                auto* shape = type.mutable_tensor_type()->mutable_shape();
                const pb::TensorShapeProto inner = *shape;
                shape->clear_dim();
                shape->add_dim()->set_dim_value(trips);
                for (const auto& dim : inner.dim()) *shape->add_dim() = dim;
            }
            set_type(node.output(i), type);
        }
    }

    void merge_branches(const std::vector<pb::GraphProto*>& branches, const pb::NodeProto& node, int output) {
        std::optional<pb::TypeProto> merged;
        for (const pb::GraphProto* branch : branches) {
            if (output >= branch->output_size()) return;
            const auto found = shapes_.types_.find(branch->output(output).name());
            if (found == shapes_.types_.end() || !found->second.tensor_type().has_shape()) return;
            if (!merged) merged = found->second;
            pb::TensorShapeProto& shape = *merged->mutable_tensor_type()->mutable_shape();
            const pb::TensorShapeProto& other = found->second.tensor_type().shape();
            if (shape.dim_size() != other.dim_size()) return;
            for (int axis = 0; axis < shape.dim_size(); ++axis)
                if (!other.dim(axis).has_dim_value() || shape.dim(axis).dim_value() != other.dim(axis).dim_value())
                    shape.mutable_dim(axis)->clear_value();
        }
        if (merged && !node.output(output).empty()) set_type(node.output(output), *merged);
    }

    pb::ModelProto& model_;
    const std::string& file_;
    const int opset_;
    Shapes shapes_;
    std::unordered_map<std::string, const pb::TypeProto*> stated_;
    std::unordered_map<std::string, const pb::TensorProto*> data_;    ///< small constants, by value name
    std::unordered_map<std::string, pb::TensorShapeProto> followed_;  ///< small integer tensors computed from shapes
    std::unordered_map<std::string, const pb::SparseTensorProto*> no_sparse_;
    std::vector<std::unique_ptr<pb::TensorProto>> constants_;
    std::size_t stored_ = 0;  ///< numbers in constants_ from folding
};

Shapes infer_shapes(pb::ModelProto& model, const std::string& file) { return Inference(model, file).run(); }

}  // namespace tilewright::onnx
