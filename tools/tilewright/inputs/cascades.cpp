#include "inputs/cascades.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <filesystem>

#include "base/files/file.hpp"
#include "base/notes.hpp"
#include "inputs/assignments.hpp"
#include "onnx/onnx.hpp"
#include "output/output.hpp"
#include "run/evaluate_layer.hpp"
#include "workload/cascade/text.hpp"
#include "workload/zoo/cascades.hpp"

namespace tilewright::cli {
namespace {

bool is_onnx_file(const std::string& name) { return name.ends_with(".onnx"); }

bool is_zoo_network(const std::string& name) {
    return std::ranges::any_of(zoo_networks(), [&](const ZooEntry& entry) { return entry.name == name; });
}

std::optional<Phase> phase_of(const InputOptions& options) {
    if (options.phase.empty()) return std::nullopt;
    return options.phase == "decode" ? Phase::decode : Phase::prefill;
}

void refuse_not_covered(const Cascade& cascade) {
    for (const NotCovered& rest : cascade.not_covered)
        if (rest.computes)
            throw InputError(ErrorCode::unsupported, {},
                             fmt::format("--strict: operator '{}' ({}) of '{}' is not covered: {}", rest.name, rest.op,
                                         cascade.name, rest.reason));
}

}  // namespace

bool is_cascade_file(const std::string& name) { return name.ends_with(".cascade"); }

bool is_cascade(const std::string& verb, const InputOptions& options, const std::string& net) {
    const bool only = is_cascade_file(net) || (is_zoo_cascade(net) && !is_zoo_network(net));
    const bool may = is_zoo_cascade(net) || is_onnx_file(net);
    if (options.cascade && !only && !may)
        fail_usage(verb, "--cascade: '" + net + "' is known as separate layers only; ONNX files, cascade files and " +
                             "the networks of the zoo are cascades");
    const bool is_one = only || (may && options.cascade);
    if (!options.phase.empty() && !(is_one && is_zoo_cascade(net)))
        fail_usage(verb, "--phase is for the zoo's language models: '" + net + "' has no phases" +
                             (may && !is_onnx_file(net) ? " (with --cascade it is one of them)" : ""));
    return is_one;
}

bool has_cascade_text(const InputOptions& options) { return is_cascade_text(options.einsum); }

Cascade read_cascade(const std::string& verb, const InputOptions& options, const std::string& net,
                     std::vector<std::string>& notes) {
    if (is_cascade_file(net))
        return parse_cascade(read_file(net, most_input_bytes(options.largest_input_mib, net)), {},
                             std::filesystem::path(net).stem().string(), net);
    if (!is_onnx_file(net)) return zoo_cascade(net, assignments(verb, "--dim", options.dims), phase_of(options));
    onnx::ReadOptions reading;
    reading.dimensions = assignments(verb, "--dim", options.dims);
    Notes heard;
    reading.notes = &heard;
    Cascade cascade = onnx::read_onnx_cascade(net, reading);
    for (std::string& note : heard.texts()) notes.push_back(std::move(note));
    if (options.strict) refuse_not_covered(cascade);
    return cascade;
}

Cascade cascade_of_text(const std::string& verb, const InputOptions& options) {
    std::vector<std::pair<std::string, std::int64_t>> extents;
    for (const auto& [name, extent] : assignments(verb, "--extents", options.extents))
        extents.emplace_back(name, extent);
    return parse_cascade(options.einsum, extents, "einsum");
}

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
