#include "onnx/ready_model.hpp"

#include <map>
#include <set>
#include <unordered_set>

#include "base/files/file.hpp"
#include "base/notes.hpp"
#include "onnx/graph/attributes.hpp"
#include "onnx/graph/functions.hpp"
#include "onnx/graph/graph.hpp"
#include "onnx/graph/messages.hpp"
#include "onnx/onnx.hpp"

namespace tilewright::onnx {
namespace {

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
