#include "report/show_text.hpp"

#include <fmt/format.h>

#include <map>
#include <vector>

#include "base/numbers/checked.hpp"
#include "base/numbers/number_text.hpp"
#include "report/parts/table.hpp"

namespace tilewright::report {
namespace {

std::string mesh_text(const Mesh& mesh) { return fmt::format("{} x {}", mesh.x, mesh.y); }

std::string bandwidth_text(const std::optional<double>& words_per_cycle) {
    return words_per_cycle ? fmt::format("{:.4g}", *words_per_cycle) : "-";
}

void add_number(Table& table, const std::string& component, const std::string& action, const Sourced& number,
                const std::string& unit) {
    table.add({component, action, fmt::format("{:.6g}", number.value), unit,
               number.source.empty() ? "not given: free" : number.source});
}

void add_memory(Table& table, const Memory& memory) {
    const std::string access = memory.block_words == 1 ? "pJ/word" : fmt::format("pJ/{} words", memory.block_words);
    add_number(table, memory.name, "read", memory.energy.read_pj, access);
    add_number(table, "", "fill", memory.energy.fill_pj, access);
    add_number(table, "", "update", memory.energy.update_pj, access);
    add_number(table, "", "leak", memory.energy.leak_pj_per_cycle, "pJ/cycle");
    add_number(table, "", "area", memory.area_um2, "um2");
}

// The wires below a memory or a fan-out, and what all words there pass.
void add_link(Table& table, const std::string& above, const Link& link, const std::string& kind) {
    std::string component = kind + " below " + above;
    const auto add = [&](const std::string& action, const std::optional<double>& value, const std::string& unit,
                         const std::string& source) {
        if (value.value_or(0.0) <= 0.0) return;
        add_number(table, component, action, {*value, source}, unit);
        component = "";
    };
    const std::string given = "given";
    add("hop", link.energy_per_hop_pj, "pJ/word", given);
    if (!link.energy_per_hop_pj)
        add("wire", link.wire_energy_pj_per_bit_mm, "pJ/bit/mm",
            link.energy_source.empty() ? given : link.energy_source);
    add("router", link.router_energy_pj, "pJ/word", given);
    add("tile width", link.tile_width_um, "um", given);
    add("adder", link.adder_energy_pj, "pJ/word", given);
    for (const Passage& passage : link.passages)
        add_number(table, passage.name, "pass", {passage.word_pj(), passage.energy_pj.source}, "pJ/word");
}

}  // namespace

std::string architecture_text(const Architecture& architecture) {
    Table table({"level", "class", "instances", "mesh", "fan-out below", "words", "word bits", "block", "read w/cycle",
                 "write w/cycle", "shared w/cycle"},
                "llrrrrrrrrr");
    for (int m = 0; m < architecture.memory_count(); ++m) {
        const Memory& memory = architecture.memories[m];
        const std::string words = memory.capacity_words ? count_text(*memory.capacity_words) : "unlimited";
        table.add({memory.name, memory.component_class, count_text(memory.instances), mesh_text(memory.mesh),
                   mesh_text(architecture.fanout(m)), memory.spreads_only ? "-" : words,
                   std::to_string(memory.word_bits), std::to_string(memory.block_words),
                   bandwidth_text(memory.read_words_per_cycle), bandwidth_text(memory.write_words_per_cycle),
                   bandwidth_text(memory.shared_words_per_cycle)});
    }
    const Compute& compute = architecture.compute;
    table.add({compute.name, compute.component_class, count_text(compute.instances), mesh_text(compute.mesh), "-", "-",
               std::to_string(compute.word_bits)});
    return fmt::format("{}: {} compute units, {}{}\n\n{}", architecture.name, count_text(compute.instances),
                       architecture.technology.empty() ? "" : architecture.technology + ", ",
                       "cycle " + si_text(architecture.cycle_seconds, "s") +
                           (architecture.clock_assumed ? " (assumed: none is given)" : ""),
                       table.text());
}

std::string energies_text(const Architecture& architecture) {
    Table table({"component", "action", "value", "unit", "source"}, "llrll");
    for (const Memory& memory : architecture.memories) {
        if (!memory.spreads_only) add_memory(table, memory);
        add_link(table, memory.name, memory.link, "wires");
        if (memory.update_link) add_link(table, memory.name, *memory.update_link, "wires of results");
    }
    const Compute& compute = architecture.compute;
    add_number(table, compute.name, "compute", compute.energy_pj, "pJ");
    add_number(table, "", "leak", compute.leak_pj_per_cycle, "pJ/cycle");
    add_number(table, "", "area", compute.area_um2, "um2");
    return table.text();
}

std::string network_text(const Network& network) {
    Table table({"layer", "operator", "repeats", "MACs", "extents"}, "llrrl");
    std::int64_t computes = 0;
    std::int64_t repeats = 0;
    for (const Layer& layer : network.layers) {
        const std::int64_t operations = operation_count(layer.einsum);
        table.add(
            {layer.name, layer.op, count_text(layer.repeats), count_text(operations), extents_text(layer.einsum)});
        computes = checked_add(computes, checked_mul(operations, layer.repeats));
        repeats = checked_add(repeats, layer.repeats);
    }
    table.rule();
    table.add({"total (with repeats)", "", count_text(repeats), count_text(computes)});
    return fmt::format("{}: {} layers, {} shapes\n\n", network.name, network.layers.size(),
                       distinct_layers(network).size()) +
           table.text() + unmapped_text(network.unmapped);
}

std::string unmapped_text(const std::vector<UnmappedOperator>& unmapped) {
    if (unmapped.empty()) return "";
    std::map<std::string, std::map<std::string, int>> groups;
    for (const UnmappedOperator& op : unmapped) ++groups[op.op][op.reason];
    Table table({"operator", "count", "why"}, "lrl");
    for (const auto& [op, reasons] : groups)
        for (const auto& [reason, count] : reasons) table.add({op, std::to_string(count), reason});
    return fmt::format("\nNot mapped ({} operators)\n", unmapped.size()) + table.text();
}

std::string extents_text(const Einsum& einsum) {
    std::string text;
    for (const Dimension& dimension : einsum.dimensions)
        text += (text.empty() ? "" : " ") + dimension.name + "=" + std::to_string(dimension.extent);
    for (const Tensor& tensor : einsum.tensors)
        if (tensor.bits > 0) text += ", " + tensor.name + " of " + std::to_string(tensor.bits) + " bits";
    return text;
}

}  // namespace tilewright::report
