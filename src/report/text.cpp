#include "report/text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arch/estimation/estimate.hpp"
#include "base/error.hpp"
#include "base/numbers/number_text.hpp"
#include "mapping/text.hpp"
#include "report/evaluation_text.hpp"
#include "report/network_costs.hpp"
#include "report/parts/idle_lanes.hpp"
#include "report/parts/table.hpp"
#include "report/show_text.hpp"
#include "report/summary.hpp"

namespace tilewright::report {
namespace {

std::string heading(const std::string& text, char underline) {
    return text + "\n" + std::string(text.size(), underline) + "\n";
}

std::string section(const std::string& title, const std::string& body) { return "\n" + title + "\n" + body; }

std::string indented(const std::string& text) {
    std::string out;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        if (end > begin) out += "  " + text.substr(begin, end - begin);
        out += "\n";
        begin = end + 1;
    }
    return out;
}

std::string layer_title(const Report& report, const LayerResult& layer) {
    std::string title = "Layer " + layer.names.front() + " on " + report.architecture.name;
    if (layer.repeats > 1) title += fmt::format(" ({} times)", count_text(layer.repeats));
    if (layer.as_built) return title + ": time as built";
    return layer.not_as_built.empty() ? title : title + ": latency of the plain model";
}

std::string failures_text(const LayerResult& layer) {
    std::string text = layer.mapping ? "\n  the mapping is not legal:\n" : "\n  there is no mapping:\n";
    for (const std::string& failure : layer.failures) text += "    " + failure + "\n";
    return text;
}

// "K 64 to 70 and C 3 to 4"
std::string padded_extents(const Einsum& own, const Einsum& padded) {
    std::vector<std::string> changes;
    for (int d = 0; d < padded.dimension_count(); ++d) {
        const Dimension& before = own.dimensions[d];
        const Dimension& after = padded.dimensions[d];
        if (before == after) continue;
        changes.push_back(before.name + " " + std::to_string(before.extent) + " to " + std::to_string(after.extent));
    }
    return list_words(changes);
}

// The mapping shown in full is marked.
std::string front_text(const LayerResult& layer) {
    Table table({"", "energy", "cycles", "EDP (J*cycles)", ""}, "rrrrl");
    const Einsum& own = layer.unpadded ? *layer.unpadded : layer.einsum;
    for (std::size_t i = 0; i < layer.front.size(); ++i) {
        const FrontAnswer& point = layer.front[i];
        const bool shown =
            layer.mapping && point.mapping == *layer.mapping && point.padded.value_or(own) == layer.einsum;
        std::string note = shown ? "below: least energy-delay product" : "";
        if (point.padded) note += (note.empty() ? "" : "; ") + ("padded: " + padded_extents(own, *point.padded));
        table.add({count_text(static_cast<std::int64_t>(i + 1)), energy_text(point.energy_pj), count_text(point.cycles),
                   figure_text(point.energy_pj * static_cast<double>(point.cycles) * 1e-12), note});
    }
    return table.text();
}

// "  padded: K 64 to 70; 8.6 % of the operations compute nothing"
std::string padding_text(const LayerResult& layer) {
    return "  padded: " + padded_extents(*layer.unpadded, layer.einsum) + "; " +
           share_text(padding_share(*layer.unpadded, layer.einsum)) + " of the operations compute nothing\n";
}

// "  idle lanes: C=3 fills 3 of 32 rows below buffer"
std::string idle_lanes_line(const std::vector<IdleLanes>& lanes) {
    std::string text;
    for (const IdleLanes& idle : lanes) text += (text.empty() ? "  idle lanes: " : "; ") + idle_text(idle);
    return text.empty() ? "" : text + "\n";
}

// "  macro_cells: each cell in use is written 12 times; the units wait 3 % of the cycles for it"
std::string writes_line(const Architecture& architecture, const Evaluation& evaluation) {
    std::string text;
    for (std::size_t m = 0; m < architecture.memories.size(); ++m) {
        const Memory& memory = architecture.memories[m];
        const MemoryEvaluation& counted = evaluation.memories[m];
        if (memory.write_stall_cycles == 0.0 || counted.used_words == 0) continue;
        double words = 0.0;  // into one instance
        for (const TensorTraffic& traffic : counted.tensors)
            if (traffic.kept) words += (traffic.fills + traffic.updates) / traffic.instances;
        text += fmt::format("  {}: each cell in use is written {} times; the units wait {} of the cycles for it\n",
                            memory.name, figure_text(words / static_cast<double>(counted.used_words)),
                            share_text(words * memory.write_stall_cycles / static_cast<double>(evaluation.cycles)));
    }
    return text;
}

// Of one layer: model and simulation of each mapping.
std::string candidates_text(const Refinement& refinement) {
    Table table({"", "energy", "cycles in the model", "simulated", ""}, "rrrrl");
    for (std::size_t i = 0; i < refinement.candidates.size(); ++i) {
        const RefinedCandidate& one = refinement.candidates[i];
        std::string note = i == 0 ? "the search's own" : "";
        if (i == refinement.choice && refinement.is_simulated()) note += note.empty() ? "below" : ": below";
        if (!one.failure.empty()) note += (note.empty() ? "" : "; ") + one.failure;
        table.add({count_text(static_cast<std::int64_t>(i + 1)), energy_text(one.energy_pj), count_text(one.cycles),
                   one.simulated_cycles ? count_text(*one.simulated_cycles) : "-", note});
    }
    return table.text();
}

// Of a network: the search's answers beside the simulation's choices.
std::string refinement_text(const Report& report) {
    Table table({"layer", "repeats", "simulated", "of the search's own", "of the choice", "objective saved"}, "lrrrrr");
    std::int64_t own_cycles = 0;
    std::int64_t chosen_cycles = 0;
    bool is_empty = true;
    for (const LayerResult& layer : report.layers) {
        if (!layer.refinement || !layer.refinement->is_simulated()) continue;
        const std::vector<RefinedCandidate>& all = layer.refinement->candidates;
        const RefinedCandidate& chosen = all[layer.refinement->choice];
        if (!all[0].simulated_cycles) continue;
        is_empty = false;
        const auto simulated =
            std::ranges::count_if(all, [](const RefinedCandidate& one) { return one.simulated_cycles.has_value(); });
        table.add({layer.names.front(), count_text(layer.repeats), fmt::format("{} of {}", simulated, all.size()),
                   count_text(*all[0].simulated_cycles), count_text(*chosen.simulated_cycles),
                   share_text(layer.refinement->gain)});
        own_cycles += layer.repeats * *all[0].simulated_cycles;
        chosen_cycles += layer.repeats * *chosen.simulated_cycles;
    }
    if (is_empty) return "";
    table.rule();
    table.add({"total (with repeats)", "", "", count_text(own_cycles), count_text(chosen_cycles), ""});
    return section("Simulated cycles", table.text());
}

// Beside the latency they affect.
std::string slow_accesses_text(const Report& report) {
    std::string text;
    for (const std::string& note : report.notes)
        if (is_slow_access(note)) text += "  but " + note + "\n";
    return text;
}

std::string plain_line(std::int64_t cycles, double cycle_seconds) {
    return fmt::format("  the plain model says {} cycles ({})\n", count_text(cycles),
                       si_text(static_cast<double>(cycles) * cycle_seconds, "s"));
}

bool is_bound_by_computing(const LayerResult& layer) {
    return layer.as_built ? layer.as_built->bound == "compute" : layer.evaluation->bounding_memory < 0;
}

std::string layer_text(const Report& report, const LayerResult& layer) {
    std::string text = heading(layer_title(report, layer), '=');
    text += "  " + to_text(layer.einsum) + "\n  " + extents_text(layer.einsum) + "\n";
    if (layer.names.size() > 1) text += "  same shape: " + list_words(layer.names) + "\n";
    if (layer.unpadded) text += padding_text(layer);
    if (!layer.evaluation) return text + failures_text(layer);
    text += "\n" + summary_text(report.architecture, *layer.evaluation, bound_sentence(layer));
    if (layer.as_built) text += plain_line(layer.as_built->plain_cycles, report.architecture.cycle_seconds);
    if (report.layers.size() == 1) text += slow_accesses_text(report);
    if (layer.mapping && is_bound_by_computing(layer))
        text += idle_lanes_line(idle_lanes(layer.einsum, report.architecture, *layer.mapping));
    text += writes_line(report.architecture, *layer.evaluation);
    if (layer.search && !layer.search->claim.empty()) text += "  " + layer.search->claim + "\n";
    if (!layer.front.empty()) text += section("Pareto front", front_text(layer));
    if (layer.refinement) text += section("Simulated candidates", candidates_text(*layer.refinement));
    if (layer.mapping)
        text += section("Mapping", indented(loop_nest_text(layer.einsum, report.architecture, *layer.mapping)));
    text += section("Traffic (words over all instances)", traffic_text(layer.einsum, *layer.evaluation));
    if (layer.sparse) text += section("Zeros (words per instance)", sparse_text(layer.einsum, *layer.sparse));
    if (const std::string saved = saved_text(layer, report.architecture); !saved.empty())
        text += section("Saved by the treatment of zeros", saved);
    text += section("Memories", memory_text(layer.einsum, report.architecture, *layer.evaluation));
    text += section("Energy",
                    energy_breakdown_text(layer.einsum, report.architecture, *layer.evaluation, layer.on_vector_unit));
    return text;
}

// Of a mostly idle array: the emptiest axis.
std::string bound_cell(const LayerResult& layer, const Architecture& architecture) {
    constexpr double kMostlyIdle = 0.5;
    const Evaluation& evaluation = *layer.evaluation;
    if (is_bound_by_computing(layer) && layer.mapping && evaluation.utilization < kMostlyIdle) {
        const std::vector<IdleLanes> lanes = idle_lanes(layer.einsum, architecture, *layer.mapping);
        return lanes.empty() ? "compute" : "compute: " + idle_text(lanes.front());
    }
    if (layer.as_built) return layer.as_built->bound;
    if (evaluation.bounding_memory < 0) return bound_name(latency_bound(evaluation, layer.on_vector_unit));
    const MemoryEvaluation& memory = evaluation.memories[evaluation.bounding_memory];
    return memory.name + " " + bound_name(memory.bound);
}

std::string first_failure(const LayerResult& layer) { return layer.failures.empty() ? "" : layer.failures.front(); }

std::vector<std::string> network_row(const LayerResult& layer, const Architecture& architecture) {
    if (!layer.evaluation)
        return {layer.names.front(), count_text(layer.repeats), "-", "-", "-", "-", "-", first_failure(layer)};
    const Evaluation& evaluation = *layer.evaluation;
    return {layer.names.front(),
            count_text(layer.repeats),
            count_text(evaluation.computes),
            count_text(evaluation.cycles),
            energy_text(evaluation.energy_pj),
            figure_text(evaluation.edp_pj_cycles() * 1e-12),
            share_text(evaluation.utilization),
            bound_cell(layer, architecture) + (layer.not_as_built.empty() ? "" : " (plain model)")};
}

std::string network_table(const Report& report) {
    Table table({"layer", "repeats", "MACs", "cycles", "energy", "EDP (J*cycles)", "utilization", "bound"}, "lrrrrrrl");
    for (const LayerResult& layer : report.layers) table.add(network_row(layer, report.architecture));
    const Totals sum = totals(report);
    table.rule();
    table.add({"total (with repeats)", count_text(sum.layers), count_text(sum.computes), count_text(sum.cycles),
               energy_text(sum.energy_pj), figure_text(sum.edp_pj_cycles() * 1e-12), share_text(sum.utilization), ""});
    return table.text();
}

// "  871.3 mW, 306.2 GMAC/s, 0.703 TOPS/W (two operations a multiply-accumulate)"
std::string rates_line(const Totals& sum, double cycle_seconds) {
    const double seconds = static_cast<double>(sum.cycles) * cycle_seconds;
    if (seconds <= 0.0 || sum.energy_pj <= 0.0) return "";
    const auto macs = static_cast<double>(sum.computes);
    return fmt::format("  {}, {}, {} TOPS/W (two operations a multiply-accumulate)\n",
                       si_text(sum.energy_pj * 1e-12 / seconds, "W"), si_text(macs / seconds, "MAC/s"),
                       figure_text(2.0 * macs / sum.energy_pj));
}

std::string totals_text(const Report& report) {
    const Totals sum = totals(report);
    std::string text =
        fmt::format("\n  {} layers, {} shapes: {} and {} cycles ({}), one layer after another\n",
                    count_text(sum.layers), report.layers.size(), energy_text(sum.energy_pj), count_text(sum.cycles),
                    si_text(static_cast<double>(sum.cycles) * report.architecture.cycle_seconds, "s"));
    if (sum.as_built > 0) text += plain_line(sum.plain_cycles, report.architecture.cycle_seconds);
    text += slow_accesses_text(report);
    text += rates_line(sum, report.architecture.cycle_seconds);
    text += summary_lines(report);
    if (const std::string missing = missing_text(report); !missing.empty()) text += "  " + missing + "\n";
    return text;
}

std::string notes_text(const Report& report) {
    std::string text;
    for (const std::string& note : report.notes)
        if (!is_slow_access(note)) text += "  note: " + note + "\n";
    if (report.interrupted) text += "  note: interrupted; these are the best mappings found until then\n";
    return text.empty() ? "" : "\n" + text;
}

// Of a proving search: number of shapes, and claim. Constraints may vary it by shape.
std::string proof_text(const Report& report) {
    std::vector<std::pair<std::string, std::size_t>> claims;
    for (const LayerResult& layer : report.layers) {
        if (!layer.search || !layer.search->proven) continue;
        const std::string& claim = layer.search->claim;
        const auto same = std::ranges::find(claims, claim, &std::pair<std::string, std::size_t>::first);
        same == claims.end() ? static_cast<void>(claims.emplace_back(claim, 1)) : static_cast<void>(++same->second);
    }
    std::string text;
    const auto unmapped = std::ranges::count_if(report.layers, &LayerResult::on_vector_unit);
    const std::size_t mapped = report.layers.size() - static_cast<std::size_t>(unmapped);
    for (const auto& [claim, shapes] : claims) text += fmt::format("  {} of {} shapes {}\n", shapes, mapped, claim);
    if (unmapped > 0 && !claims.empty())
        text += fmt::format("  {} {} on the vector unit, without a choice of mappings\n", unmapped,
                            unmapped == 1 ? "shape runs" : "shapes run");
    return text;
}

bool is_network(const Report& report) { return report.layers.size() != 1; }

std::string network_heading(const Report& report) {
    const std::string rule = latency_rule(report);
    return heading((report.network.empty() ? "Network" : report.network) + " on " + report.architecture.name +
                       (rule.empty() ? "" : ": " + rule),
                   '=');
}

}  // namespace

std::string summary_text(const Report& report) {
    if (!is_network(report))
        return layer_text(report, report.layers.front()) + what_if_text(report) + unmapped_text(report.unmapped) +
               notes_text(report);
    const std::string energies = energy_by_memory_text(report);
    const std::string saved = saved_text(report);
    return network_heading(report) + network_table(report) + totals_text(report) + proof_text(report) +
           refinement_text(report) + (energies.empty() ? "" : "\n" + energies) +
           (saved.empty() ? "" : section("Saved by the treatment of zeros", saved)) + what_if_text(report) +
           unmapped_text(report.unmapped) + notes_text(report);
}

std::string report_text(const Report& report) {
    std::string text = summary_text(report);
    if (!is_network(report)) return text;
    for (const LayerResult& layer : report.layers) text += "\n\n" + layer_text(report, layer);
    return text;
}

}  // namespace tilewright::report
