#include "onnx/graph/messages.hpp"

#include <onnx/defs/schema.h>
#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "onnx/graph/graph.hpp"

namespace tilewright::onnx {

std::string printable(std::string_view name) {
    constexpr std::size_t kLongest = 100;
    std::string text;
    for (const char c : name.substr(0, kLongest)) text += c >= ' ' && c <= '~' ? c : '?';
    return name.size() > kLongest ? text + "..." : text;
}

std::string in_quotes(std::string_view name) { return "'" + printable(name) + "'"; }

std::string describe(const pb::NodeProto& node) {
    const bool by_output = node.name().empty() && node.output_size() > 0;
    return "node " + in_quotes(by_output ? node.output(0) : node.name()) + " (" + printable(node.op_type()) + ")";
}

std::string shape_text(const std::vector<std::int64_t>& extents) {
    std::string text = "[";
    for (std::size_t i = 0; i < extents.size(); ++i) {
        if (i > 0) text += ", ";
        text += extents[i] < 0 ? "?" : std::to_string(extents[i]);
    }
    return text + "]";
}

void fail(const std::string& file, ErrorCode code, const std::string& message) {
    throw InputError(code, {file}, message);
}

void fail(const std::string& file, const pb::NodeProto& node, ErrorCode code, const std::string& message) {
    fail(file, code, describe(node) + ": " + message);
}

Attributes::Attributes(const pb::NodeProto& node, const std::string& file, std::initializer_list<const char*> known)
    : node_(node), file_(file) {
    const std::vector<std::string> names(known.begin(), known.end());
    std::set<std::string> seen;
    for (const pb::AttributeProto& attribute : node.attribute()) {
        if (!seen.insert(attribute.name()).second)
            fail(file, node, ErrorCode::duplicate_key, "attribute " + in_quotes(attribute.name()) + " is there twice");
        if (std::find(names.begin(), names.end(), attribute.name()) == names.end())
            fail(file, node, ErrorCode::unknown_key,
                 "unknown attribute " + in_quotes(attribute.name()) + did_you_mean(attribute.name(), names));
    }
}

const pb::AttributeProto* Attributes::find(std::string_view name) const {
    for (const pb::AttributeProto& attribute : node_.attribute())
        if (attribute.name() == name) return &attribute;
    return nullptr;
}

const pb::AttributeProto* Attributes::find(std::string_view name, pb::AttributeProto_AttributeType type,
                                           std::string_view expected) const {
    const pb::AttributeProto* attribute = find(name);
    // Models older than IR 2 omit the type.
    if (attribute != nullptr && attribute->type() != type &&
        attribute->type() != pb::AttributeProto_AttributeType_UNDEFINED)
        fail(file_, node_, ErrorCode::wrong_type,
             "attribute '" + std::string(name) + "' should be " + std::string(expected));
    return attribute;
}

std::int64_t Attributes::integer(std::string_view name, std::int64_t otherwise) const {
    const pb::AttributeProto* attribute = find(name, pb::AttributeProto_AttributeType_INT, "an integer");
    return attribute == nullptr ? otherwise : attribute->i();
}

std::string Attributes::text(std::string_view name, std::string_view otherwise) const {
    const pb::AttributeProto* attribute = find(name, pb::AttributeProto_AttributeType_STRING, "a string");
    return attribute == nullptr ? std::string(otherwise) : attribute->s();
}

std::vector<std::int64_t> Attributes::integers(std::string_view name, std::size_t count, std::int64_t least,
                                               std::int64_t otherwise) const {
    const pb::AttributeProto* attribute = find(name, pb::AttributeProto_AttributeType_INTS, "a list of integers");
    if (attribute == nullptr) return std::vector<std::int64_t>(count, otherwise);
    std::vector<std::int64_t> values(attribute->ints().begin(), attribute->ints().end());
    if (values.size() != count)
        fail(file_, node_, ErrorCode::bad_value,
             "attribute '" + std::string(name) + "' has " + std::to_string(values.size()) + " entries; expected " +
                 std::to_string(count));
    for (const std::int64_t value : values)
        if (value < least)
            fail(file_, node_, ErrorCode::bad_value,
                 "attribute '" + std::string(name) + "' has an entry " + std::to_string(value) +
                     "; expected at least " + std::to_string(least));
    return values;
}

namespace {

bool is_foreign(const std::string& name, const std::vector<std::string>& known) {
    return std::find(known.begin(), known.end(), name) == known.end() && !may_be_slip(name, known);
}

void drop_from(pb::NodeProto& node, int opset, const std::string& file, Notes& notes) {
    static const WordSet kContractions(
        "Conv ConvTranspose ConvInteger QLinearConv Gemm MatMul MatMulInteger QLinearMatMul Einsum");
    if (!is_standard_domain(node.domain()) || !kContractions.contains(node.op_type())) return;
    const pb::OpSchema* schema = pb::OpSchemaRegistry::Schema(node.op_type(), std::min(opset, kLibraryOpset), "");
    if (schema == nullptr) return;
    std::vector<std::string> known;
    for (const auto& [name, unused] : schema->attributes()) known.push_back(name);
    google::protobuf::RepeatedPtrField<pb::AttributeProto> kept;
    for (pb::AttributeProto& attribute : *node.mutable_attribute()) {
        if (is_foreign(attribute.name(), known))
            notes.add(file + ": attributes of other tools that nothing here uses", in_quotes(attribute.name()), "");
        else
            kept.Add()->Swap(&attribute);
    }
    node.mutable_attribute()->Swap(&kept);
}

}  // namespace

void drop_foreign_attributes(pb::GraphProto& graph, int opset, const std::string& file, Notes& notes) {
    for (pb::NodeProto& node : *graph.mutable_node()) {
        drop_from(node, opset, file, notes);
        for (pb::AttributeProto& attribute : *node.mutable_attribute()) {
            if (attribute.has_g()) drop_foreign_attributes(*attribute.mutable_g(), opset, file, notes);
            for (pb::GraphProto& inner : *attribute.mutable_graphs())
                drop_foreign_attributes(inner, opset, file, notes);
        }
    }
}

}  // namespace tilewright::onnx
