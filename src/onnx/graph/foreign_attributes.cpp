#include "onnx/graph/foreign_attributes.hpp"

#include <onnx/defs/schema.h>

#include <algorithm>

#include "base/slip.hpp"
#include "onnx/graph/parse.hpp"
#include "onnx/graph/word_set.hpp"

namespace tilewright::onnx {
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
