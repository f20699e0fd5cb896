#include "mappings.hpp"

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "frontend/timeloop/machine/architecture.hpp"
#include "frontend/timeloop/mapping/mapping.hpp"
#include "mapping/uneven.hpp"

namespace tilewright::cli {
namespace {

// One entry of `layers`: names, mapping. Layers that the user left out are passed over.
void read_entry(const yaml::Node& entry, const Inputs& inputs, const Network& network, const Architecture& architecture,
                std::map<int, Mapping>& mappings) {
    entry.expect_keys({"names", "mapping"});
    std::vector<std::string> known;
    known.reserve(network.layers.size());
    for (const Layer& layer : network.layers) known.push_back(layer.name);
    for (const yaml::Node& name : entry.at("names").items()) {
        if (inputs.left_out(name.text())) continue;
        const auto found = std::find(known.begin(), known.end(), name.text());
        if (found == known.end())
            name.fail(ErrorCode::unknown_name, "network '" + network.name + "' has no layer '" + name.text() + "'" +
                                                   did_you_mean(name.text(), known));
        const int index = static_cast<int>(found - known.begin());
        if (mappings.contains(index))
            name.fail(ErrorCode::duplicate_key, "layer '" + name.text() + "' has two mappings");
        mappings[index] =
            timeloop::read_mapping(entry, network.layers[index].einsum, architecture, inputs.remainders());
    }
}

// Timeloop's mappings may bypass the outermost memory; what is outside of the first one that keeps a tensor then costs
// nothing, which the reader of the numbers should know.
std::vector<std::string> homeless_notes(const Einsum& einsum, const Architecture& architecture,
                                        const Mapping& mapping) {
    std::vector<std::string> notes;
    const std::vector<MappingLevel> levels = owned_levels(mapping, architecture.memory_count());
    const auto outermost = std::find_if(architecture.memories.begin(), architecture.memories.end(),
                                        [](const Memory& memory) { return !memory.spreads_only; });
    if (outermost == architecture.memories.end()) return notes;
    const MappingLevel& level = levels[static_cast<std::size_t>(outermost - architecture.memories.begin())];
    for (int t = 0; t < einsum.tensor_count(); ++t)
        if (!level.keep.has(t))
            notes.push_back("'" + outermost->name + "', the outermost memory, bypasses '" +
                            einsum.tensors[static_cast<std::size_t>(t)].name + "': its way from there is not counted");
    return notes;
}

}  // namespace

std::vector<std::string> notes_about(Inputs& inputs, const Layer& layer, const Architecture& architecture,
                                     const Mapping& mapping, const std::string& account) {
    std::vector<std::string> notes;
    if (account == "exact" && !mapping.options.empty())
        notes.emplace_back("the exact accounting ignores the switches of the mapping (no_multicast and the like)");
    for (std::string& note : homeless_notes(layer.einsum, architecture, mapping)) notes.push_back(std::move(note));
    try {
        static_cast<void>(inputs.constraints(architecture, layer.einsum));
    } catch (const InputError& error) {
        const Location& where = error.where();
        notes.push_back(where.file + ":" + std::to_string(where.line) +
                        ": the constraints do not fit this layer: " + error.message());
    }
    return notes;
}

bool has_mappings(const yaml::Node& root) { return root.has("mapping") || root.has("layers"); }

std::vector<int> layers_without(const std::vector<LayerMapping>& mappings, const Network& network) {
    std::vector<int> without;
    for (int l = 0; l < static_cast<int>(network.layers.size()); ++l)
        if (std::ranges::find(mappings, l, &LayerMapping::first) == mappings.end()) without.push_back(l);
    return without;
}

std::vector<LayerMapping> read_mappings(const Inputs& inputs, const Network& network,
                                        const Architecture& architecture) {
    const yaml::Node& root = inputs.root();
    std::map<int, Mapping> mappings;
    if (root.has("mapping")) {
        if (network.layers.size() != 1)
            root.at("mapping").fail(ErrorCode::bad_value, "one mapping for the " +
                                                              std::to_string(network.layers.size()) + " layers of '" +
                                                              network.name + "'; choose one with --layers");
        mappings[0] = timeloop::read_mapping(root, network.layers[0].einsum, architecture, inputs.remainders());
    } else {
        for (const yaml::Node& entry : root.at("layers").items())
            read_entry(entry, inputs, network, architecture, mappings);
    }
    return {mappings.begin(), mappings.end()};
}

}  // namespace tilewright::cli
