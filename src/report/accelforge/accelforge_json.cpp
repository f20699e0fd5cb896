#include <cmath>
#include <optional>
#include "report/accelforge/accelforge_report.hpp"
#include "report/document.hpp"
#include "report/fields.hpp"

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
