// The fields of what `tilewright evaluate` writes of AccelForge's mappings as JSON (yaml/archive.hpp). Internal to
// report/.
#pragma once

#include <cmath>
#include <optional>

#include "report/accelforge/accelforge_report.hpp"
#include "report/machine_fields.hpp"

namespace tilewright::accelforge {

inline yaml::Entries<double> by_name(const std::vector<NamedFigure>& figures) {
    yaml::Entries<double> entries;
    for (const NamedFigure& one : figures) entries.emplace_back(one.name, one.value);
    return entries;
}

template <typename Archive, yaml::Of<ActionCount> T>
void fields(Archive& archive, T& action) {
    archive.name("ActionCount");
    archive("component", action.component);
    archive.derived("tensor", action.tensor.empty() ? std::nullopt : std::optional(action.tensor), "null: of computes");
    archive("action", action.action);
    archive("count", action.count, "of all instances; bits where an action has one bit");
    archive("energy_j", action.energy_j);
}

template <typename Archive, yaml::Of<EinsumCosts> T>
void fields(Archive& archive, T& einsum) {
    archive.name("EinsumCosts");
    archive("name", einsum.einsum);
    archive("energy_j", einsum.energy_j);
    archive("latency_s", einsum.latency_s);
    archive("actions", einsum.actions);
    archive.derived("leak_j", by_name(einsum.leak_j), "by component");
    archive.derived("seconds", by_name(einsum.seconds), "by component; the largest is latency_s");
}

template <typename Archive, yaml::Of<MemoryUse> T>
void fields(Archive& archive, T& use) {
    archive.name("MemoryUse");
    archive("name", use.memory);
    archive("peak_bits", use.bits, "the most that is reserved at any time, of one instance");
    archive.derived("size_bits", std::isinf(use.size_bits) ? std::nullopt : std::optional(use.size_bits),
                    "null: without limit");
}

}  // namespace tilewright::accelforge

namespace tilewright::report {

template <typename Archive, yaml::Of<AccelforgeReport> T>
void fields(Archive& archive, T& report) {
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
