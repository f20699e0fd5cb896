#include "verbs/convert/convert_formats.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "accelforge/forms/write.hpp"
#include "base/error.hpp"
#include "inputs/cascades.hpp"
#include "mapping/validity.hpp"
#include "native/network.hpp"
#include "run/zigzag/problem.hpp"
#include "timeloop/machine/architecture.hpp"
#include "timeloop/mapping/mapping.hpp"
#include "timeloop/write/write_machine.hpp"
#include "workload/layer_roles.hpp"
#include "workload/shapes.hpp"
#include "workload/widths.hpp"
#include "zigzag/files/mapping.hpp"
#include "zigzag/files/write.hpp"
#include "zigzag/forms/translate.hpp"

namespace tilewright::cli {
namespace {

constexpr const char* kConvert = "convert";

void append(Converted& into, Converted more) {
    const auto move_into = [](auto& all, auto& some) {
        all.insert(all.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
    };
    move_into(into.files, more.files);
    move_into(into.notes, more.notes);
    move_into(into.failures, more.failures);
}

// --- Timeloop ---

// What Timeloop's directives have no words for: written as a list of stores and loops, which only Tilewright reads.
std::string unsaid_by_directives(const Mapping& mapping, const Einsum& einsum) {
    std::uint32_t across = 0;  // of this fan-out
    for (const auto& node : mapping.nodes) {
        const Loop* loop = std::get_if<Loop>(&node);
        if (loop == nullptr) across = 0;
        if (loop == nullptr || !loop->is_spatial()) continue;
        const std::uint32_t bit = 1U << static_cast<std::uint32_t>(loop->dimension);
        if ((across & bit) != 0)
            return fmt::format("'{}' is spread twice over one fan-out, as along X and along Y",
                               einsum.dimensions[loop->dimension].name);
        across |= bit;
    }
    return "its stores or the order of its spatial loops";
}

Converted mapping_files(Inputs& inputs, const Network& network, const Architecture& architecture) {
    Converted converted;
    FileNames taken;
    for (const auto& [index, mapping, places] : read_mappings(inputs, network, architecture)) {
        const Layer& layer = network.layers[index];
        if (!timeloop::directives_can_say(mapping, architecture)) {
            converted.failures.push_back(
                fmt::format("{}: no mapping of Timeloop's: it cannot say {}; --to mapping writes it for Tilewright",
                            layer.name, unsaid_by_directives(mapping, layer.einsum)));
            continue;
        }
        converted.files.emplace_back(file_name(layer.name, taken) + ".mapping.yaml",
                                     timeloop::write_mapping(mapping, layer.einsum, architecture));
    }
    return converted;
}

// --- ZigZag ---

using Held = std::vector<std::vector<zigzag::MemoryOperand>>;

// A layer that runs several times becomes several layers: a workload has no word for repeats.
Network with_repeats(const Network& network) {
    Network result = network;
    result.layers.clear();
    std::vector<int> place;
    for (const Layer& layer : network.layers) {
        place.push_back(static_cast<int>(result.layers.size()));
        for (std::int64_t i = 0; i < layer.repeats; ++i) {
            Layer one = layer;
            one.repeats = 1;
            if (i > 0) one.name += fmt::format(".{}", i + 1);
            for (int& feeder : one.feeds_from) feeder = place[feeder];
            result.layers.push_back(std::move(one));
        }
    }
    return result;
}

// Where its layers' inputs come from; weights are a layer's own.
void add_sources(const Network& network, std::vector<zigzag::WorkloadLayer>& layers) {
    std::map<std::string, std::int64_t> ids;
    for (const zigzag::WorkloadLayer& one : layers) ids[one.layer.name] = one.id;
    for (const Layer& layer : network.layers) {
        const auto own = ids.find(layer.name);
        if (own == ids.end()) continue;
        zigzag::WorkloadLayer& written = layers[own->second];
        std::vector<std::int64_t> feeders;
        for (const int feeder : layer.feeds_from)
            if (const auto found = ids.find(network.layers[feeder].name); found != ids.end())
                feeders.push_back(found->second);
        for (const zigzag::Operand& operand : written.layer.operands) {
            if (operand.is_result()) continue;
            const bool fed = operand.name != "W" && !feeders.empty();
            written.sources.emplace_back(operand.name, fed ? feeders.front() : written.id);
        }
    }
}

// Operands of no width of their own have as many bits as the machine's compute units, which is how `--account zigzag`
// counts.
void set_widths(Network& network, std::int64_t bits) {
    for (Layer& layer : network.layers)
        for (Tensor& tensor : layer.einsum.tensors)
            if (tensor.bits == 0) tensor.bits = bits;
}

Converted workload_file(const Network& network, const std::optional<Architecture>& architecture) {
    Converted converted;
    Network expanded = with_repeats(network);
    if (architecture) set_widths(expanded, architecture->compute.word_bits);
    ZigzagWorkload workload = zigzag_workload(expanded);
    for (const UnmappedOperator& layer : workload.left_out)
        if (std::ranges::any_of(expanded.layers, [&](const Layer& one) { return one.name == layer.name; }))
            converted.failures.push_back(fmt::format("{}: no layer of ZigZag's: {}", layer.name, layer.reason));
    add_sources(expanded, workload.layers);
    if (!workload.layers.empty())
        converted.files.emplace_back("workload.yaml", zigzag::write_workload(workload.layers));
    return converted;
}

// The result is O and the weights are I2.
zigzag::MemoryOperand operand_of(OperandRole role) {
    if (role == OperandRole::outputs) return zigzag::MemoryOperand::o;
    return role == OperandRole::weights ? zigzag::MemoryOperand::i2 : zigzag::MemoryOperand::i1;
}

// What the memories may hold of a layer; without constraints, everything.
Held held_operands(const yaml::Node& root, const Architecture& architecture, const Einsum& einsum) {
    const Constraints constraints = timeloop::read_constraints(root, architecture, einsum, timeloop::Unnamed::ignore);
    const std::vector<OperandRole> roles = layer_roles(einsum).operands;
    Held held(architecture.memories.size());
    for (std::size_t m = 0; m < held.size(); ++m) {
        const Memory& memory = architecture.memories[m];
        if (memory.spreads_only || memory.usable_words() == 0) continue;
        for (int t = 0; t < einsum.tensor_count(); ++t)
            if (!constraints.levels[m].must_bypass.has(t)) held[m].push_back(operand_of(roles[t]));
    }
    return held;
}

// Every reason at once: memories without a bandwidth are many.
void refuse_unsaid(const Architecture& architecture, const Held& held) {
    const auto refuse = [](const std::string& what) {
        throw InputError(ErrorCode::unsupported, {}, "ZigZag's hardware cannot say this machine: " + what);
    };
    if (const std::string what = zigzag::unsaid_in_hardware(architecture, held); !what.empty()) refuse(what);
    std::vector<std::string> without;
    for (std::size_t m = 0; m < held.size(); ++m) {
        const Memory& memory = architecture.memories[m];
        const bool both =
            memory.shared_words_per_cycle || (memory.read_words_per_cycle && memory.write_words_per_cycle);
        if (!held[m].empty() && !both) without.push_back("'" + memory.name + "'");
    }
    if (without.empty()) return;
    refuse(fmt::format("{} {} no bandwidth, which its ports need; give it with --set {}.shared_bandwidth=WORDS",
                       list_words(without), without.size() == 1 ? "has" : "have",
                       without.front().substr(1, without.front().size() - 2)));
}

void note_leakage(const Architecture& architecture, const Held& held, Converted& converted) {
    std::vector<std::string> leaking;
    for (std::size_t m = 0; m < held.size(); ++m)
        if (!held[m].empty() && architecture.memories[m].energy.leak_pj_per_cycle.value > 0.0)
            leaking.push_back("'" + architecture.memories[m].name + "'");
    if (architecture.compute.leak_pj_per_cycle.value > 0.0) leaking.push_back("'" + architecture.compute.name + "'");
    if (leaking.empty()) return;
    const std::string note =
        "hardware.yaml has no word for leakage: that of " + list_words(leaking) + " is not written";
    if (std::ranges::find(converted.notes, note) == converted.notes.end()) converted.notes.push_back(note);
}

// Loops are constrained in ZigZag's mapping files, not in its hardware.
void note_loop_constraints(const yaml::Node& root, const Architecture& architecture, Einsum einsum,
                           Converted& converted) {
    // Dimensions of one iteration are placed somewhere without being asked for.
    for (Dimension& dimension : einsum.dimensions) dimension.extent = std::max<std::int64_t>(dimension.extent, 2);
    const Constraints constraints = timeloop::read_constraints(root, architecture, einsum, timeloop::Unnamed::ignore);
    const auto said = [](const LoopConstraint& loops) {
        return !loops.factors.empty() || !loops.inner.empty() || !loops.outer.empty() || loops.split;
    };
    std::vector<std::string> levels;
    for (std::size_t m = 0; m < constraints.levels.size(); ++m) {
        const LevelConstraint& level = constraints.levels[m];
        const bool temporal = said(level.temporal) && !architecture.memories[m].spreads_only;
        if (temporal || said(level.spatial)) levels.push_back("'" + architecture.memories[m].name + "'");
    }
    if (!levels.empty())
        converted.notes.push_back("hardware.yaml does not say the constraints on loops of " + list_words(levels) +
                                  ": ZigZag has such in mapping files");
}

Converted hardware_file(Inputs& inputs, const Architecture& architecture, const std::optional<Network>& network) {
    const Einsum einsum =
        network && !network->layers.empty() ? network->layers.front().einsum : conv2d(64, 64, 28, 3, 1, 2);
    Converted converted;
    const Held held = held_operands(inputs.root(), architecture, einsum);
    refuse_unsaid(architecture, held);
    note_leakage(architecture, held, converted);
    note_loop_constraints(inputs.root(), architecture, einsum, converted);
    converted.files.emplace_back("hardware.yaml",
                                 zigzag::write_accelerator(zigzag::from_architecture(architecture, held)));
    return converted;
}

Held held_operands(const zigzag::Translation& translation, std::size_t memories) {
    Held held(memories);
    for (std::size_t i = 0; i < translation.memory_of.size(); ++i)
        held[translation.memory_of[i]] = translation.accelerator.memories[i].operands;
    return held;
}

// A mapping has a machine of its own: memories that it passes by hold nothing.
Converted mapped_layers(Inputs& inputs, const Architecture& architecture, const Network& network) {
    Converted converted;
    FileNames taken;
    for (const auto& [index, mapping, places] : read_mappings(inputs, network, architecture)) {
        const Layer& layer = network.layers[index];
        std::vector<std::string> problems;
        for (const Violation& violation : check(layer.einsum, architecture, mapping))
            problems.push_back(placed_text(violation, places));
        if (problems.empty()) {
            auto made = zigzag::translate(layer.einsum, architecture, mapping);
            if (const std::string* reason = std::get_if<std::string>(&made)) {
                problems.push_back("ZigZag has no such mapping: " + *reason);
            } else {
                auto& translation = std::get<zigzag::Translation>(made);
                const Held held = held_operands(translation, architecture.memories.size());
                refuse_unsaid(architecture, held);
                note_leakage(architecture, held, converted);
                const std::string folder = file_name(layer.name, taken) + "/";
                translation.layer.name = layer.name;
                translation.layer.operator_type = layer.op;
                std::vector<zigzag::WorkloadLayer> workload{{0, translation.layer, {}}};
                converted.files.emplace_back(folder + "hardware.yaml",
                                             zigzag::write_accelerator(translation.accelerator));
                converted.files.emplace_back(folder + "workload.yaml", zigzag::write_workload(workload));
                converted.files.emplace_back(folder + "mapping.yaml",
                                             zigzag::write_mapping(translation.accelerator, translation.layer,
                                                                   translation.unrolling, translation.mapping));
            }
        }
        for (const std::string& problem : problems)
            converted.failures.push_back(fmt::format("{}: {}", layer.name, problem));
    }
    return converted;
}

// ZigZag's own files, in the current spelling.
Converted zigzag_files_again(Inputs& inputs) {
    Converted converted;
    ZigzagInputs& files = inputs.zigzag();
    if (files.has_accelerator())
        converted.files.emplace_back("hardware.yaml", zigzag::write_accelerator(files.accelerator(kConvert)));
    if (files.has_workload())
        converted.files.emplace_back("workload.yaml", zigzag::write_workload(files.layers(kConvert)));
    converted.notes = files.notes();
    if (files.has_mapping())
        converted.notes.emplace_back("the mapping file is not written: --to mapping writes whole mappings");
    return converted;
}

}  // namespace

std::string file_name(const std::string& layer, FileNames& taken) {
    std::string name = plain_file_name(layer);
    name.erase(0, std::min(name.find_first_not_of("._"), name.size()));
    return taken.apart(name.empty() ? "layer" : name);
}

Converted problem_files(const Inputs& inputs, const Network& network) {
    Converted converted;
    FileNames taken;
    for (const Layer& layer : network.layers) {
        converted.files.emplace_back(file_name(layer.name, taken) + ".problem.yaml",
                                     timeloop::write_problem(layer.einsum, inputs.zeros().densities(layer)));
        if (layer.repeats > 1)
            converted.notes.push_back(
                fmt::format("'{}' runs {} times, which a problem file cannot say", layer.name, layer.repeats));
    }
    return converted;
}

void require_something(const Inputs& inputs) {
    if (!inputs.has_architecture() && !inputs.has_network())
        fail_usage(kConvert, "nothing to convert: give --arch or --net, or files");
}

Converted timeloop_files(Inputs& inputs, timeloop::MachineForm form, bool estimates) {
    inputs.refuse_zigzag(
        "Timeloop's memories have no ports and operands of their own: ZigZag's hardware cannot be "
        "said; --to mapping, zigzag and network take its files");
    require_something(inputs);
    Converted converted;
    std::optional<Architecture> architecture;
    if (inputs.has_architecture()) {
        architecture = inputs.unestimated_architecture();
        timeloop::WrittenMachine machine = timeloop::write_machine(
            inputs.root(), estimates ? inputs.architecture() : *architecture, form, inputs.sparse_root());
        FileNames none;
        converted.files.emplace_back(file_name(architecture->name, none) + ".arch.yaml", std::move(machine.text));
        for (std::string& note : machine.notes)
            if (!inputs.has_network()) converted.notes.push_back(std::move(note));
    } else if (estimates) {
        fail_usage(kConvert, "--estimates needs a machine");
    }
    if (!inputs.has_network()) return converted;
    const Network network = inputs.network();
    append(converted, problem_files(inputs, network));
    if (architecture && has_mappings(inputs.root())) append(converted, mapping_files(inputs, network, *architecture));
    return converted;
}

Converted zigzag_files(Inputs& inputs) {
    if (inputs.zigzag().decide()) return zigzag_files_again(inputs);
    require_something(inputs);
    std::optional<Architecture> architecture;
    std::optional<Network> network;
    if (inputs.has_architecture()) architecture = inputs.architecture();
    if (inputs.has_network()) network = inputs.network();
    if (architecture && network && has_mappings(inputs.root())) {
        if (const std::string own = own_width_in(*network); !own.empty())
            throw InputError(ErrorCode::unsupported, {}, own + ": mapped layers are written with one width only");
        return mapped_layers(inputs, *architecture, *network);
    }
    Converted converted;
    if (architecture) converted = hardware_file(inputs, *architecture, network);
    if (network) append(converted, workload_file(*network, architecture));
    return converted;
}

Converted accelforge_files(Inputs& inputs) {
    require_something(inputs);
    Converted converted;
    Notes notes;
    FileNames taken;
    std::optional<Architecture> architecture;
    if (inputs.has_architecture()) architecture = inputs.architecture();
    const std::int64_t bits = architecture ? architecture->memories.front().word_bits : 8;
    if (architecture)
        converted.files.emplace_back(file_name(architecture->name, taken) + ".arch.yaml",
                                     accelforge::machine_text(*architecture, notes));
    if (inputs.has_cascade()) {
        const Cascade cascade = inputs.cascade();
        converted.files.emplace_back(file_name(cascade.name, taken) + ".workload.yaml",
                                     accelforge::workload_text(cascade, bits));
    } else if (inputs.has_network()) {
        const Network network = inputs.network();
        std::vector<std::string> stems;
        const auto named = [&](int index) {
            Einsum einsum = network.layers[index].einsum;
            einsum.name = network.layers[index].name;
            return einsum;
        };
        for (int i = 0; i < static_cast<int>(network.layers.size()); ++i) {
            stems.push_back(file_name(named(i).name, taken));
            converted.files.emplace_back(stems.back() + ".workload.yaml", accelforge::workload_text(named(i), bits));
        }
        if (architecture && has_mappings(inputs.root()))
            for (const auto& [index, mapping, places] : read_mappings(inputs, network, *architecture))
                converted.files.emplace_back(stems[index] + ".mapping.yaml",
                                             accelforge::mapping_text(mapping, named(index), *architecture, notes));
    }
    converted.notes = notes.texts();
    return converted;
}

Converted network_file(Inputs& inputs) {
    const Network network = inputs.zigzag().decide() ? inputs.zigzag().as_network(kConvert) : inputs.network();
    FileNames none;
    Converted converted;
    converted.files.emplace_back(file_name(network.name, none) + ".network.yaml", native::write_network(network));
    return converted;
}

}  // namespace tilewright::cli
