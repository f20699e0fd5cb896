#include <fmt/format.h>

#include <algorithm>

#include "arch/widths.hpp"
#include "base/numbers/checked.hpp"
#include "base/numbers/number_text.hpp"
#include "report/parts/table.hpp"
#include "report/summary.hpp"
#include "workload/layer_roles.hpp"

namespace tilewright::report {
namespace {

void add_bound(const LayerResult& layer, std::vector<BoundShare>& bounds) {
    const Evaluation& evaluation = *layer.evaluation;
    BoundShare own;
    if (layer.as_built) {
        own.bound = LatencyBound::as_built;
        own.as_built = layer.as_built->bound;
        own.waits_for_memory = layer.as_built->waits_for_memory;
    } else {
        own.bound = latency_bound(evaluation, layer.on_vector_unit);
        own.waits_for_memory = evaluation.bounding_memory >= 0;
        if (own.waits_for_memory) own.memory = evaluation.memories[evaluation.bounding_memory].name;
    }
    const auto is_same = [&](const BoundShare& one) {
        return one.memory == own.memory && one.bound == own.bound && one.as_built == own.as_built;
    };
    auto found = std::ranges::find_if(bounds, is_same);
    if (found == bounds.end()) found = bounds.insert(bounds.end(), own);
    found->layers = checked_add(found->layers, layer.repeats);
    found->cycles = checked_add(found->cycles, checked_mul(evaluation.cycles, layer.repeats));
}

std::vector<BoundShare> bounds_of(const Report& report, std::int64_t cycles) {
    std::vector<BoundShare> bounds;
    for (const LayerResult& layer : report.layers)
        if (layer.evaluation) add_bound(layer, bounds);
    for (BoundShare& one : bounds)
        if (cycles > 0) one.share = static_cast<double>(one.cycles) / static_cast<double>(cycles);
    std::ranges::stable_sort(bounds, std::ranges::greater{}, &BoundShare::cycles);
    return bounds;
}

void add_spilled(const LayerResult& layer, const Memory& memory, std::size_t index, SpilledActivations& sum) {
    const MemoryEvaluation& costs = layer.evaluation->memories[index];
    const auto repeats = static_cast<double>(layer.repeats);
    const std::vector<OperandRole> roles = layer_roles(layer.einsum).operands;
    for (std::size_t t = 0; t < layer.einsum.tensors.size() && t < costs.tensors.size(); ++t) {
        const Tensor& tensor = layer.einsum.tensors[t];
        const TensorTraffic& traffic = costs.tensors[t];
        if (roles[t] == OperandRole::weights || !traffic.kept) continue;
        const double bytes = repeats * static_cast<double>(bits_of(tensor, memory.word_bits)) / 8.0;
        sum.bytes += bytes * (traffic.reads + traffic.fills + traffic.updates);
        sum.once_bytes += bytes * static_cast<double>(tensor_words(layer.einsum, static_cast<int>(t)));
        sum.energy_pj += repeats * (traffic.energy_pj + traffic.address_energy_pj);
        if (t < costs.link.size()) sum.energy_pj += repeats * costs.link[t].energy_pj;
    }
}

std::optional<SpilledActivations> spilled_of(const Report& report) {
    const std::vector<Memory>& memories = report.architecture.memories;
    const auto outermost = std::ranges::find(memories, false, &Memory::spreads_only);
    if (outermost == memories.end()) return std::nullopt;
    const auto index = static_cast<std::size_t>(outermost - memories.begin());
    SpilledActivations sum;
    sum.memory = outermost->name;
    for (const LayerResult& layer : report.layers)
        if (layer.evaluation && index < layer.evaluation->memories.size()) add_spilled(layer, *outermost, index, sum);
    return sum.bytes > 0.0 ? std::optional(sum) : std::nullopt;
}

// "  bound by: compute units 93.1 % of the cycles, DRAM read bandwidth 6.9 %; 4 of 54 layers (7.4 %) wait for memories"
std::string bounds_line(const Summary& all, const Totals& sum) {
    std::string text;
    for (const BoundShare& one : all.bounds)
        text += (text.empty() ? "  bound by: " : ", ") + resource_text(one) + " " + share_text(one.share) +
                (text.empty() ? " of the cycles" : "");
    if (text.empty()) return "";
    return text + fmt::format("; {} of {} layers ({}) wait for memories\n", count_text(all.memory_bound_layers),
                              count_text(sum.layers - sum.missing), share_text(all.memory_bound_share));
}

// "  activations through DRAM: 45.30 MB and 2.945 mJ (11.0 % of the energy); each tensor once: 34.10 MB"
std::string spilled_line(const Summary& all, const Totals& sum) {
    if (!all.spilled) return "";
    const std::string share =
        sum.energy_pj > 0.0 ? fmt::format(" ({} of the energy)", share_text(all.spilled->energy_pj / sum.energy_pj))
                            : "";
    return fmt::format("  activations through {}: {} and {}{}; each tensor once: {}\n", all.spilled->memory,
                       si_text(all.spilled->bytes, "B"), energy_text(all.spilled->energy_pj), share,
                       si_text(all.spilled->once_bytes, "B"));
}

// "  machine: 168 compute units, 1.000 GHz, 45nm, 4.213 mm2"
std::string machine_line(const Architecture& architecture) {
    const double area_um2 = total_area_um2(architecture);
    return fmt::format("  machine: {} compute units, {}{}, {}, {}\n", count_text(architecture.compute.instances),
                       si_text(1.0 / architecture.cycle_seconds, "Hz"), architecture.clock_assumed ? " (assumed)" : "",
                       architecture.technology.empty() ? "technology not given" : architecture.technology,
                       area_um2 > 0.0 ? area_text(area_um2) : "area not known");
}

// "-12.3 %", "same"
std::string change_text(double value, double from) {
    if (value == from) return "same";
    return from > 0.0 ? fmt::format("{:+.2g} %", 100.0 * (value - from) / from) : "-";
}

// Nothing to double.
std::string unlimited_line(const Architecture& architecture) {
    for (const Memory& memory : architecture.memories) {
        if (memory.spreads_only) continue;
        if (memory.read_words_per_cycle || memory.write_words_per_cycle || memory.shared_words_per_cycle) return "";
        return "  the bandwidth of " + memory.name + " is not limited\n";
    }
    return "";
}

}  // namespace

Summary summary(const Report& report) {
    const Totals sum = totals(report);
    Summary all;
    all.bounds = bounds_of(report, sum.cycles);
    for (const BoundShare& one : all.bounds) {
        if (!one.waits_for_memory) continue;
        all.memory_bound_layers += one.layers;
        all.memory_bound_cycles_share += one.share;
    }
    if (sum.layers > sum.missing)
        all.memory_bound_share =
            static_cast<double>(all.memory_bound_layers) / static_cast<double>(sum.layers - sum.missing);
    all.spilled = spilled_of(report);
    return all;
}

std::string resource_text(const BoundShare& bound) {
    if (!bound.as_built.empty()) return bound.as_built;
    if (bound.memory) return *bound.memory + " " + bound_name(bound.bound);
    return bound.bound == LatencyBound::vector_unit ? kVectorUnit : "compute units";
}

std::string summary_lines(const Report& report) {
    const Summary all = summary(report);
    const Totals sum = totals(report);
    return bounds_line(all, sum) + spilled_line(all, sum) + machine_line(report.architecture);
}

std::string what_if_text(const Report& report) {
    if (report.what_if.empty()) return "";
    Table table({"what if", "cycles", "", "energy", "", "mappings"}, "lrrrrl");
    const WhatIf& now = report.what_if.front();
    for (const WhatIf& one : report.what_if) {
        const std::string how = &one == &now ? "as found" : one.mapped_again ? "searched again" : "as found";
        if (!one.cycles || !one.energy_pj) {
            table.add({one.change, "-", "", "-", "", one.failure});
            continue;
        }
        const bool compared = &one != &now && now.cycles && now.energy_pj;
        table.add({one.change, count_text(*one.cycles),
                   compared ? change_text(static_cast<double>(*one.cycles), static_cast<double>(*now.cycles)) : "",
                   energy_text(*one.energy_pj), compared ? change_text(*one.energy_pj, *now.energy_pj) : "", how});
    }
    return "\n" + table.text() + unlimited_line(report.architecture) +
           "  energies of an access, leakage and areas are unchanged\n"
           "  layer by layer; with `map --fuse` a larger buffer keeps tensors between layers, too\n";
}

}  // namespace tilewright::report
