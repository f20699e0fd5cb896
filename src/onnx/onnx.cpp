#include "onnx/onnx.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "base/numbers/checked.hpp"
#include "onnx/graph/graph.hpp"
#include "onnx/operators/infer.hpp"
#include "onnx/operators/lower.hpp"
#include "onnx/ready_model.hpp"
#include "onnx/weights/zeros.hpp"
#include "onnx/widths.hpp"
#include "workload/network.hpp"

namespace tilewright::onnx {
namespace {

// From a graph with known shapes to a network: one layer per contraction, one entry per other node, and producer links.

/// Destination and folder for counting zeros of weights.
struct WeightCounting {
    const Weights& weights;
    std::vector<CountedWeights>& counted;
};

/// Layers behind a value, ascending; shared, because long operator chains pass the same set on.
using Sources = std::shared_ptr<const std::vector<int>>;

/// A model could make every layer depend on every other; real networks stay far below.
constexpr std::size_t kMostSources = 20'000'000;

class Walker {
   public:
    Walker(const pb::GraphProto& graph, const Shapes& shapes, const std::string& file, const WeightCounting* counting)
        : graph_(graph), shapes_(shapes), widths_(graph, shapes), file_(file), counting_(counting) {}

    Network run() {
        for (const pb::NodeProto& node : graph_.node()) visit(node, {});
        if (network_.layers.empty() && unshaped_) throw InputError(*unshaped_);
        return std::move(network_);
    }

   private:
    /// A node's position: the path of enclosing bodies, and their repeats.
    struct Inside {
        std::string path;
        std::int64_t repeats = 1;
    };

    void visit(const pb::NodeProto& node, const Inside& inside) {
        const Sources sources = sources_of(node);
        if (const Shapes::Body* body = shapes_.body_of(node)) return visit_body(node, *body, inside, sources);
        Lowered lowered = lowered_or_reason(node);
        if (auto* contraction = std::get_if<Contraction>(&lowered)) {
            widths_.set_bits(node, *contraction);
            count_weights(node, *contraction);
            return add_layers(node, {{"", std::move(contraction->einsum), 1}}, inside, sources);
        }
        if (auto* products = std::get_if<std::vector<Product>>(&lowered)) {
            miss_weights(node);
            return add_layers(node, std::move(*products), inside, sources);
        }
        network_.unmapped.push_back(
            {inside.path + name_of(node), printable(node.op_type()), std::get<NotMapped>(lowered).reason});
        if (computes_elements(node)) add_streamed(node, inside);
        list_bodies(node, inside.path + name_of(node));
        if (sources) record(node, sources);
    }

    /// Of the next layer's operands.
    void count_weights(const pb::NodeProto& node, const Contraction& contraction) {
        if (counting_ == nullptr) return;
        std::size_t operand = 0;
        for (int t = 0; t < contraction.einsum.tensor_count(); ++t) {
            if (contraction.einsum.tensors[t].written) continue;
            const int input = contraction.operands.at(operand++);
            if (!shapes_.is_constant(node.input(input))) continue;
            CountedWeights counted = counting_->weights.counted(node, input);
            counted.layer = static_cast<int>(network_.layers.size());
            counted.tensor = t;
            counting_->counted.push_back(std::move(counted));
        }
    }

    /// Operators of several products share their weights among them.
    void miss_weights(const pb::NodeProto& node) {
        if (counting_ == nullptr) return;
        const bool any = std::any_of(node.input().begin(), node.input().end(),
                                     [&](const std::string& input) { return shapes_.is_constant(input); });
        if (any)
            counting_->counted.push_back({static_cast<int>(network_.layers.size()), 0, "", 0, 0,
                                          describe(node) + " is several products with parts of its weights"});
    }

    /// Its traffic. Element-wise operators on one tensor are applied at its production.
    void add_streamed(const pb::NodeProto& node, const Inside& inside) {
        StreamedOperator streamed{inside.path + name_of(node), printable(node.op_type()), 0, 0};
        int tensors = 0;
        for (const std::string& input : node.input()) {
            if (input.empty() || shapes_.is_constant(input)) continue;
            ++tensors;
            if (!add_elements(node, input, streamed.read_elements)) return;
        }
        for (const std::string& output : node.output())
            if (!output.empty() && !add_elements(node, output, streamed.written_elements)) return;
        const std::string reason = reason_not_mapped(node);
        const bool alone = reason == "works element by element" || node.op_type() == "BatchNormalization";
        if (tensors == 0 || (tensors == 1 && alone)) return;
        streamed.read_elements = times(node, streamed.read_elements, inside.repeats);
        streamed.written_elements = times(node, streamed.written_elements, inside.repeats);
        network_.streamed.push_back(std::move(streamed));
    }

    /// False for an unknown shape.
    bool add_elements(const pb::NodeProto& node, const std::string& value, std::int64_t& elements) const {
        const std::optional<Extents> shape = shapes_.of(value);
        if (!shape) return false;
        std::int64_t product = 1;
        for (const std::int64_t extent : *shape) {
            if (extent < 1) return false;
            product = times(node, product, extent);
        }
        if (__builtin_add_overflow(elements, product, &elements))
            fail(file_, node, ErrorCode::overflow, "its elements do not fit in 64 bits");
        return true;
    }

    /// A layer of unknown shape stays unmapped; the others are mapped.
    Lowered lowered_or_reason(const pb::NodeProto& node) {
        try {
            return lower(Operator(node, shapes_, file_));
        } catch (const InputError& error) {
            if (error.code() != ErrorCode::missing_key) throw;
            if (!unshaped_) unshaped_ = error;
            return NotMapped{error.message()};
        }
    }

