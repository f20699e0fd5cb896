#include "report/accelforge/accelforge_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/numbers/number_text.hpp"
#include "report/document.hpp"
#include "report/fields.hpp"
#include "report/parts/table.hpp"

namespace tilewright::accelforge {

inline yaml::Entries<double> by_name(const std::vector<NamedFigure>& figures) {
    yaml::Entries<double> entries;
    for (const NamedFigure& one : figures) entries.emplace_back(one.name, one.value);
    return entries;
}

void fields(yaml::Archive& archive, ActionCount& action) {
    archive.name("ActionCount");
    archive("component", action.component);
    archive.derived("tensor", action.tensor.empty() ? std::nullopt : std::optional(action.tensor), "null: of computes");
    archive("action", action.action);
    archive("count", action.count, "of all instances; bits where an action has one bit");
    archive("energy_j", action.energy_j);
}

void fields(yaml::Archive& archive, EinsumCosts& einsum) {
    archive.name("EinsumCosts");
    archive("name", einsum.einsum);
    archive("energy_j", einsum.energy_j);
    archive("latency_s", einsum.latency_s);
    archive("actions", einsum.actions);
    archive.derived("leak_j", by_name(einsum.leak_j), "by component");
    archive.derived("seconds", by_name(einsum.seconds), "by component; the largest is latency_s");
}

void fields(yaml::Archive& archive, MemoryUse& use) {
    archive.name("MemoryUse");
    archive("name", use.memory);
    archive("peak_bits", use.bits, "the most that is reserved at any time, of one instance");
    archive.derived("size_bits", std::isinf(use.size_bits) ? std::nullopt : std::optional(use.size_bits),
                    "null: without limit");
}

}  // namespace tilewright::accelforge

namespace tilewright::report {

void fields(yaml::Archive& archive, AccelforgeReport& report) {
    document::begin(archive, "tilewright-accelforge/1", report.provenance);
    archive("machine", report.machine, "the file with `arch`, without its ending");
    archive("workload", report.workload, "the file with `workload`, without its ending");
    archive.group("totals", [&](auto& totals) {
        totals("energy_j", report.costs.energy_j);
        totals("latency_s", report.costs.latency_s, "einsums one after the other");
    });
    archive("memories", report.costs.memories);
    archive("einsums", report.costs.einsums);
    archive("notes", report.notes);
}

}  // namespace tilewright::report

namespace tilewright::report {

std::string accelforge_json(const AccelforgeReport& report) { return dumped(yaml::place_of(report)); }

}  // namespace tilewright::report

namespace tilewright::report {
namespace {

std::string amount_text(double value) {
    constexpr double kExact = 9e15;
    return value == std::floor(value) && std::abs(value) < kExact ? count_text(static_cast<std::int64_t>(value))
                                                                  : figure_text(value);
}

std::string rooms_text(const AccelforgeReport& report) {
    Table table({"memory", "peak bits", "of"}, "lrr");
    for (const accelforge::MemoryUse& use : report.costs.memories)
        table.add(
            {use.memory, amount_text(use.bits), std::isinf(use.size_bits) ? "unlimited" : amount_text(use.size_bits)});
    return table.text();
}

std::string einsums_text(const AccelforgeReport& report) {
    Table table({"einsum", "energy", "latency", "bound"}, "lrrl");
    for (const accelforge::EinsumCosts& one : report.costs.einsums) {
        const auto bound = std::ranges::max_element(one.seconds, {}, &accelforge::NamedFigure::value);
        table.add({one.einsum, si_text(one.energy_j, "J"), si_text(one.latency_s, "s"),
                   one.latency_s > 0.0 ? bound->name : ""});
    }
    return table.text();
}

std::string tensor_actions_text(const AccelforgeReport& report) {
    Table table({"einsum", "component", "tensor", "action", "count", "energy"}, "llllrr");
    for (const accelforge::EinsumCosts& one : report.costs.einsums)
        for (const accelforge::ActionCount& action : one.actions)
            if (action.count != 0.0)
                table.add({one.einsum, action.component, action.tensor, action.action, amount_text(action.count),
                           si_text(action.energy_j, "J")});
    return table.text();
}

}  // namespace

std::string accelforge_text(const AccelforgeReport& report) {
    const std::string title = report.workload + " on " + report.machine + ", as AccelForge counts";
    std::string text = title + "\n" + std::string(title.size(), '=') + "\n";
    text +=
        fmt::format("  energy   {}\n  latency  {}\n  EDP      {} J*s\n\n", si_text(report.costs.energy_j, "J"),
                    si_text(report.costs.latency_s, "s"), figure_text(report.costs.energy_j * report.costs.latency_s));
    text += rooms_text(report) + "\n" + einsums_text(report) + "\n" + tensor_actions_text(report);
    if (!report.notes.empty()) text += "\n";
    for (const std::string& note : report.notes) text += "  note: " + note + "\n";
    return text;
}

}  // namespace tilewright::report
