#include "run/mapping_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.hpp"

namespace tilewright {
namespace {

// A YAML scalar in double quotes.
std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (static_cast<unsigned char>(c) < 0x20)
            out += fmt::format("\\x{:02x}", static_cast<int>(c));
        else
            out += c;
    }
    return out + "\"";
}

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
                std::map<int, Mapping>& mappings) {
    entry.expect_keys({"names", "mapping"});
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
        mappings[index] = timeloop::read_mapping(entry, network.layers[index].einsum, architecture, remainders);
    }
}

}  // namespace

std::string mapping_file(const report::Report& report) {
    if (report.layers.size() == 1) {
        const report::LayerResult& layer = report.layers.front();
        return layer.mapping ? timeloop::write_mapping(*layer.mapping, layer.einsum, report.architecture) : "";
    }
    std::string text =
        "# One mapping per layer shape; `tilewright evaluate` reads it beside the same network and machine.\nlayers:\n";
    for (const report::LayerResult& layer : report.layers) {
        if (!layer.mapping) {
            text += "  # no mapping of " + quoted(layer.names.front()) + "\n";
            continue;
        }
        text += "  - names:\n";
        for (const std::string& name : layer.names) text += "      - " + quoted(name) + "\n";
        text += indented(timeloop::write_mapping(*layer.mapping, layer.einsum, report.architecture), "    ");
    }
    return text;
}

bool has_mappings(const yaml::Node& root) { return root.has("mapping") || root.has("layers"); }

std::vector<LayerMapping> read_mapping_file(const yaml::Node& root, const Network& network,
                                            const Architecture& architecture, timeloop::Remainders remainders,
                                            const std::set<std::string>& left_out) {
    std::map<int, Mapping> mappings;
    if (root.has("mapping")) {
        if (network.layers.size() != 1)
            root.at("mapping").fail(ErrorCode::bad_value, "one mapping for the " +
                                                              std::to_string(network.layers.size()) + " layers of '" +
                                                              network.name + "'; choose one of them");
        mappings[0] = timeloop::read_mapping(root, network.layers[0].einsum, architecture, remainders);
    } else {
        for (const yaml::Node& entry : root.at("layers").items())
            read_entry(entry, network, architecture, remainders, left_out, mappings);
    }
    return {mappings.begin(), mappings.end()};
}

std::vector<int> layers_without(const std::vector<LayerMapping>& mappings, const Network& network) {
    std::vector<int> without;
    for (int l = 0; l < static_cast<int>(network.layers.size()); ++l)
        if (std::ranges::find(mappings, l, &LayerMapping::first) == mappings.end()) without.push_back(l);
    return without;
}

}  // namespace tilewright