    /// The products of one operator, in sequence.
    void add_layers(const pb::NodeProto& node, std::vector<Product> products, const Inside& inside,
                    const Sources& sources) {
        std::vector<int> feeders = sources ? *sources : std::vector<int>();
        for (Product& product : products) {
            const auto index = static_cast<int>(network_.layers.size());
            const std::string name = inside.path + name_of(node) + (product.part.empty() ? "" : "/" + product.part);
            network_.layers.push_back({unique(name), node.op_type(), std::move(product.einsum),
                                       times(node, inside.repeats, product.repeats), feeders});
            feeders = {index};
        }
        record(node, std::make_shared<const std::vector<int>>(feeders));
    }

    std::int64_t times(const pb::NodeProto& node, std::int64_t a, std::int64_t b) const {
        try {
            return checked_mul(a, b);
        } catch (const OverflowError&) {
            fail(file_, node, ErrorCode::overflow, "how often it runs does not fit in 64 bits");
        }
    }

    void visit_body(const pb::NodeProto& node, const Shapes::Body& body, const Inside& around, const Sources& sources) {
        const Inside inside{tail(around.path + name_of(node)) + "/", times(node, around.repeats, body.trips)};
        for (const pb::ValueInfoProto& input : body.graph->input())
            if (sources) sources_[input.name()] = sources;
        for (const pb::NodeProto& inner : body.graph->node()) visit(inner, inside);
        Sources all = sources;
        for (const pb::ValueInfoProto& output : body.graph->output()) {
            const auto found = sources_.find(output.name());
            if (found == sources_.end() || found->second == all || !found->second) continue;
            all = all ? merge(node, *all, *found->second) : found->second;
        }
        if (all) record(node, all);
    }

    /// Everything inside the node's subgraphs, one entry each.
    void list_bodies(const pb::NodeProto& node, const std::string& path) {
        const auto list = [&](const std::string& attribute, const pb::GraphProto& body) {
            const std::string prefix = tail(path) + "/" + printable(attribute) + "/";
            for (const pb::NodeProto& inner : body.node()) {
                network_.unmapped.push_back({prefix + name_of(inner), printable(inner.op_type()),
                                             "is inside " + describe(node) + ": how often it runs is not known"});
                list_bodies(inner, prefix + name_of(inner));
            }
        };
        for (const pb::AttributeProto& attribute : node.attribute()) {
            if (attribute.has_g()) list(attribute.name(), attribute.g());
            for (const pb::GraphProto& body : attribute.graphs()) list(attribute.name(), body);
        }
    }

    /// The end of a path: deep nesting must not add up.
    static std::string tail(const std::string& path) {
        constexpr std::size_t kLongest = 300;
        return path.size() > kLongest ? "..." + path.substr(path.size() - kLongest) : path;
    }

    Sources sources_of(const pb::NodeProto& node) {
        Sources sources;
        for (const std::string& value : values_read(node)) {
            const auto found = sources_.find(value);
            if (found == sources_.end() || found->second == sources) continue;
            sources = sources ? merge(node, *sources, *found->second) : found->second;
        }
        return sources;
    }

    Sources merge(const pb::NodeProto& node, const std::vector<int>& a, const std::vector<int>& b) {
        std::vector<int> both;
        std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
        stored_ += both.size();
        if (stored_ > kMostSources)
            fail(file_, node, ErrorCode::unsupported, "too many layers depend on too many others");
        return std::make_shared<const std::vector<int>>(std::move(both));
    }

    void record(const pb::NodeProto& node, const Sources& sources) {
        for (const std::string& output : node.output())
            if (!output.empty()) sources_[output] = sources;
    }

    static std::string name_of(const pb::NodeProto& node) {
        if (!node.name().empty()) return printable(node.name());
        return printable(node.output_size() > 0 && !node.output(0).empty() ? node.output(0) : node.op_type());
    }

    std::string unique(const std::string& name) {
        std::string unique = name;
        for (int i = 2; !names_.insert(unique).second; ++i) unique = name + "#" + std::to_string(i);
        return unique;
    }

    const pb::GraphProto& graph_;
    const Shapes& shapes_;
    const Widths widths_;
    const std::string& file_;
    const WeightCounting* counting_;
    Network network_;
    std::optional<InputError> unshaped_;  // the first layer of unknown shape
    std::unordered_map<std::string, Sources> sources_;
    std::unordered_set<std::string> names_;
    std::size_t stored_ = 0;
};

/// Requires a sorted graph. Counts no zeros if `counting` is null.
Network make_network(const pb::GraphProto& graph, const Shapes& shapes, const std::string& file,
                     const WeightCounting* counting = nullptr) {
    return Walker(graph, shapes, file, counting).run();
}

}  // namespace

Network read_onnx_bytes(std::string_view bytes, const std::string& name, const ReadOptions& options) {
    pb::ModelProto model = ready_model(bytes, name, options);
    const Shapes shapes = infer_shapes(model, name);
    std::optional<Weights> weights;
    std::optional<WeightCounting> counting;
    if (options.weights != nullptr) {
        weights.emplace(model.graph(), std::filesystem::path(name).parent_path());
        counting.emplace(WeightCounting{*weights, *options.weights});
    }
    Network network = make_network(model.graph(), shapes, name, counting ? &*counting : nullptr);
    network.name = std::filesystem::path(name).stem().string();
    return network;
}

Network read_onnx(const std::filesystem::path& path, const ReadOptions& options) {
    return read_onnx_bytes(model_bytes(path), path.string(), options);
}

}  // namespace tilewright::onnx
