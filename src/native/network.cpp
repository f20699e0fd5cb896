#include "native/network.hpp"

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "workload/einsum_text.hpp"
#include "yaml/reader.hpp"
#include "yaml/write.hpp"

namespace tilewright::native {
namespace {

using yaml::list_of;
using yaml::Node;
using yaml::quoted_text;
using yaml::scalar_text;

constexpr std::size_t kMostLayers = 1'000'000;

// --- reading ---

std::string text_or(const Node& node, const char* key, const std::string& otherwise) {
    const Node* found = node.find(key);
    return found == nullptr ? otherwise : found->text();
}

std::int64_t amount(const Node& node) {
    const std::int64_t value = node.integer();
    if (value < 0) node.fail(ErrorCode::bad_value, "expected 0 or more, found " + node.text());
    return value;
}

// The tensors in the file's order; an einsum's text puts results last.
void order_tensors(const Node& names, Einsum& einsum) {
    std::vector<Tensor> ordered;
    for (const Node& name : list_of(names)) {
        const int found = find_tensor(einsum, name.text());
        if (found < 0) name.fail(ErrorCode::unknown_tensor, "the einsum has no tensor '" + name.text() + "'");
        ordered.push_back(einsum.tensors[found]);
    }
    if (ordered.size() != einsum.tensors.size())
        names.fail(ErrorCode::bad_value, "expected all " + std::to_string(einsum.tensors.size()) + " tensors");
    einsum.tensors = std::move(ordered);
    if (const std::string problem = problem_with(einsum); !problem.empty()) names.fail(ErrorCode::bad_value, problem);
}

// Of tensors with a word width of their own.
void read_bits(const Node& bits, Einsum& einsum) {
    for (const Node::Entry& entry : bits.entries()) {
        const int found = find_tensor(einsum, entry.key);
        if (found < 0) entry.key_node.fail(ErrorCode::unknown_tensor, "the einsum has no tensor '" + entry.key + "'");
        Tensor& tensor = einsum.tensors[found];
        tensor.bits = entry.value.positive();
        if (tensor.bits > kMaxWordBits)
            entry.value.fail(ErrorCode::bad_value, "expected at most " + std::to_string(kMaxWordBits) + " bits");
    }
}

Einsum read_einsum(const Node& node) {
    std::vector<std::pair<std::string, std::int64_t>> extents;
    for (const Node::Entry& entry : node.at("extents").entries())
        extents.emplace_back(entry.key, entry.value.positive());
    const Node& formula = node.at("einsum");
    Einsum einsum;
    try {
        einsum = parse_einsum(formula.text(), extents);
    } catch (const InputError& error) {
        formula.fail(error.code(), error.message());
    }
    einsum.name = text_or(node, "shape", "");
    if (const Node* order = node.find("tensors")) order_tensors(*order, einsum);
    if (const Node* bits = node.find("bits")) read_bits(*bits, einsum);
    return einsum;
}

Layer read_layer(const Node& node) {
    node.expect_keys({"name", "op", "einsum", "extents", "shape", "tensors", "bits", "repeats", "feeds_from"});
    Layer layer;
    layer.name = node.at("name").text();
    layer.op = text_or(node, "op", "Einsum");
    layer.einsum = read_einsum(node);
    if (const Node* repeats = node.find("repeats")) layer.repeats = repeats->positive();
    return layer;
}

/// Layers by name, or by number from 0 if the name is ambiguous.
class Feeders {
   public:
    explicit Feeders(const std::vector<Layer>& layers) : count_(static_cast<std::int64_t>(layers.size())) {
        for (std::size_t i = 0; i < layers.size(); ++i) places_[layers[i].name].push_back(static_cast<int>(i));
    }

    int find(const Node& node) const {
        if (!node.is_quoted() && node.try_real()) {
            const std::int64_t number = node.integer();
            if (number < 0 || number >= count_)
                node.fail(ErrorCode::bad_value, "there are layers 0 to " + std::to_string(count_ - 1));
            return static_cast<int>(number);
        }
        const auto found = places_.find(node.text());
        if (found == places_.end())
            node.fail(ErrorCode::unknown_name,
                      "there is no layer '" + node.text() + "'" + did_you_mean(node.text(), names()));
        if (found->second.size() > 1)
            node.fail(ErrorCode::bad_value, "several layers are called '" + node.text() + "': give a number, from 0");
        return found->second.front();
    }

    std::string text(int layer, const std::string& name) const {
        return places_.at(name).size() > 1 ? std::to_string(layer) : scalar_text(name);
    }

   private:
    std::vector<std::string> names() const {
        std::vector<std::string> names;
        for (const auto& [name, places] : places_) names.push_back(name);
        return names;
    }

