#include "onnx/widths.hpp"

#include <algorithm>

#include "onnx/graph/graph.hpp"
#include "onnx/graph/messages.hpp"
#include "onnx/operators/microsoft.hpp"

namespace tilewright::onnx {
namespace {

/// Bound on operators between a format change and its layer.
constexpr int kMostSteps = 16;

/// Types by their numbers in onnx.proto: the library may be older than the narrow ones. 0 for floats of 16 bits and
/// more, and for non-numbers.
std::int64_t bits_of(std::int32_t type) {
    switch (type) {
        case 2:   // uint8
        case 3:   // int8
        case 17:  // float8e4m3fn
        case 18:  // float8e4m3fnuz
        case 19:  // float8e5m2
        case 20:  // float8e5m2fnuz
            return 8;
        case 4:              // uint16
        case 5: return 16;   // int16
        case 6:              // int32
        case 12: return 32;  // uint32
        case 7:              // int64
        case 13: return 64;  // uint64
        case 21:             // uint4
        case 22:             // int4
        case 23:             // float4e2m1
            return 4;
        case 25:            // uint2
        case 26: return 2;  // int2
        default: return 0;
    }
}

/// Of the standard, or ONNX Runtime's own for types missing there.
bool changes_format(const pb::NodeProto& node, const char* type) {
    return (is_standard_domain(node.domain()) || is_microsoft(node)) && node.op_type() == type;
}

/// Rounded bits of Brevitas' and QONNX' quantisers, still as floats; 0 if unknown or not rounded.
std::int64_t rounded_bits(const pb::NodeProto& node, const Shapes& shapes) {
    if (!is_quantiser_domain(node.domain())) return 0;
    if (node.op_type() == "BipolarQuant") return 1;
    constexpr int kBits = 3;
    if ((node.op_type() != "Quant" && node.op_type() != "IntQuant") || node.input_size() <= kBits) return 0;
    const std::int64_t bits = shapes.number(node.input(kBits)).value_or(0);
    return bits >= 1 && bits <= 32 ? bits : 0;
}

bool only_moves_its_input(const pb::NodeProto& node) {
    static const WordSet kOperators("Flatten Identity Reshape Squeeze Transpose Unsqueeze");
    return is_standard_domain(node.domain()) && node.input_size() > 0 && kOperators.contains(node.op_type());
}

}  // namespace

Widths::Widths(const pb::GraphProto& graph, const Shapes& shapes) : shapes_(shapes) { add(graph); }

void Widths::add(const pb::GraphProto& graph) {
    for (const pb::ValueInfoProto& result : graph.output()) results_.insert(result.name());
    for (const pb::NodeProto& node : graph.node()) {
        for (const std::string& input : node.input())
            if (!input.empty()) readers_[input].push_back(&node);
        for (const std::string& output : node.output())
            if (!output.empty()) makers_[output] = &node;
        for (const pb::AttributeProto& attribute : node.attribute()) {
            if (attribute.has_g()) add(attribute.g());
            for (const pb::GraphProto& body : attribute.graphs()) add(body);
        }
    }
}

std::int64_t Widths::read(const std::string& value) const {
    std::string name = value;
    for (int steps = 0; steps < kMostSteps; ++steps) {
        if (const std::int64_t bits = bits_of(shapes_.element_type(name)); bits > 0) return bits;
        const auto maker = makers_.find(name);
        if (maker == makers_.end()) return 0;
        const pb::NodeProto& node = *maker->second;
        const bool dequantizes = changes_format(node, "DequantizeLinear") && node.input_size() > 0;
        if (dequantizes) return bits_of(shapes_.element_type(node.input(0)));
        if (const std::int64_t bits = rounded_bits(node, shapes_); bits > 0) return bits;
        if (!only_moves_its_input(node)) return 0;
        name = node.input(0);
    }
    return 0;
}

std::int64_t Widths::written(const std::string& value, int steps) const {
    if (const std::int64_t bits = bits_of(shapes_.element_type(value)); bits > 0) return bits;
    const auto readers = readers_.find(value);
    if (steps == kMostSteps || readers == readers_.end() || results_.contains(value)) return 0;
    std::int64_t widest = 0;
    for (const pb::NodeProto* reader : readers->second) {
        const std::int64_t wanted = wanted_by(*reader, value, steps);
        if (wanted == 0) return 0;
        widest = std::max(widest, wanted);
    }
    return widest;
}

std::int64_t Widths::wanted_by(const pb::NodeProto& reader, const std::string& value, int steps) const {
    if (reader.output_size() < 1) return 0;
    if (changes_format(reader, "QuantizeLinear")) {
        const bool says_so = reader.input_size() > 2 && !reader.input(2).empty();  // by its zero point
        return bits_of(shapes_.element_type(says_so ? reader.input(2) : reader.output(0)));
    }
    if (const std::int64_t bits = rounded_bits(reader, shapes_); bits > 0 && reader.input(0) == value) return bits;
    const std::string reason = reason_not_mapped(reader);
    const bool applied = reason == "works element by element" || reader.op_type() == "BatchNormalization";
    const bool alone = std::all_of(reader.input().begin(), reader.input().end(), [&](const std::string& input) {
        return input == value || input.empty() || shapes_.is_constant(input);
    });
    return (applied && alone) || only_moves_its_input(reader) ? written(reader.output(0), steps + 1) : 0;
}

void Widths::set_bits(const pb::NodeProto& node, Contraction& contraction) const {
    std::size_t operand = 0;
    for (Tensor& tensor : contraction.einsum.tensors) {
        const bool said = !tensor.written && operand == 0 && contraction.bits > 0;
        const std::int64_t bits = tensor.written ? written(node.output(0))
                                  : said         ? contraction.bits
                                                 : read(node.input(contraction.operands.at(operand)));
        if (!tensor.written) ++operand;
        if (bits > 0) tensor.bits = bits;
    }
}

}  // namespace tilewright::onnx
