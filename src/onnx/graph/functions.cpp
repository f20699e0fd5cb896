#include "onnx/graph/functions.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tilewright::onnx {
namespace {

using Nodes = google::protobuf::RepeatedPtrField<pb::NodeProto>;
using Names = std::unordered_map<std::string, std::string>;
using FunctionKey = std::pair<std::string, std::string>;

/// A hostile model doubles bodies at every level; honest ones stay far below.
constexpr int kMostNodes = 100'000;
constexpr std::size_t kMostBytes = 64U << 20U;
constexpr std::size_t kLongestLabel = 200;
constexpr std::size_t kDeepestCall = 64;

void rename(std::string& name, const Names& names) {
    if (const auto found = names.find(name); found != names.end()) name = found->second;
}

void rename_values(pb::GraphProto& graph, const Names& names);

/// Applies `names` to all inputs and outputs of the node, subgraphs included.
void rename_values(pb::NodeProto& node, const Names& names) {
    for (std::string& input : *node.mutable_input()) rename(input, names);
    for (std::string& output : *node.mutable_output()) rename(output, names);
    for (pb::AttributeProto& attribute : *node.mutable_attribute()) {
        if (attribute.has_g()) rename_values(*attribute.mutable_g(), names);
        for (pb::GraphProto& graph : *attribute.mutable_graphs()) rename_values(graph, names);
    }
}

void rename_values(pb::GraphProto& graph, const Names& names) {
    for (pb::NodeProto& node : *graph.mutable_node()) rename_values(node, names);
    for (pb::ValueInfoProto& output : *graph.mutable_output()) rename(*output.mutable_name(), names);
}

void bind_attributes(pb::GraphProto& graph, const pb::NodeProto& call);

/// Replaces references to the function's attributes by the call's values; missing ones are left out.
void bind_attributes(pb::NodeProto& node, const pb::NodeProto& call) {
    google::protobuf::RepeatedPtrField<pb::AttributeProto> bound;
    for (pb::AttributeProto& attribute : *node.mutable_attribute()) {
        if (attribute.has_g()) bind_attributes(*attribute.mutable_g(), call);
        for (pb::GraphProto& graph : *attribute.mutable_graphs()) bind_attributes(graph, call);
        if (attribute.ref_attr_name().empty()) {
            bound.Add()->Swap(&attribute);
            continue;
        }
        for (const pb::AttributeProto& given : call.attribute()) {
            if (given.name() != attribute.ref_attr_name()) continue;
            pb::AttributeProto* copy = bound.Add();
            *copy = given;
            copy->set_name(attribute.name());
        }
    }
    node.mutable_attribute()->Swap(&bound);
}

void bind_attributes(pb::GraphProto& graph, const pb::NodeProto& call) {
    for (pb::NodeProto& node : *graph.mutable_node()) bind_attributes(node, call);
}

class Inliner {
   public:
    Inliner(const pb::ModelProto& model, const std::string& file) : file_(file) {
        for (const pb::FunctionProto& function : model.functions())
            if (!functions_.emplace(FunctionKey{function.domain(), function.name()}, &function).second)
                fail(file, ErrorCode::duplicate_key,
                     "function " + in_quotes(function.name()) + " of domain " + in_quotes(function.domain()) +
                         " is defined twice");
    }

    void expand(pb::GraphProto& graph) {
        Nodes expanded;
        for (pb::NodeProto& node : *graph.mutable_node()) append(node, expanded);
        graph.mutable_node()->Swap(&expanded);
    }

   private:
    void append(pb::NodeProto& node, Nodes& out) {
        for (pb::AttributeProto& attribute : *node.mutable_attribute()) {
            if (attribute.has_g()) expand(*attribute.mutable_g());
            for (pb::GraphProto& graph : *attribute.mutable_graphs()) expand(graph);
        }
        const auto found = functions_.find(FunctionKey{node.domain(), node.op_type()});
        if (found != functions_.end()) return append_body(node, *found->second, out);
        out.Add()->Swap(&node);
    }

    void append_body(const pb::NodeProto& call, const pb::FunctionProto& function, Nodes& out) {
        if (std::find(calls_.begin(), calls_.end(), &function) != calls_.end())
            fail(file_, call, ErrorCode::bad_value, "the function calls itself");
        if (calls_.size() >= kDeepestCall)
            fail(file_, call, ErrorCode::unsupported,
                 "functions call each other more than " + std::to_string(kDeepestCall) + " deep");
        calls_.push_back(&function);
        const std::string label = label_of(call);
        const Names names = body_names(call, function);
        for (const pb::NodeProto& inner : function.node()) {
            count_copy(call, inner);
            pb::NodeProto copy = inner;
            bind_attributes(copy, call);
            rename_values(copy, names);
            copy.set_name(label + "/" + (inner.name().empty() ? inner.op_type() : inner.name()));
            append(copy, out);
        }
        calls_.pop_back();
    }

    void count_copy(const pb::NodeProto& call, const pb::NodeProto& node) {
        bytes_ += node.ByteSizeLong();
        if (++nodes_ > kMostNodes || bytes_ > kMostBytes)
            fail(file_, call, ErrorCode::unsupported,
                 "expanding the model's functions gives more than " + std::to_string(kMostNodes) + " nodes or " +
                     std::to_string(kMostBytes >> 20U) + " MiB");
    }

    /// Outside names of the body's values.
    Names body_names(const pb::NodeProto& call, const pb::FunctionProto& function) {
        if (call.input_size() > function.input_size() || call.output_size() > function.output_size())
            fail(file_, call, ErrorCode::bad_value, "more inputs or outputs than the function has");
        const std::string prefix = "#" + std::to_string(++expansions_) + "/";
        Names names{{"", ""}};
        for (const pb::NodeProto& node : function.node())
            for (const std::string& output : node.output())
                if (!output.empty()) names.emplace(output, prefix + output);
        for (int i = 0; i < function.input_size(); ++i)
            names[function.input(i)] = i < call.input_size() ? call.input(i) : std::string();
        for (int i = 0; i < call.output_size(); ++i)
            if (!call.output(i).empty()) names[function.output(i)] = call.output(i);
        return names;
    }

    static std::string label_of(const pb::NodeProto& call) {
        const bool by_output = call.name().empty() && call.output_size() > 0 && !call.output(0).empty();
        const std::string& label = !call.name().empty() ? call.name() : by_output ? call.output(0) : call.op_type();
        return label.size() > kLongestLabel ? "..." + label.substr(label.size() - kLongestLabel) : label;
    }

    const std::string& file_;
    std::map<FunctionKey, const pb::FunctionProto*> functions_;
    std::vector<const pb::FunctionProto*> calls_;
    int nodes_ = 0;          ///< copied so far
    std::size_t bytes_ = 0;  ///< the same
    int expansions_ = 0;
};

}  // namespace

void inline_functions(pb::ModelProto& model, const std::string& file) {
    if (model.functions_size() == 0) return;
    Inliner(model, file).expand(*model.mutable_graph());
    model.clear_functions();
}

}  // namespace tilewright::onnx