    std::int64_t count_;
    std::map<std::string, std::vector<int>> places_;
};

// --- writing ---

std::string extents_text(const Einsum& einsum) {
    std::string text;
    for (const Dimension& dimension : einsum.dimensions)
        text += (text.empty() ? "" : ", ") + scalar_text(dimension.name) + ": " + std::to_string(dimension.extent);
    return "{" + text + "}";
}

// True if an einsum's text gives another order.
bool results_are_not_last(const Einsum& einsum) {
    return !std::is_partitioned(einsum.tensors.begin(), einsum.tensors.end(),
                                [](const Tensor& tensor) { return !tensor.written; });
}

std::string layer_text(const Layer& layer, const Feeders& feeders, const std::vector<Layer>& layers) {
    const Einsum& einsum = layer.einsum;
    for (int d = 0; d < einsum.dimension_count(); ++d)
        if (std::none_of(einsum.tensors.begin(), einsum.tensors.end(),
                         [d](const Tensor& tensor) { return is_relevant(tensor, d); }))
            throw InputError(ErrorCode::unsupported, {},
                             "layer '" + layer.name + "': dimension '" + einsum.dimensions[d].name +
                                 "' moves no tensor, so that an einsum cannot say it");
    std::string text = "  - name: " + scalar_text(layer.name) + "\n    op: " + scalar_text(layer.op) +
                       "\n    einsum: " + quoted_text(to_text(einsum)) + "\n    extents: " + extents_text(einsum) +
                       "\n";
    if (results_are_not_last(einsum)) {
        std::string order;
        for (const Tensor& tensor : einsum.tensors) order += (order.empty() ? "" : ", ") + scalar_text(tensor.name);
        text += "    tensors: [" + order + "]\n";
    }
    std::string bits;
    for (const Tensor& tensor : einsum.tensors)
        if (tensor.bits > 0)
            bits += (bits.empty() ? "" : ", ") + scalar_text(tensor.name) + ": " + std::to_string(tensor.bits);
    if (!bits.empty()) text += "    bits: {" + bits + "}\n";
    if (!einsum.name.empty()) text += "    shape: " + scalar_text(einsum.name) + "\n";
    if (layer.repeats != 1) text += "    repeats: " + std::to_string(layer.repeats) + "\n";
    if (layer.feeds_from.empty()) return text;
    std::string from;
    for (const int feeder : layer.feeds_from)
        from += (from.empty() ? "" : ", ") + feeders.text(feeder, layers[feeder].name);
    return text + "    feeds_from: [" + from + "]\n";
}

}  // namespace

Network read_network(const Node& node) {
    node.expect_keys({"version", "name", "layers", "not_mapped", "streamed"});
    if (const Node* version = node.find("version"); version != nullptr && version->text() != "1")
        version->fail(ErrorCode::unsupported, "version " + version->text() + " of a network is not 1");
    Network network;
    network.name = text_or(node, "name", "network");
    const std::vector<Node>& layers = list_of(node.at("layers"));
    if (layers.size() > kMostLayers) node.at("layers").fail(ErrorCode::unsupported, "more than a million layers");
    for (const Node& layer : layers) network.layers.push_back(read_layer(layer));
    const Feeders feeders(network.layers);
    for (std::size_t i = 0; i < layers.size(); ++i)
        if (const Node* from = layers[i].find("feeds_from"))
            for (const Node& one : list_of(*from)) network.layers[i].feeds_from.push_back(feeders.find(one));
    if (const Node* unmapped = node.find("not_mapped"))
        for (const Node& one : list_of(*unmapped)) {
            one.expect_keys({"name", "op", "reason"});
            network.unmapped.push_back({one.at("name").text(), one.at("op").text(), one.at("reason").text()});
        }
    if (const Node* streamed = node.find("streamed"))
        for (const Node& one : list_of(*streamed)) {
            one.expect_keys({"name", "op", "reads", "writes"});
            network.streamed.push_back(
                {one.at("name").text(), one.at("op").text(), amount(one.at("reads")), amount(one.at("writes"))});
        }
    return network;
}

std::string write_network(const Network& network) {
    const Feeders feeders(network.layers);
    std::string text = "network:\n  version: 1\n  name: " + scalar_text(network.name) + "\n  layers:\n";
    if (network.layers.empty()) text.replace(text.size() - 1, 1, " []\n");
    for (const Layer& layer : network.layers) text += layer_text(layer, feeders, network.layers);
    if (!network.unmapped.empty()) text += "  not_mapped:\n";
    for (const UnmappedOperator& op : network.unmapped)
        text += "  - {name: " + scalar_text(op.name) + ", op: " + scalar_text(op.op) +
                ", reason: " + quoted_text(op.reason) + "}\n";
    if (!network.streamed.empty()) text += "  streamed:\n";
    for (const StreamedOperator& op : network.streamed)
        text += "  - {name: " + scalar_text(op.name) + ", op: " + scalar_text(op.op) +
                ", reads: " + std::to_string(op.read_elements) + ", writes: " + std::to_string(op.written_elements) +
                "}\n";
    return text;
}

}  // namespace tilewright::native
