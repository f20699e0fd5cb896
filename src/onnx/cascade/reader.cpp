// From a graph with known shapes to a cascade, node by node.
#include <algorithm>

#include "base/numbers/checked.hpp"
#include "onnx/cascade/draft.hpp"
#include "onnx/graph/graph.hpp"
#include "onnx/onnx.hpp"
#include "onnx/operators/lower.hpp"
#include "onnx/ready_model.hpp"

namespace tilewright::onnx {
namespace {

std::int64_t bytes_of_element(std::int32_t type) {
    switch (type) {
        case pb::TensorProto_DataType_DOUBLE:
        case pb::TensorProto_DataType_INT64:
        case pb::TensorProto_DataType_UINT64: return 8;
        case pb::TensorProto_DataType_FLOAT16:
        case pb::TensorProto_DataType_BFLOAT16:
        case pb::TensorProto_DataType_INT16:
        case pb::TensorProto_DataType_UINT16: return 2;
        case pb::TensorProto_DataType_INT8:
        case pb::TensorProto_DataType_UINT8:
        case pb::TensorProto_DataType_BOOL: return 1;
        default: return 4;
    }
}

class CascadeReader {
   public:
    CascadeReader(const pb::GraphProto& graph, const Shapes& shapes, const std::string& file, const std::string& name)
        : graph_(graph), shapes_(shapes), file_(file), values_(shapes, name) {}

    Cascade read() {
        for (const pb::NodeProto& node : graph_.node())
            if (!is_known_before_the_run(node)) visit(node);
        std::unordered_set<std::string> results;
        for (const pb::ValueInfoProto& output : graph_.output()) results.insert(output.name());
        return values_.take(results);
    }

   private:
    void visit(const pb::NodeProto& node) {
        const Operator op(node, shapes_, file_);
        std::string reason = reason_for(node);
        try {
            if (shapes_.body_of(node) == nullptr && has_shapes(node) && is_added(op)) return;
        } catch (const InputError& error) {  // an operand of unknown shape
            if (error.code() != ErrorCode::missing_key) throw;
            reason = error.message();
        }
        values_.not_covered({name_of(node), printable(node.op_type()), std::move(reason), bytes_of(node),
                             elements_of(node), !only_moves(node)});
    }

    bool is_added(const Operator& op) {
        const std::string& domain = op.node().domain();
        if (!is_standard_domain(domain) && domain != "com.microsoft") return false;
        return add_contraction(op, shapes_, values_) || add_elementwise(op, shapes_, values_) ||
               add_normalisation(op, shapes_, values_) || add_pooling(op, shapes_, values_) ||
               add_view(op, shapes_, values_);
    }

    // Constants, and shape computations.
    bool is_known_before_the_run(const pb::NodeProto& node) {
        const bool shape = node.op_type() == "Shape" || node.op_type() == "Size";
        const std::vector<std::string> read = values_read(node);
        const bool known = shape || std::ranges::all_of(read, [&](const std::string& value) {
                               return known_.contains(value) || shapes_.is_constant(value);
                           });
        if (known) known_.insert(node.output().begin(), node.output().end());
        return known;
    }

    bool is_full(const std::string& value) const {
        const std::optional<Extents> shape = shapes_.of(value);
        return shape && shape->size() <= kMaxRanks &&
               std::ranges::all_of(*shape, [](std::int64_t extent) { return extent > 0; });
    }

    // Inputs after the first may be missing, and constant ones lists of axes and the like, possibly empty.
    bool has_shapes(const pb::NodeProto& node) const {
        const auto may_be_read = [&](const std::string& value) {
            return value.empty() || is_full(value) || (shapes_.is_constant(value) && shapes_.of(value));
        };
        return node.input_size() > 0 && is_full(node.input(0)) && node.output_size() > 0 && is_full(node.output(0)) &&
               std::ranges::all_of(node.input(), may_be_read);
    }

    std::string reason_for(const pb::NodeProto& node) const {
        if (!has_shapes(node)) return "the shape of what it reads or makes is not known";
        const std::string reason = reason_not_mapped(node);
        return reason == "is not a contraction that Tilewright knows" && shapes_.body_of(node) != nullptr
                   ? "is control flow"
                   : reason;
    }

    static bool only_moves(const pb::NodeProto& node) {
        const std::string reason = reason_not_mapped(node);
        return reason == "only moves data" || reason == "is a constant or computes a shape" ||
               reason == "does nothing at inference";
    }

    std::int64_t words_of(const std::string& value) const {
        const std::optional<Extents> shape = shapes_.of(value);
        if (!shape) return 0;
        std::int64_t words = 1;
        for (const std::int64_t extent : *shape) words = checked_mul(words, std::max<std::int64_t>(extent, 0));
        return words;
    }

    template <typename Count>
    std::int64_t summed(const pb::NodeProto& node, const Count& count) const {
        std::int64_t sum = 0;
        for (const auto* values : {&node.input(), &node.output()})
            for (const std::string& value : *values)
                if (!value.empty()) sum = checked_add(sum, count(value));
        return sum;
    }

    std::int64_t bytes_of(const pb::NodeProto& node) const {
        return summed(node, [&](const std::string& value) {
            return checked_mul(words_of(value), bytes_of_element(shapes_.element_type(value)));
        });
    }

    // One per word of the largest value.
    std::int64_t elements_of(const pb::NodeProto& node) const {
        if (only_moves(node)) return 0;
        std::int64_t most = 0;
        summed(node, [&](const std::string& value) { return most = std::max(most, words_of(value)), std::int64_t{0}; });
        return most;
    }

    const pb::GraphProto& graph_;
    const Shapes& shapes_;
    const std::string& file_;
    Values values_;
    std::unordered_set<std::string> known_;
};

}  // namespace

Cascade read_onnx_cascade_bytes(std::string_view bytes, const std::string& name, const ReadOptions& options) {
    pb::ModelProto model = ready_model(bytes, name, options);
    const Shapes shapes = infer_shapes(model, name);
    try {
        return CascadeReader(model.graph(), shapes, name, std::filesystem::path(name).stem().string()).read();
    } catch (const InputError& error) {
        if (!error.where().file.empty()) throw;
        throw InputError(error.code(), {name}, error.message());
    } catch (const OverflowError&) {
        throw InputError(ErrorCode::overflow, {name}, "the model is too large to count in 64 bits");
    }
}

Cascade read_onnx_cascade(const std::filesystem::path& path, const ReadOptions& options) {
    return read_onnx_cascade_bytes(model_bytes(path), path.string(), options);
}

}  // namespace tilewright::onnx
