#include "inputs/dataflow_inputs.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <variant>

#include "base/error.hpp"
#include "base/files/file.hpp"
#include "inputs/assignments.hpp"
#include "inputs/cascades.hpp"
#include "maestro/cost/cost.hpp"
#include "maestro/dataflow/problem.hpp"
#include "maestro/files/document.hpp"
#include "run/composition.hpp"

namespace tilewright::cli {
namespace {

std::vector<std::string> take_dataflow_files(std::vector<std::string>& names) {
    std::vector<std::string> taken;
    std::vector<std::string> others;
    for (std::string& name : names) (is_dataflow_file(name) ? taken : others).push_back(std::move(name));
    names = std::move(others);
    return taken;
}

dataflow::Parameters parameters_in(const std::string& verb, const std::vector<std::string>& sizes) {
    dataflow::Parameters parameters;
    for (const std::string& text : sizes) {
        const auto [name, value] = assignment(verb, "--size", text);
        parameters[name] = value;
    }
    return parameters;
}

void add_layers(const Network& network, DataflowInputs& given) {
    for (const Layer& layer : network.layers) {
        auto made = dataflow::layer_of(layer.einsum);
        if (const auto* reason = std::get_if<std::string>(&made)) {
            given.notes.push_back("layer '" + layer.name + "' has no form in the notation: " + *reason);
            given.missing_layers += layer.repeats;
            continue;
        }
        given.layers.push_back(std::get<dataflow::Layer>(std::move(made)));
        given.layers.back().name = layer.name;
        given.layers.back().repeats = layer.repeats;
    }
}

dataflow::Dataflow dataflow_named(const std::string& verb, const std::string& name) {
    if (!is_dataflow_file(name)) return maestro::named_dataflow(name);
    const maestro::Document document = maestro::read(read_file(name), name);
    if (document.dataflows.size() == 1) return document.dataflows.front();
    const auto has = [](const dataflow::Layer& layer) { return layer.dataflow.has_value(); };
    const auto layer = std::find_if(document.layers.begin(), document.layers.end(), has);
    if (document.dataflows.empty() && layer != document.layers.end()) return *layer->dataflow;
    fail_usage(verb, "'" + name + "' has to hold one Dataflow, found " + std::to_string(document.dataflows.size()));
}

// --dataflow for all layers; else a layer without one has that of the layer before.
void give_dataflows(const std::string& verb, const DataflowOptions& options, DataflowInputs& given) {
    const dataflow::Dataflow* before = nullptr;
    dataflow::Dataflow named;
    if (!options.dataflow.empty()) named = dataflow_named(verb, options.dataflow);
    for (dataflow::Layer& layer : given.layers) {
        if (!options.dataflow.empty())
            layer.dataflow = fitted(named, layer, given.parameters);
        else if (!layer.dataflow && before != nullptr)
            layer.dataflow = fitted(*before, layer, given.parameters);
        if (layer.dataflow) before = &*layer.dataflow;
    }
}

}  // namespace

std::vector<std::int64_t> repeats_of(const std::vector<dataflow::Layer>& layers) {
    std::vector<std::int64_t> repeats;
    for (const dataflow::Layer& layer : layers) repeats.push_back(layer.repeats);
    return repeats;
}

// Words become bytes.
dataflow::Hardware hardware_of(const Architecture& architecture) {
    dataflow::Hardware hardware;
    hardware.units = architecture.compute.instances;
    hardware.operand_bytes = hardware.sum_bytes = std::max<std::int64_t>(architecture.compute.word_bits / 8, 1);
    const Memory* l2 = nullptr;
    const Memory* l1 = nullptr;
    for (const Memory& memory : architecture.memories) {
        if (memory.is_dram || memory.spreads_only) continue;
        if (l2 == nullptr) l2 = &memory;
        l1 = &memory;
    }
    const auto bytes = [](const Memory& memory) -> std::optional<std::int64_t> {
        if (!memory.capacity_words) return std::nullopt;
        return std::max<std::int64_t>((*memory.capacity_words - memory.reserved_words) * memory.word_bits / 8, 1);
    };
    if (l1 != nullptr) hardware.l1_bytes = bytes(*l1);
    if (l2 == nullptr) return hardware;
    hardware.l2_bytes = bytes(*l2);
    if (const auto& words = l2->read_words_per_cycle)
        hardware.noc_bytes_per_cycle =
            std::max<std::int64_t>(static_cast<std::int64_t>(*words * static_cast<double>(l2->word_bits) / 8.0), 1);
    return hardware;
}

DataflowInputs read_dataflows(const std::string& verb, InputOptions inputs, const DataflowOptions& options) {
    DataflowInputs given;
    given.parameters = parameters_in(verb, options.sizes);
    std::vector<std::string> files = take_dataflow_files(inputs.files);
    std::vector<std::string> nets = take_dataflow_files(inputs.nets);
    files.insert(files.end(), nets.begin(), nets.end());
    if (is_dataflow_file(inputs.arch)) files.push_back(std::exchange(inputs.arch, ""));
    std::vector<maestro::Document> documents;
    for (const std::string& file : files)
        documents.push_back(maestro::read(read_file(file, most_input_bytes(inputs.largest_input_mib, file)), file));
    given.document = maestro::merge(std::move(documents));
    given.notes = maestro::notes_about(given.document, inputs.strict);
    if (given.document.network.empty() && !given.document.layers.empty())
        given.document.network = std::filesystem::path(files.front()).stem().string();
    const std::vector<std::string> patterns = std::exchange(inputs.layers, {});
    Inputs others(verb, inputs);
    if (has_mappings(others.root())) fail_usage(verb, "a mapping and --dataflow exclude each other: give one of them");
    given.layers = given.document.layers;
    if (others.has_network()) {
        const Network network = others.network_of_one_width("dataflows know");
        if (given.document.network.empty()) given.document.network = network.name;
        add_layers(network, given);
    }
    given.has_hardware = given.document.hardware.has_value() || others.has_architecture();
    if (given.document.hardware) {
        given.hardware = *given.document.hardware;
    } else if (others.has_architecture()) {
        given.machine = others.architecture();
        std::vector<Capability> together = capabilities_of(*given.machine);
        together.push_back(Capability::dataflows);
        refuse_for(verb, refusal(together));
        given.hardware = hardware_of(*given.machine);
    }
    for (const dataflow::Layer& layer : given.layers)
        if (!has_output(layer))
            throw InputError(ErrorCode::bad_value, layer.where,
                             "layer '" + layer.name + "' has no output: its filter is larger than its input");
    give_dataflows(verb, options, given);
    if (patterns.empty()) return given;
    InputOptions only;
    only.layers = patterns;
    std::vector<std::string> names;
    for (const dataflow::Layer& layer : given.layers) names.push_back(layer.name);
    const std::vector<bool> wanted = Inputs(verb, only).wanted(names, given.document.network);
    std::size_t index = 0;
    std::erase_if(given.layers, [&](const dataflow::Layer&) { return !wanted[index++]; });
    given.missing_layers = 0;  // what was asked for by name is there
    return given;
}

void require_problem(const std::string& verb, const DataflowInputs& given) {
    if (given.layers.empty()) fail_usage(verb, "no layer: give a file with a Network, or --net");
    if (!given.has_hardware) fail_usage(verb, "no machine: give a hardware file (num_pes: 256), or --arch");
}

void require_layers(const std::string& verb, const DataflowInputs& given) {
    require_problem(verb, given);
    for (const dataflow::Layer& layer : given.layers)
        if (!layer.dataflow)
            throw InputError(ErrorCode::missing_key, layer.where,
                             "layer '" + layer.name + "' has no Dataflow; --dataflow gives it one");
}

void close_sizes(DataflowInputs& given) {
    for (dataflow::Layer& layer : given.layers)
        for (dataflow::Directive& directive : layer.dataflow->directives)
            for (dataflow::Size* size : {&directive.size, &directive.offset})
                for (dataflow::SizeTerm& term : size->postfix)
                    if (const auto* name = std::get_if<std::string>(&term))
                        if (const auto found = given.parameters.find(*name); found != given.parameters.end())
                            term = found->second;
}

}  // namespace tilewright::cli
