#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/numbers/number_text.hpp"
#include "report/accelforge/accelforge_report.hpp"
#include "report/parts/table.hpp"

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
