#include "inputs/mappings.hpp"

#include "run/mapping_notes.hpp"

namespace tilewright::cli {

std::vector<std::string> notes_about(Inputs& inputs, const Layer& layer, const Architecture& architecture,
                                     const Mapping& mapping, const std::string& account) {
    return mapping_notes(layer, architecture, mapping, rules_named(account).value_or(Rules::exact),
                         [&](const Einsum& einsum) { return inputs.constraints(architecture, einsum); });
}

std::vector<LayerMapping> read_mappings(const Inputs& inputs, const Network& network,
                                        const Architecture& architecture) {
    return read_mapping_file(inputs.root(), network, architecture, inputs.remainders(), inputs.left_out());
}

std::vector<LayerMapping> given_mappings(const std::string& verb, const Inputs& inputs, const Network& network,
                                         const Architecture& architecture) {
    if (!has_mappings(inputs.root())) fail_usage(verb, "no mapping: give a file with 'mapping'");
    std::vector<LayerMapping> mappings = read_mappings(inputs, network, architecture);
    if (mappings.empty()) fail_usage(verb, "the files hold no mapping of the layers of '" + network.name + "'");
    return mappings;
}

}  // namespace tilewright::cli
