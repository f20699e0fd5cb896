#include <fmt/format.h>

#include <cmath>

#include "base/numbers/number_text.hpp"
#include "report/parts/table.hpp"
#include "report/summary.hpp"

namespace tilewright::report {
namespace {

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
           "  layer by layer; `map --fuse --buffers` shows the savings of a larger buffer between layers\n";
}

}  // namespace tilewright::report
