#include "run/mapping/mapping_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "timeloop/mapping/nest.hpp"
#include "yaml/write.hpp"

namespace tilewright {
namespace {

using yaml::quoted_text;

std::string indented(const std::string& text, const std::string& margin) {
    std::string out;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        out += (end > begin ? margin : "") + text.substr(begin, end - begin) + "\n";
        begin = end + 1;
    }
    return out;
}

// One entry of `layers`: names, mapping.
void read_entry(const yaml::Node& entry, const Network& network, const Architecture& architecture,
                timeloop::Remainders remainders, const std::set<std::string>& left_out,
                std::map<int, timeloop::PlacedMapping>& mappings) {
    entry.expect_keys({"names", "padded", "mapping"});
    std::vector<std::string> known;
    known.reserve(network.layers.size());
    for (const Layer& layer : network.layers) known.push_back(layer.name);
    for (const yaml::Node& name : entry.at("names").items()) {
        if (left_out.contains(name.text())) continue;
        const auto found = std::find(known.begin(), known.end(), name.text());
        if (found == known.end())
            name.fail(ErrorCode::unknown_name, "network '" + network.name + "' has no layer '" + name.text() + "'" +
                                                   did_you_mean(name.text(), known));
        const int index = static_cast<int>(found - known.begin());
        if (mappings.contains(index))
            name.fail(ErrorCode::duplicate_key, "layer '" + name.text() + "' has two mappings");
        mappings[index] = timeloop::read_placed_mapping(entry, network.layers[index].einsum, architecture, remainders);
    }
}

// The extents that padding changed.
std::string padded_text(const Einsum& einsum, const Einsum& unpadded) {
    std::string text;
    for (std::size_t d = 0; d < einsum.dimensions.size(); ++d) {
        const Dimension& padded = einsum.dimensions[d];
        if (padded.extent != unpadded.dimensions[d].extent)
            text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", quoted_text(padded.name), padded.extent);
    }
    return text.empty() ? "" : "    padded: {" + text + "}\n";
}

std::string entry_text(const std::vector<std::string>& names, const Mapping& mapping, const Einsum& einsum,
                       const Einsum& unpadded, const Architecture& architecture) {
    std::string text = "  - names:\n";
    for (const std::string& name : names) text += "      - " + quoted_text(name) + "\n";
    text += padded_text(einsum, unpadded);
    return text + indented(timeloop::write_nest(mapping, einsum, architecture), "    ");
}

constexpr const char* kSchema = "tilewright-mapping/1";

// docs/mappings.md
std::string begin() { return std::string("schema: ") + kSchema + "\n"; }

std::string begin_layers() {
    return "# One mapping per layer shape; `tilewright evaluate` reads it beside the same network and machine.\n" +
           begin() + "layers:\n";
}

void check_schema(const yaml::Node& root) {
    const yaml::Node* schema = root.find("schema");
    if (schema != nullptr && schema->text() != kSchema)
        schema->fail(ErrorCode::unsupported, std::string("expected '") + kSchema + "', found '" + schema->text() + "'");
}

void pad_layer(const yaml::Node& padded, Layer& layer) {
    for (const yaml::Node::Entry& entry : padded.entries()) {
        const int d = find_dimension(layer.einsum, entry.key);
        if (d < 0)
            entry.key_node.fail(ErrorCode::unknown_name,
                                "layer '" + layer.name + "' has no dimension '" + entry.key + "'");
        Dimension& dimension = layer.einsum.dimensions[d];
        const std::int64_t extent = entry.value.positive();
        if (extent < dimension.extent)
            entry.value.fail(ErrorCode::bad_value,
                             fmt::format("layer '{}' has {} = {}: padding makes no dimension smaller", layer.name,
                                         entry.key, dimension.extent));
        dimension.extent = extent;
    }
}

}  // namespace

Network padded_as_mapped(const yaml::Node& root, Network network) {
    if (!root.has("layers") || root.has("mapping")) return network;
    for (const yaml::Node& entry : root.at("layers").items()) {
        const yaml::Node* const padded = entry.find("padded");
        if (padded == nullptr) continue;
        for (const yaml::Node& name : entry.at("names").items()) {
            const auto layer = std::ranges::find(network.layers, name.text(), &Layer::name);
            if (layer != network.layers.end()) pad_layer(*padded, *layer);
        }
    }
    return network;
}

std::string shape_mapping_file(const std::vector<std::string>& names, const Mapping& mapping, const Einsum& einsum,
                               const Einsum& unpadded, const Architecture& architecture) {
    if (einsum == unpadded) return begin() + timeloop::write_nest(mapping, einsum, architecture);
    return begin_layers() + entry_text(names, mapping, einsum, unpadded, architecture);
}

std::string mapping_file(const report::Report& report) {
    // What has a cost and no mapping does not run on the array.
    std::vector<report::LayerResult> layers;
    std::ranges::copy_if(report.layers, std::back_inserter(layers), [](const report::LayerResult& layer) {
        return layer.mapping.has_value() || !layer.evaluation.has_value();
    });
    if (layers.size() == 1) {
        const report::LayerResult& layer = layers.front();
        if (!layer.mapping) return "";
        return shape_mapping_file(layer.names, *layer.mapping, layer.einsum, layer.unpadded.value_or(layer.einsum),
                                  report.architecture);
    }
    std::string text = begin_layers();
    for (const report::LayerResult& layer : layers) {
        if (!layer.mapping) {
            text += "  # no mapping of " + quoted_text(layer.names.front()) + "\n";
            continue;
        }
        text += entry_text(layer.names, *layer.mapping, layer.einsum, layer.unpadded.value_or(layer.einsum),
                           report.architecture);
    }
    return text;
}

bool has_mappings(const yaml::Node& root) { return root.has("mapping") || root.has("layers"); }

std::vector<LayerMapping> read_mapping_file(const yaml::Node& root, const Network& network,
                                            const Architecture& architecture, timeloop::Remainders remainders,
                                            const std::set<std::string>& left_out) {
    check_schema(root);
    std::map<int, timeloop::PlacedMapping> mappings;
    if (root.has("mapping")) {
        if (distinct_layers(network).size() != 1)
            root.at("mapping").fail(ErrorCode::bad_value, "one mapping for the " +
                                                              std::to_string(network.layers.size()) + " layers of '" +
                                                              network.name + "'; choose one of them");
        const timeloop::PlacedMapping mapping =
            timeloop::read_placed_mapping(root, network.layers[0].einsum, architecture, remainders);
        for (int l = 0; l < static_cast<int>(network.layers.size()); ++l) mappings[l] = mapping;
    } else {
        for (const yaml::Node& entry : root.at("layers").items())
            read_entry(entry, network, architecture, remainders, left_out, mappings);
    }
    std::vector<LayerMapping> all;
    all.reserve(mappings.size());
    for (auto& [layer, read] : mappings) all.push_back({layer, std::move(read.mapping), std::move(read.places)});
    return all;
}

std::vector<int> layers_without(const std::vector<LayerMapping>& mappings, const Network& network) {
    std::vector<int> without;
    for (int l = 0; l < static_cast<int>(network.layers.size()); ++l)
        if (std::ranges::find(mappings, l, &LayerMapping::layer) == mappings.end()) without.push_back(l);
    return without;
}

}  // namespace tilewright
