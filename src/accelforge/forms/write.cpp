#include "accelforge/forms/write.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/scanner.hpp"
#include "workload/einsum.hpp"

namespace tilewright::accelforge {
namespace {

// Our names in AccelForge's syntax. Internal to forms/.

std::string unlike(std::string name, std::set<std::string>& taken) {
    while (!taken.insert(name).second) name += "_";
    return name;
}

std::string plain_name(const std::string& name) {
    std::string plain;
    for (const char c : name) plain.push_back(continues_name(c) ? c : '_');
    return plain.empty() || !starts_name(plain.front()) ? "T_" + plain : plain;
}

/// Letters, digits and '_' only, no name of a set, each once.
std::vector<std::string> tensor_names(const std::vector<std::string>& names) {
    static const std::set<std::string> kSets{"All",    "Tensors", "Nothing", "Inputs",     "Outputs", "Intermediates",
                                             "Shared", "Above",   "Other",   "Persistent", "Total"};
    std::set<std::string> taken;
    std::vector<std::string> written;
    for (const std::string& name : names) {
        const std::string plain = plain_name(name);
        written.push_back(unlike(kSets.contains(plain) ? "T_" + plain : plain, taken));
    }
    return written;
}

/// By dimension: in small letters, each once.
std::vector<std::string> variable_names(const Einsum& einsum) {
    std::set<std::string> taken;
    std::vector<std::string> written;
    for (const Dimension& dimension : einsum.dimensions) {
        std::string lower = plain_name(dimension.name);
        std::ranges::transform(lower, lower.begin(),
                               [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
        if (lower.front() == '_') lower.insert(0, "v");
        written.push_back(unlike(lower, taken));
    }
    return written;
}

constexpr double kJoules = 1e-12;        // in a pJ
constexpr double kSquareMetres = 1e-12;  // in a um^2

std::string rate_text(const std::optional<double>& words_per_cycle, std::int64_t block_words, double cycle_s) {
    if (!words_per_cycle) return "inf";
    return fmt::format("{}", *words_per_cycle / static_cast<double>(block_words) / cycle_s);
}

std::string written_action(const char* name, double energy_pj, const std::string& rate, std::int64_t bits) {
    return fmt::format("    - {{name: {}, energy: {}, throughput: {}, bits_per_action: {}}}\n", name,
                       energy_pj * kJoules, rate, bits);
}

// Of a level, relative to the outer one.
std::string spatial_text(const Architecture& architecture, int level) {
    if (level == 0) return "";
    const Mesh outer = architecture.mesh(level - 1);
    const Mesh inner = architecture.mesh(level);
    std::string text;
    if (inner.x != outer.x) text += fmt::format("{{name: X, fanout: {}}}", inner.x / outer.x);
    if (inner.y != outer.y)
        text += fmt::format("{}{{name: Y, fanout: {}}}", text.empty() ? "" : ", ", inner.y / outer.y);
    return text.empty() ? "" : "    spatial: [" + text + "]\n";
}

std::string leak_and_area(const Sourced& leak, const Sourced& area, double cycle_s) {
    return fmt::format("    leak_power: {}\n    area: {}\n", leak.value * kJoules / cycle_s,
                       area.value * kSquareMetres);
}

std::string written_memory(const Architecture& architecture, int level, Notes& notes) {
    const Memory& memory = architecture.memories[level];
    if (memory.spreads_only)
        return "  - !Container\n    name: " + plain_name(memory.name) + "\n" + spatial_text(architecture, level);
    const std::int64_t bits = memory.word_bits * memory.block_words;
    std::string text = "  - !Memory\n    name: " + plain_name(memory.name) + "\n" + spatial_text(architecture, level);
    const std::optional<std::int64_t> words = memory.usable_words();
    text += "    size: " + (words ? std::to_string(*words * memory.word_bits) : "inf") + "\n";
    text += leak_and_area(memory.energy.leak_pj_per_cycle, memory.area_um2, architecture.cycle_seconds);
    text += level == 0 ? "    tensors: {keep: All}\n" : "    tensors: {may_keep: All}\n";
    const auto& shared = memory.shared_words_per_cycle;
    const auto rate = [&](const std::optional<double>& own) {
        return rate_text(shared ? shared : own, memory.block_words, architecture.cycle_seconds);
    };
    if (!shared) text += "    total_latency: max(a.n_calls / a.throughput for a in actions)\n";
    text +=
        "    actions:\n" + written_action("read", memory.energy.read_pj.value, rate(memory.read_words_per_cycle), bits);
    text += written_action("write", memory.energy.fill_pj.value, rate(memory.write_words_per_cycle), bits);
    if (memory.energy.update_pj.value != memory.energy.fill_pj.value)
        notes.add("AccelForge has one energy of writing: that of fills is written", memory.name, "");
    if (shared && (memory.read_words_per_cycle || memory.write_words_per_cycle))
        notes.add("rates of reading and writing beside a shared one are not written", memory.name, "");
    return text;
}

std::string axis_text(const std::vector<Term>& terms, std::int64_t offset, const std::vector<std::string>& variables) {
    std::string text;
    for (const Term& term : terms) {
        const std::string& name = variables[term.dimension];
        text += text.empty() ? "" : " + ";
        text += term.coefficient == 1 ? name : fmt::format("{} * {}", term.coefficient, name);
    }
    if (text.empty()) return std::to_string(offset);
    return offset == 0 ? text : fmt::format("{} + {}", text, offset);
}

/// One use of a tensor: written name, axes, width.
struct WrittenUse {
    std::string tensor;
    std::vector<std::string> axes;
    bool output = false;
    std::int64_t bits = 0;
};

std::string written_einsum(const std::string& name, const Einsum& einsum, bool is_copy, std::int64_t repeats,
                           const std::vector<WrittenUse>& uses) {
    const std::vector<std::string> variables = variable_names(einsum);
    std::string text = "  - name: " + plain_name(name) + "\n";
    if (is_copy) text += "    is_copy_operation: true\n";
    if (repeats != 1) text += fmt::format("    n_instances: {}\n", repeats);
    text += "    iteration_space_shape:\n";
    for (std::size_t d = 0; d < variables.size(); ++d)
        text += fmt::format("    - 0 <= {} < {}\n", variables[d], einsum.dimensions[d].extent);
    text += "    tensor_accesses:\n";
    for (const WrittenUse& use : uses) {
        text += fmt::format("    - {{name: {}, output: {}, bits_per_value: {}, projection: {{", use.tensor, use.output,
                            use.bits);
        for (std::size_t r = 0; r < use.axes.size(); ++r)
            text += fmt::format("{}R{}: {}", r == 0 ? "" : ", ", r, use.axes[r]);
        text += "}}\n";
    }
    return text;
}

std::vector<std::string> names_of_tensors(const Einsum& layer) {
    std::vector<std::string> names;
    for (const Tensor& tensor : layer.tensors) names.push_back(tensor.name);
    return tensor_names(names);
}

}  // namespace

std::string machine_text(const Architecture& architecture, Notes& notes) {
    std::string text = "arch:\n  nodes:\n";
    for (int level = 0; level < architecture.memory_count(); ++level)
        text += written_memory(architecture, level, notes);
    text += "  - !Compute\n    name: " + plain_name(architecture.compute.name) + "\n";
    text += spatial_text(architecture, architecture.memory_count());
    text += leak_and_area(architecture.compute.leak_pj_per_cycle, architecture.compute.area_um2,
                          architecture.cycle_seconds);
    text += fmt::format("    actions:\n    - {{name: compute, energy: {}, throughput: {}}}\n",
                        architecture.compute.energy_pj.value * kJoules, 1.0 / architecture.cycle_seconds);
    const auto has_wires = [](const Memory& memory) {
        return !memory.link.passages.empty() || memory.link.energy_per_hop_pj ||
               memory.link.wire_energy_pj_per_bit_mm || memory.link.router_energy_pj;
    };
    if (std::ranges::any_of(architecture.memories, &Memory::rules_tiles))
        notes.add("rules for tiles (alignment_words, buffers, tile) are not written");
    if (std::ranges::any_of(architecture.memories, has_wires))
        notes.add("energies of wires and passages are not written");
    return text;
}

std::string workload_text(const Cascade& cascade, std::int64_t bits) {
    std::vector<std::string> names;
    for (const CascadeTensor& tensor : cascade.tensors) names.push_back(tensor.name);
    names = tensor_names(names);
    std::string text = "workload:\n  einsums:\n";
    for (int i = 0; i < cascade.einsum_count(); ++i) {
        const CascadeEinsum& one = cascade.einsums[i];
        const std::vector<std::string> variables = variable_names(one.einsum);
        std::vector<WrittenUse> uses;
        for (std::size_t t = 0; t < one.accesses.size(); ++t) {
            const Access& access = one.accesses[t];
            if (access.anywhere)
                throw InputError(ErrorCode::unsupported, {}, "einsum '" + one.name + "' picks words by an index");
            const CascadeTensor& tensor = cascade.tensors[access.tensor];
            WrittenUse use{
                names[access.tensor], {}, one.einsum.tensors[t].written, tensor.bits > 0 ? tensor.bits : bits};
            for (const Coordinate& axis : access.coordinates)
                use.axes.push_back(axis_text(axis.terms, axis.offset, variables));
            uses.push_back(std::move(use));
        }
        text += written_einsum(one.name, one.einsum, one.kind == EinsumKind::copy, repeats_of(cascade, i), uses);
    }
    return text;
}

std::string workload_text(const Einsum& layer, std::int64_t bits) {
    const std::vector<std::string> names = names_of_tensors(layer);
    const std::vector<std::string> variables = variable_names(layer);
    std::vector<WrittenUse> uses;
    for (std::size_t t = 0; t < layer.tensors.size(); ++t) {
        WrittenUse use{
            names[t], {}, layer.tensors[t].written, layer.tensors[t].bits > 0 ? layer.tensors[t].bits : bits};
        for (const Rank& rank : layer.tensors[t].ranks) use.axes.push_back(axis_text(rank.terms, 0, variables));
        uses.push_back(std::move(use));
    }
    return "workload:\n  einsums:\n" + written_einsum(layer.name, layer, false, 1, uses);
}

namespace {

/// A line of a mapping: a store of one tensor, or a loop.
struct WrittenNode {
    bool is_store = false;
    int memory = 0;  ///< of a store
    int tensor = 0;
    Loop loop = {};
    std::int64_t tile = 1;       ///< of the loop's dimension, inside it
    std::string component = {};  ///< of a loop across a fan-out: its contents
};

std::vector<WrittenNode> nodes_of(const Mapping& mapping, const Einsum& layer, const Architecture& architecture) {
    std::vector<std::int64_t> tiles;
    for (const Dimension& dimension : layer.dimensions) tiles.push_back(dimension.extent);
    std::vector<WrittenNode> nodes;
    int memory = 0;
    for (const Node& node : mapping.nodes) {
        if (const auto* store = std::get_if<Store>(&node)) {
            memory = store->memory;
            for (int t = 0; t < layer.tensor_count(); ++t)
                if (store->tensors.has(t)) nodes.push_back({true, memory, t});
            continue;
        }
        const Loop& loop = std::get<Loop>(node);
        if (loop.extent == 1) continue;
        std::int64_t& tile = tiles[loop.dimension];
        tile /= loop.extent;
        const std::string& inside = memory + 1 < architecture.memory_count()
                                        ? architecture.memories[static_cast<std::size_t>(memory) + 1].name
                                        : architecture.compute.name;
        nodes.push_back({false, 0, 0, loop, tile, inside});
    }
    return nodes;
}

bool turns_in_vain(const WrittenNode& node, const Einsum& layer, int tensor) {
    return !node.is_store && !node.loop.is_spatial() && !is_relevant(layer.tensors[tensor], node.loop.dimension);
}

// AccelForge refills a tile in every trip of the loops above its store. It is moved above irrelevant ones.
void raise_stores(std::vector<WrittenNode>& nodes, const Einsum& layer) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (!nodes[i].is_store || nodes[i].memory == 0) continue;
        std::size_t to = i;
        for (std::size_t at = i; at-- > 0;) {
            if (nodes[at].is_store && nodes[at].tensor == nodes[i].tensor) break;
            if (!nodes[at].is_store && !turns_in_vain(nodes[at], layer, nodes[i].tensor)) break;
            if (!nodes[at].is_store) to = at;
        }
        std::rotate(nodes.begin() + static_cast<std::ptrdiff_t>(to), nodes.begin() + static_cast<std::ptrdiff_t>(i),
                    nodes.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    }
}

// Stores blocked by a fan-out.
void note_fills_in_vain(const std::vector<WrittenNode>& nodes, const Einsum& layer, const Architecture& architecture,
                        Notes& notes) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (!nodes[i].is_store || nodes[i].memory == 0) continue;
        std::int64_t times = 1;
        for (std::size_t at = i; at-- > 0;) {
            if (nodes[at].is_store && nodes[at].tensor == nodes[i].tensor) break;
            if (nodes[at].is_store || nodes[at].loop.is_spatial()) continue;
            if (!turns_in_vain(nodes[at], layer, nodes[i].tensor)) break;
            times *= nodes[at].loop.extent;
        }
        if (times > 1)
            notes.add(
                "AccelForge fills a tile again in every trip of the loops above its store, also of those that do "
                "not move it; here nothing is sent then",
                fmt::format("{} in {} ({} times)", layer.tensors[nodes[i].tensor].name,
                            architecture.memories[nodes[i].memory].name, times),
                "");
    }
}

std::string node_text(const WrittenNode& node, const std::vector<std::string>& tensors,
                      const std::vector<std::string>& variables, const Architecture& architecture) {
    if (node.is_store)
        return fmt::format("  - !Storage {{component: {}, tensors: [{}]}}\n",
                           plain_name(architecture.memories[node.memory].name), tensors[node.tensor]);
    const std::string& variable = variables[node.loop.dimension];
    if (!node.loop.is_spatial())
        return fmt::format("  - !Temporal {{rank_variable: {}, tile_shape: {}}}\n", variable, node.tile);
    return fmt::format("  - !Spatial {{component: {}, name: {}, rank_variable: {}, tile_shape: {}}}\n",
                       plain_name(node.component), node.loop.kind == LoopKind::spatial_x ? "X" : "Y", variable,
                       node.tile);
}

}  // namespace

std::string mapping_text(const Mapping& mapping, const Einsum& layer, const Architecture& architecture, Notes& notes) {
    if (!is_perfect(mapping))
        throw InputError(ErrorCode::unsupported, {},
                         "AccelForge counts remainders as means: only loops without are written");
    const std::vector<std::string> tensors = names_of_tensors(layer);
    const std::vector<std::string> variables = variable_names(layer);
    std::vector<WrittenNode> nodes = nodes_of(mapping, layer, architecture);
    raise_stores(nodes, layer);
    note_fills_in_vain(nodes, layer, architecture, notes);
    std::string text = "mapping:\n  nodes:\n";
    for (const WrittenNode& node : nodes) text += node_text(node, tensors, variables, architecture);
    return text + fmt::format("  - !Compute {{einsum: {}, component: {}}}\n", plain_name(layer.name),
                              plain_name(architecture.compute.name));
}

}  // namespace tilewright::accelforge
