#include "report/evaluation_text.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>
#include <vector>

#include "arch/widths.hpp"
#include "base/numbers/number_text.hpp"
#include "report/parts/table.hpp"
#include "report/report.hpp"

namespace tilewright::report {
namespace {

std::string ratio(double part, double whole) { return whole > 0.0 ? share_text(part / whole) : "-"; }

std::string utilization_line(const Architecture& architecture, const Evaluation& evaluation) {
    return fmt::format("  utilization  {}  ({} of {} compute units in use)\n", share_text(evaluation.utilization),
                       count_text(evaluation.compute_units_used), count_text(architecture.compute.instances));
}

std::string power_line(const Evaluation& evaluation, double seconds) {
    if (seconds <= 0.0 || evaluation.energy_pj <= 0.0) return "";
    const double tops_per_watt = 2.0 * static_cast<double>(evaluation.computes) / evaluation.energy_pj;
    return fmt::format("  power        {}  ({} TOPS/W at two operations a multiply-accumulate)\n",
                       si_text(evaluation.energy_pj * 1e-12 / seconds, "W"), figure_text(tops_per_watt));
}

// Of all instances, reads and writes.
double bytes_moved(const Einsum& einsum, const Memory& memory, const MemoryEvaluation& result) {
    double bits = 0.0;
    for (std::size_t t = 0; t < result.tensors.size(); ++t) {
        const TensorTraffic& traffic = result.tensors[t];
        bits += (traffic.reads + traffic.fills + traffic.updates) *
                static_cast<double>(bits_of(einsum.tensors[t], memory.word_bits));
    }
    return bits / 8.0;
}

// The next memory inside `memory` keeping the tensor; -1: none.
int inner_keeper(const Evaluation& evaluation, int memory, std::size_t tensor) {
    for (int m = memory + 1; m < static_cast<int>(evaluation.memories.size()); ++m)
        if (evaluation.memories[m].tensors[tensor].kept) return m;
    return -1;
}

// Copies served by one read of an operand: arrivals inside per word read.
double multicast(const Evaluation& evaluation, int memory, std::size_t tensor) {
    const double reads = evaluation.memories[memory].tensors[tensor].reads;
    const int inner = inner_keeper(evaluation, memory, tensor);
    const double arriving =
        inner < 0 ? static_cast<double>(evaluation.computes) : evaluation.memories[inner].tensors[tensor].fills;
    return reads > 0.0 ? arriving / reads : 0.0;
}

// Contributions summed by one update of a result: merged on the links down to the next keeping memory.
double reduction(const Evaluation& evaluation, int memory, std::size_t tensor) {
    const double updates = evaluation.memories[memory].tensors[tensor].updates;
    const int inner = inner_keeper(evaluation, memory, tensor);
    if (inner < 0) return updates > 0.0 ? static_cast<double>(evaluation.computes) / updates : 0.0;
    double met = 0.0;
    for (int m = memory; m < inner; ++m) met += evaluation.memories[m].link[tensor].spatial_reductions;
    return updates > 0.0 ? 1.0 + met / updates : 0.0;
}

std::string sharing_text(const Einsum& einsum, const Evaluation& evaluation, int memory, std::size_t tensor) {
    const double share =
        einsum.tensors[tensor].written ? reduction(evaluation, memory, tensor) : multicast(evaluation, memory, tensor);
    return share > 0.0 ? fmt::format("{:.4g}", share) : "-";
}

struct EnergyPart {
    std::string name;
    double energy_pj = 0.0;
};

// Of one link: its passages by name (their share of words that zeros leave out is not known), then its wires.
void add_link(const Einsum& einsum, const Link& link, const MemoryEvaluation& memory, std::vector<EnergyPart>& parts) {
    double left = memory.link_energy_pj;
    for (const Passage& passage : link.passages) {
        double pj = 0.0;
        for (int t = 0; t < einsum.tensor_count(); ++t)
            if (is_passed(passage, einsum, t)) pj += memory.link[t].passing * passage.word_pj();
        pj = std::min(pj, left);
        if (pj > 0.0) parts.push_back({passage.name, pj});
        left -= pj;
    }
    if (left > 1e-9 * memory.link_energy_pj) parts.push_back({"wires below " + memory.name, left});
}

std::vector<EnergyPart> energy_parts(const Einsum& einsum, const Architecture& architecture,
                                     const Evaluation& evaluation, bool on_vector_unit) {
    std::vector<EnergyPart> parts;
    for (std::size_t m = 0; m < evaluation.memories.size(); ++m) {
        const MemoryEvaluation& memory = evaluation.memories[m];
        if (memory.energy_pj > 0.0) parts.push_back({memory.name, memory.energy_pj});
        if (memory.link_energy_pj > 0.0) add_link(einsum, architecture.memories[m].link, memory, parts);
    }
    if (!on_vector_unit) {
        parts.push_back({architecture.compute.name, evaluation.compute_energy_pj + evaluation.compute_leakage_pj});
        return parts;
    }
    parts.push_back({kVectorUnit, evaluation.compute_energy_pj});
    if (evaluation.compute_leakage_pj > 0.0)
        parts.push_back({architecture.compute.name, evaluation.compute_leakage_pj});
    return parts;
}

std::string computes_line(const sparse::Costs& costs) {
    return fmt::format("  of {} computes {} are done, {} gated, {} skipped\n\n", count_text(costs.algorithmic_computes),
                       count_text(costs.computes.actual), count_text(costs.computes.gated),
                       count_text(costs.computes.skipped));
}

void add_accesses(const std::string& memory, const std::string& tensor, const sparse::TensorCosts& costs,
                  Table& table) {
    const std::array kinds{std::pair("reads", &costs.reads), std::pair("fills", &costs.fills),
                           std::pair("updates", &costs.updates)};
    for (const auto& [name, accesses] : kinds) {
        if (accesses->algorithmic == 0) continue;
        table.add({memory, tensor, name, count_text(accesses->algorithmic), count_text(accesses->data.actual),
                   count_text(accesses->data.gated), count_text(accesses->data.skipped),
                   count_text(accesses->metadata_rows.actual)});
    }
}

std::string densities_text(const Einsum& einsum, const sparse::Costs& costs) {
    Table table({"tensor", "not zero", "model", "said by"}, "lrll");
    bool any = false;
    for (std::size_t t = 0; t < costs.densities.size(); ++t) {
        const sparse::TensorDensity& density = costs.densities[t];
        any = any || density.share < 1.0 || !density.from.empty();
        table.add({einsum.tensors[t].name, share_text(density.share), density.model,
                   density.from.empty() ? "not given: dense" : density.from});
    }
    return any ? table.text() + "\n" : "";
}

std::string format_text(const sparse::TensorCosts& costs) { return fmt::format("{}", fmt::join(costs.format, " ")); }

}  // namespace

std::string summary_text(const Architecture& architecture, const Evaluation& evaluation, const std::string& bound) {
    const auto computes = static_cast<double>(evaluation.computes);
    const auto cycles = static_cast<double>(evaluation.cycles);
    std::string text;
    text += fmt::format("  energy       {}  ({} pJ per multiply-accumulate)\n", energy_text(evaluation.energy_pj),
                        figure_text(computes > 0.0 ? evaluation.energy_pj / computes : 0.0));
    text += fmt::format("  latency      {} cycles  ({})\n", count_text(evaluation.cycles),
                        si_text(cycles * architecture.cycle_seconds, "s"));
    const double joule_cycles = evaluation.edp_pj_cycles() * 1e-12;
    text += fmt::format("  EDP          {} J*cycles  ({} J*s)\n", figure_text(joule_cycles),
                        figure_text(joule_cycles * architecture.cycle_seconds));
    text += power_line(evaluation, cycles * architecture.cycle_seconds);
    text += utilization_line(architecture, evaluation);
    text += fmt::format("  work         {} multiply-accumulates\n", count_text(evaluation.computes));
    text += fmt::format("  area         {}\n", area_text(evaluation.area_um2));
    return text + "\n  " + bound + "\n";
}

std::string traffic_text(const Einsum& einsum, const Evaluation& evaluation) {
    Table table(
        {"memory", "tensor", "tile words", "instances", "reads", "fills", "updates", "sharing", "energy", "share"},
        "llrrrrrrrr");
    for (int m = 0; m < static_cast<int>(evaluation.memories.size()); ++m) {
        const MemoryEvaluation& memory = evaluation.memories[m];
        std::string name = memory.name;
        for (std::size_t t = 0; t < memory.tensors.size(); ++t) {
            const TensorTraffic& traffic = memory.tensors[t];
            if (!traffic.kept) continue;
            const double energy_pj = traffic.energy_pj + traffic.address_energy_pj;
            table.add({name, einsum.tensors[t].name, count_text(traffic.tile_words), count_text(traffic.instances),
                       count_text(traffic.reads), count_text(traffic.fills), count_text(traffic.updates),
                       sharing_text(einsum, evaluation, m, t), energy_text(energy_pj),
                       ratio(energy_pj, evaluation.energy_pj)});
            name.clear();
        }
    }
    return table.text() + "  sharing: operands that one read serves; contributions to a result that one update sums\n";
}

std::string energy_breakdown_text(const Einsum& einsum, const Architecture& architecture, const Evaluation& evaluation,
                                  bool on_vector_unit) {
    constexpr int kBarWidth = 40;
    Table table({"part", "energy", "share", ""}, "lrrl");
    for (const EnergyPart& part : energy_parts(einsum, architecture, evaluation, on_vector_unit)) {
        const double share = evaluation.energy_pj > 0.0 ? part.energy_pj / evaluation.energy_pj : 0.0;
        table.add({part.name, energy_text(part.energy_pj), share_text(share), bar(share, kBarWidth)});
    }
    return table.text();
}

std::string memory_text(const Einsum& einsum, const Architecture& architecture, const Evaluation& evaluation) {
    Table table({"memory", "used words", "usable words", "full", "bytes", "bytes/s", "cycles alone", "bound"},
                "lrrrrrrl");
    const double seconds = static_cast<double>(evaluation.cycles) * architecture.cycle_seconds;
    for (int m = 0; m < architecture.memory_count(); ++m) {
        const Memory& memory = architecture.memories[m];
        if (memory.spreads_only) continue;
        const MemoryEvaluation& result = evaluation.memories[m];
        const auto usable = memory.usable_words();
        const double bytes = bytes_moved(einsum, memory, result);
        table.add({memory.name, count_text(result.used_words), usable ? count_text(*usable) : "unlimited",
                   usable ? ratio(static_cast<double>(result.used_words), static_cast<double>(*usable)) : "-",
                   si_text(bytes, "B"), seconds > 0.0 ? si_text(bytes / seconds, "B/s") : "-",
                   count_text(result.cycles), bound_name(result.bound)});
    }
    return table.text();
}

std::string sparse_text(const Einsum& einsum, const sparse::Costs& costs) {
    Table accesses({"memory", "tensor", "", "algorithmic", "actual", "gated", "skipped", "metadata rows"}, "lllrrrrr");
    Table room({"memory", "tensor", "density", "format", "tile words", "expected", "most", "metadata bits"},
               "llllrrrr");
    for (const sparse::MemoryCosts& memory : costs.memories)
        for (std::size_t t = 0; t < memory.tensors.size(); ++t) {
            const sparse::TensorCosts& tensor = memory.tensors[t];
            if (!tensor.kept) continue;
            const std::string& name = einsum.tensors[t].name;
            add_accesses(memory.name, name, tensor, accesses);
            if (tensor.format.empty()) continue;
            room.add({memory.name, name, tensor.density, format_text(tensor), count_text(tensor.tile_words),
                      figure_text(tensor.expected_words), count_text(tensor.most_words),
                      count_text(tensor.most_metadata_bits)});
        }
    std::string text = computes_line(costs) + densities_text(einsum, costs) + accesses.text();
    if (!room.empty()) text += "\n" + room.text();
    return text;
}

}  // namespace tilewright::report
