#include "onnx/ready_model.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/files/file.hpp"
#include "base/notes.hpp"
#include "onnx/graph/graph.hpp"
#include "onnx/graph/messages.hpp"
#include "onnx/onnx.hpp"

namespace tilewright::onnx {
namespace {

// A model's own functions (FunctionProto), replaced by their bodies.

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

// Expands every call, also inside subgraphs, and removes the functions. Body nodes are named "<call>/<node>". Throws
// InputError for recursive functions, duplicates, and unreasonably large expansions.
void inline_functions(pb::ModelProto& model, const std::string& file) {
    if (model.functions_size() == 0) return;
    Inliner(model, file).expand(*model.mutable_graph());
    model.clear_functions();
}

// Symbolic dimensions of the graph's inputs, bound to the user's extents.

using Symbols = std::map<std::string, std::int64_t>;

std::string place_of(const pb::ValueInfoProto& input, int axis) { return input.name() + "." + std::to_string(axis); }

/// Some exporters write -1 for a free extent.
bool is_symbolic(const pb::TensorShapeProto_Dimension& dim) { return !dim.has_dim_value() || dim.dim_value() == -1; }

class Binder {
   public:
    Binder(pb::GraphProto& graph, const ReadOptions& options, const std::string& file)
        : graph_(graph), options_(options), file_(file) {
        for (const pb::TensorProto& tensor : graph.initializer()) initializers_.insert(tensor.name());
    }

    void run() {
        for (const auto& [name, extent] : options_.dimensions)
            if (extent < 0)
                fail(file_, ErrorCode::bad_value,
                     "dimension " + in_quotes(name) + " is set to " + std::to_string(extent));
        collect_batch_symbols();
        for (pb::ValueInfoProto& input : *graph_.mutable_input()) bind_input(input);
        for (pb::ValueInfoProto& value : *graph_.mutable_value_info()) substitute(value);
        for (pb::ValueInfoProto& output : *graph_.mutable_output()) substitute(output);
        refuse_unused_options();
    }

   private:
    /// Symbols leading at every occurrence: these default to 1. A vector's only axis is inconclusive: it may be a
    /// sequence.
    void collect_batch_symbols() {
        std::set<std::string> inner;
        for (const pb::ValueInfoProto& input : graph_.input()) {
            const pb::TensorShapeProto& shape = input.type().tensor_type().shape();
            for (int axis = 0; axis < shape.dim_size(); ++axis) {
                const std::string& name = shape.dim(axis).dim_param();
                if (name.empty()) continue;
                known_names_.insert(name);
                if (axis > 0) inner.insert(name);
                if (axis == 0 && shape.dim_size() > 1) batch_.insert(name);
            }
        }
        for (const std::string& name : inner) batch_.erase(name);
    }

    void bind_input(pb::ValueInfoProto& input) {
        if (!input.type().has_tensor_type() || !input.type().tensor_type().has_shape()) return;
        pb::TensorShapeProto& shape = *input.mutable_type()->mutable_tensor_type()->mutable_shape();
        const bool is_weight = initializers_.contains(input.name());
        for (int axis = 0; axis < shape.dim_size(); ++axis) {
            known_places_.insert(place_of(input, axis));
            pb::TensorShapeProto_Dimension& dim = *shape.mutable_dim(axis);
            if (const std::int64_t* given = option_for(input, axis, dim))
                dim.set_dim_value(*given);
            else if (is_symbolic(dim) && !is_weight)
                dim.set_dim_value(default_for(input, axis, dim));
            if (dim.has_dim_value() && dim.dim_value() < 0)
                fail(file_, ErrorCode::bad_value,
                     "graph input " + in_quotes(input.name()) + " has extent " + std::to_string(dim.dim_value()) +
                         " in axis " + std::to_string(axis) + "; no extent is negative (set one with the dimension " +
                         "option '" + printable(place_of(input, axis)) + "')");
        }
    }

