// Network: by name, from ONNX or a problem file, or one einsum.
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/files/file.hpp"
#include "base/notes.hpp"
#include "base/numbers/hash.hpp"
#include "base/version.hpp"
#include "native/network.hpp"
#include "onnx/onnx.hpp"
#include "parts.hpp"
#include "report/cascade/cascade.hpp"
#include "report/json.hpp"
#include "report/show_text.hpp"
#include "run/words.hpp"
#include "scalesim/topology.hpp"
#include "timeloop/files/load.hpp"
#include "timeloop/machine/read_over.hpp"
#include "timeloop/problem/problem.hpp"
#include "values.hpp"
#include "work.hpp"
#include "workload/cascade/layers.hpp"
#include "workload/cascade/text.hpp"
#include "workload/einsum_text.hpp"
#include "workload/network.hpp"
#include "workload/widths.hpp"
#include "workload/zoo/cascades.hpp"
#include "workload/zoo/zoo.hpp"

namespace tilewright::python {
namespace {

using Extents = std::map<std::string, std::int64_t>;

ReadNetwork single_layer(const std::string& name, Einsum einsum) {
    ReadNetwork read;
    read.network.name = name;
    read.network.layers.push_back({name, "Einsum", std::move(einsum), 1, {}});
    return read;
}

// Einsum by einsum. `phase`: of a language model; "" is its own.
ReadNetwork of_cascade(const std::string& name, const Extents& dims, const std::string& phase) {
    std::optional<Phase> asked;
    if (!phase.empty() && phase != "prefill" && phase != "decode")
        throw InputError(ErrorCode::usage, {}, "phase is prefill or decode, not '" + phase + "'");
    if (!phase.empty()) asked = phase == "decode" ? Phase::decode : Phase::prefill;
    const Cascade cascade = zoo_cascade(name, dims, asked);
    ReadNetwork read{.network = network_of(cascade)};
    read.inputs = {{"zoo:" + name, content_hash(report::cascade_json(cascade))}};
    return read;
}

bool is_of_layers(const std::string& name) {
    for (const ZooEntry& entry : zoo_networks())
        if (entry.name == name) return true;
    return false;
}

ReadNetwork named(const std::string& name, const Extents& dims, const std::string& phase) {
    const bool cascade = is_zoo_cascade(name) && !is_of_layers(name);
    if (!cascade && !phase.empty())
        throw InputError(ErrorCode::usage, {}, "phase is about a language model, which '" + name + "' is not");
    if (cascade) return of_cascade(name, dims, phase);
    ReadNetwork read{.network = zoo_network(name, dims)};
    read.inputs = {{"zoo:" + name, content_hash(report::show_json(nullptr, &read.network))}};
    return read;
}

std::vector<LayerWeights> counted_weights(const std::string& model, const std::string& file, const Extents& dims) {
    std::vector<onnx::CountedWeights> counted;
    const Network network = onnx::read_onnx_bytes(model, file, {.dimensions = dims, .weights = &counted});
    std::vector<LayerWeights> weights;
    for (const onnx::CountedWeights& one : counted)
        weights.push_back(
            {network.layers.at(one.layer).name, file, one.name, one.tensor, one.nonzero, one.elements, one.uncounted});
    return weights;
}

ReadNetwork from_onnx(const std::filesystem::path& file, const Extents& dims) {
    Notes notes;
    ReadNetwork read{.network = onnx::read_onnx(file, {.dimensions = dims, .notes = &notes})};
    read.inputs = {{file.string(), content_hash(read_file(file, kAnySize))}};
    read.notes = notes.texts();
    read.weights = [file, dims] { return counted_weights(read_file(file, kAnySize), file.string(), dims); };
    return read;
}

// A model in memory; `name` stands for its file.
ReadNetwork from_onnx_bytes(const py::bytes& model, const std::string& name, const Extents& dims) {
    const auto bytes = std::make_shared<const std::string>(model);
    return patiently_run([&] {
        Notes notes;
        ReadNetwork read{.network = onnx::read_onnx_bytes(*bytes, name, {.dimensions = dims, .notes = &notes})};
        read.inputs = {{name, content_hash(*bytes)}};
        read.notes = notes.texts();
        read.weights = [bytes, name, dims] { return counted_weights(*bytes, name, dims); };
        return read;
    });
}

// What Timeloop's files say as a `problem`, or our own as a `network`, in the words of `text`.
ReadNetwork of_problem(const yaml::Node& loaded, const std::string& text, const std::filesystem::path& file) {
    Notes notes;
    const yaml::Node whole = timeloop::read_over(loaded, {}, notes);
    Notes unused;
    const yaml::Node root = timeloop::read_over(whole, {.strict = false, .dense = true, .quiet = true}, unused);
    ReadNetwork read = root.has("network")
                           ? ReadNetwork{.network = joined({native::read_network(root.at("network"))})}
                           : single_layer(file.stem().string(), timeloop::read_problem(root, {file.parent_path()}));
    read.inputs = {{file.string(), content_hash(text)}};
    read.notes = notes.texts();
    read.problem = whole;
    return read;
}

ReadNetwork from_problem(const std::filesystem::path& file) {
    return of_problem(timeloop::load({file}), read_file(file), file);
}

ReadNetwork from_problem_text(const std::string& text, const std::string& name) {
    return of_problem(timeloop::load_text(text, name), text, name);
}

// SCALE-Sim's table of layers.
ReadNetwork from_topology(const std::filesystem::path& file) {
    const std::string text = read_file(file);
    Notes notes;
    ReadNetwork read{.network = scalesim::read_topology(text, file.string(), notes)};
    read.notes = notes.texts();
    read.inputs = {{file.string(), content_hash(text)}};
    return read;
}

ReadNetwork from_cascade(const std::filesystem::path& file) {
    const std::string text = read_file(file);
    ReadNetwork read{.network = network_of(parse_cascade(text, {}, file.stem().string(), file.string()))};
    read.inputs = {{file.string(), content_hash(text)}};
    return read;
}

ReadNetwork from_einsum(const std::string& text, const std::vector<std::pair<std::string, std::int64_t>>& extents,
                        const std::string& name) {
    if (is_cascade_text(text)) return {.network = network_of(parse_cascade(text, extents, name))};
    return single_layer(name, parse_einsum(text, extents));
}

// Unrelated layers, each as name, einsum, extents and how often it runs.
using LayerText = std::tuple<std::string, std::string, std::vector<std::pair<std::string, std::int64_t>>, std::int64_t>;

ReadNetwork of_layers(const std::vector<LayerText>& layers, const std::string& name) {
    ReadNetwork read;
    read.network.name = name;
    for (const auto& [layer, text, extents, repeats] : layers) {
        if (is_cascade_text(text))
            throw InputError(ErrorCode::usage, {}, "layer '" + layer + "': one einsum a layer; a cascade is a network");
        try {
            read.network.layers.push_back({layer, "Einsum", parse_einsum(text, extents), repeats, {}});
        } catch (const InputError& error) {
            throw InputError(error.code(), error.where(), "layer '" + layer + "': " + error.message());
        }
    }
    name_layers_apart(read.network);
    return read;
}

// All of them as one, as several --net are. What files say of zeros, and counts of weights, are of a network alone.
ReadNetwork join(const std::vector<ReadNetwork>& all) {
    if (all.size() == 1) return all.front();
    ReadNetwork joint;
    std::vector<Network> networks;
    bool any_words = false;
    for (const ReadNetwork& one : all) {
        networks.push_back(one.network);
        any_words = any_words || !one.words.empty();
        if (!one.bits.empty()) joint.bits += (joint.bits.empty() ? "" : ",") + one.bits;
        joint.inputs.insert(joint.inputs.end(), one.inputs.begin(), one.inputs.end());
        joint.notes.insert(joint.notes.end(), one.notes.begin(), one.notes.end());
    }
    for (const ReadNetwork& one : all)
        for (std::size_t i = 0; any_words && i < one.network.layers.size(); ++i)
            joint.words.push_back(one.words.empty() ? Words{} : one.words[i]);
    joint.network = joined(std::move(networks));
    return joint;
}

// What `argument` asks for and the network lacks.
template <class Work>
void about(const std::string& argument, const Work& work) {
    try {
        work();
    } catch (const InputError& error) {
        throw InputError(ErrorCode::usage, {}, argument + ": " + error.message());
    }
}

ReadNetwork select(const ReadNetwork& read, const std::vector<std::string>& patterns) {
    ReadNetwork selected = read;
    about("layers", [&] { selected.network = select_layers(read.network, patterns); });
    for (const Layer& layer : read.network.layers)
        if (std::ranges::find(selected.network.layers, layer.name, &Layer::name) == selected.network.layers.end())
            selected.left_out.insert(layer.name);
    if (read.words.empty()) return selected;
    selected.words.clear();
    for (const Layer& layer : selected.network.layers) {
        const auto same = std::ranges::find(read.network.layers, layer.name, &Layer::name);
        selected.words.push_back(read.words[same - read.network.layers.begin()]);
    }
    return selected;
}

ReadNetwork with_bits(const ReadNetwork& read, const BitTexts& bits, const std::string& layers) {
    const std::vector<TensorWidth> widths = widths_of(bits, layers);
    ReadNetwork wide = read;
    wide.bits = bits_text(read.bits, bits, layers);
    about("bits", [&] {
        set_widths(wide.network, widths);
        set_words(wide.network, widths, wide.words);
    });
    return wide;
}

std::vector<std::string> zoo_names() {
    std::vector<std::string> names;
    for (const ZooEntry& entry : zoo_networks()) names.push_back(entry.name);
    for (const ZooEntry& entry : zoo_cascades())
        if (!is_of_layers(entry.name)) names.push_back(entry.name);
    return names;
}

py::list layers_of(const ReadNetwork& read) {
    py::list layers;
    for (const Layer& layer : read.network.layers)
        layers.append(py::make_tuple(layer.name, layer.op, layer.repeats, operation_count(layer.einsum),
                                     to_text(layer.einsum), report::extents_text(layer.einsum)));
    return layers;
}

py::list unmapped_of(const ReadNetwork& read) {
    py::list operators;
    for (const UnmappedOperator& one : read.network.unmapped)
        operators.append(py::make_tuple(one.name, one.op, one.reason));
    return operators;
}

}  // namespace

void bind_networks(py::module_& module) {
    py::class_<ReadNetwork>(module, "Network")
        .def_property_readonly("name", [](const ReadNetwork& read) { return read.network.name; })
        .def_property_readonly("layers", &layers_of)
        .def_property_readonly("identity", &identity_of)
        .def_property_readonly("unmapped", &unmapped_of)
        .def_readonly("notes", &ReadNetwork::notes)
        .def("select", &select, py::arg("patterns"), py::call_guard<py::gil_scoped_release>())
        .def("with_bits", patiently(&with_bits), py::arg("bits"), py::arg("layers"))
        .def("json", [](const ReadNetwork& read) { return report::show_json(nullptr, &read.network); })
        .def("text", [](const ReadNetwork& read) { return report::network_text(read.network); });
    module.def("named_network", patiently(&named), py::arg("name"), py::arg("dims"), py::arg("phase"));
    module.def("network_from_onnx", patiently(&from_onnx), py::arg("file"), py::arg("dims"));
    module.def("network_from_onnx_bytes", &from_onnx_bytes, py::arg("model"), py::arg("name"), py::arg("dims"));
    module.def("network_from_problem_text", patiently(&from_problem_text), py::arg("text"), py::arg("name"));
    // Milliseconds: a thread that hears Ctrl-C meanwhile would take longer to begin.
    module.def("network_of_layers", &of_layers, py::arg("layers"), py::arg("name"),
               py::call_guard<py::gil_scoped_release>());
    module.def("join_networks", patiently(&join), py::arg("networks"));
    module.def("network_from_problem", patiently(&from_problem), py::arg("file"));
    module.def("network_from_cascade", patiently(&from_cascade), py::arg("file"));
    module.def("network_from_topology", patiently(&from_topology), py::arg("file"));
    module.def("network_from_einsum", patiently(&from_einsum), py::arg("text"), py::arg("extents"), py::arg("name"));
    module.def("zoo_networks", &zoo_names);
}

std::string identity_of(const ReadNetwork& read) {
    std::string text = report::show_json(nullptr, &read.network);
    for (const Words& layer : read.words) {
        text += ';';
        for (const std::int64_t bits : layer.partial_bits) text += std::to_string(bits) + "/";
        for (const BlockFormat& one : layer.blocks)
            text += std::to_string(one.words) + ":" + std::to_string(one.scale_bits) + ",";
    }
    if (!read.problem.is_null() || read.weights)  // they may say what is zero
        for (const report::Input& one : read.inputs) text += one.xxh3;
    return content_hash(text);
}

std::vector<TensorWidth> widths_of(const BitTexts& bits, const std::string& layers) {
    std::vector<TensorWidth> widths;
    for (const auto& [tensor, text] : bits) widths.push_back(parse_width("bits", layers, tensor, text));
    return widths;
}

std::string bits_text(const std::string& before, const BitTexts& bits, const std::string& layers) {
    std::string all = before;
    for (const auto& [tensor, text] : bits)
        all += (all.empty() ? "" : ",") + (layers == "*" ? "" : layers + ":") + tensor + "=" + text;
    return all;
}

void refuse_words(const ReadNetwork& network, const std::string& what) {
    for (std::size_t i = 0; i < network.words.size(); ++i) {
        const Layer& layer = network.network.layers[i];
        if (const std::string words = unusual_words_in(layer.einsum, network.words[i]); !words.empty())
            throw InputError(ErrorCode::usage, {},
                             "layer '" + layer.name + "' has " + words + ", and " + what +
                                 " words of a width of their own each (bits)");
    }
}

void refuse_blocks(const ReadNetwork& network, const std::string& what) {
    ReadNetwork blocks{.network = network.network, .words = network.words};
    for (Words& words : blocks.words) words.partial_bits.clear();
    refuse_words(blocks, what);
}

report::Provenance provenance_of(const std::string& command, const Machine& machine, const ReadNetwork& network) {
    report::Provenance provenance;
    provenance.tool_version = build_version();
    provenance.command = command;
    provenance.inputs = machine.inputs();
    provenance.inputs.insert(provenance.inputs.end(), network.inputs.begin(), network.inputs.end());
    return provenance;
}

std::vector<std::string> notes_of(const Machine& machine, const ReadNetwork& network) {
    std::vector<std::string> notes = machine.notes();
    notes.insert(notes.end(), network.notes.begin(), network.notes.end());
    for (std::string& note : machine.notes_about(network.network)) notes.push_back(std::move(note));
    return notes;
}

}  // namespace tilewright::python