    const std::int64_t* option_for(const pb::ValueInfoProto& input, int axis,
                                   const pb::TensorShapeProto_Dimension& dim) {
        for (const std::string& name : {place_of(input, axis), dim.dim_param()}) {
            const auto found = options_.dimensions.find(name);
            if (found != options_.dimensions.end() && !name.empty()) return &found->second;
        }
        return nullptr;
    }

    std::int64_t default_for(const pb::ValueInfoProto& input, int axis, const pb::TensorShapeProto_Dimension& dim) {
        const std::string& name = dim.dim_param();
        // An extent of -1 may be anything: a matrix's may as well be the rows of a sequence as a batch.
        const int least_axes = dim.has_dim_value() ? 3 : 2;
        const bool leads = axis == 0 && input.type().tensor_type().shape().dim_size() >= least_axes;
        if (name.empty() ? leads : batch_.contains(name)) {
            if (!name.empty()) defaulted_.insert(name);
            return 1;
        }
        const std::string option = name.empty() ? place_of(input, axis) : name;
        fail(file_, ErrorCode::missing_key,
             "graph input " + in_quotes(input.name()) + " has a symbolic extent" +
                 (name.empty() ? "" : " " + in_quotes(name)) + " in axis " + std::to_string(axis) +
                 "; give it with the dimension option '" + printable(option) + "'");
    }

    /// In informational shapes: bound symbols are filled in, others are left to inference.
    void substitute(pb::ValueInfoProto& value) {
        if (!value.type().has_tensor_type() || !value.type().tensor_type().has_shape()) return;
        for (pb::TensorShapeProto_Dimension& dim :
             *value.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim()) {
            if (!dim.has_dim_param()) continue;
            const std::string name = dim.dim_param();
            if (const auto given = options_.dimensions.find(name); given != options_.dimensions.end())
                dim.set_dim_value(given->second);
            else if (defaulted_.contains(name))
                dim.set_dim_value(1);
            else
                dim.clear_value();
        }
    }

    void refuse_unused_options() const {
        std::vector<std::string> names(known_names_.begin(), known_names_.end());
        for (const auto& [name, extent] : options_.dimensions) {
            if (known_names_.contains(name) || known_places_.contains(name)) continue;
            std::string message = "the model has no symbolic dimension " + in_quotes(name) + did_you_mean(name, names);
            if (names.empty()) message += "; none of its inputs has one";
            fail(file_, ErrorCode::unknown_name, message);
        }
    }

    pb::GraphProto& graph_;
    const ReadOptions& options_;
    const std::string& file_;
    std::unordered_set<std::string> initializers_;
    std::set<std::string> batch_;
    std::set<std::string> defaulted_;
    std::set<std::string> known_names_;
    std::set<std::string> known_places_;
};

/// Replaces every symbolic dimension by its extent, in inputs, value infos and outputs. Afterwards every extent of a
/// non-initializer graph input is known and positive. Throws InputError otherwise, and for options without effect.
void bind_symbols(pb::GraphProto& graph, const ReadOptions& options, const std::string& file) {
    Binder(graph, options, file).run();
}

}  // namespace

pb::ModelProto ready_model(std::string_view bytes, const std::string& name, const ReadOptions& options) {
    pb::ModelProto model = parse_model(bytes, name);
    inline_functions(model, name);
    sort_graph(*model.mutable_graph(), name);
    bind_symbols(*model.mutable_graph(), options, name);
    Notes unheard;
    drop_foreign_attributes(*model.mutable_graph(), opset_version(model), name,
                            options.notes == nullptr ? unheard : *options.notes);
    return model;
}

std::string model_bytes(const std::filesystem::path& path) {
    std::error_code unknown;
    if (const std::uintmax_t size = std::filesystem::file_size(path, unknown); !unknown)
        refuse_oversize(size, path.string());
    return read_file(path, kAnySize);
}

}  // namespace tilewright::onnx
