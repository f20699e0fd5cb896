// SCALE-Sim's cycles for people and machines: a row per layer, under the machine's dataflow and under the other two.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/report.hpp"
#include "scalesim/systolic.hpp"
#include "workload/network.hpp"

namespace tilewright::report {

struct ScaleSimLayer {
    std::string name;
    std::int64_t repeats = 1;
    scalesim::Product product;
    scalesim::SystolicRun run;             ///< under the machine's dataflow
    std::array<std::int64_t, 3> cycles{};  ///< by scalesim::Stationary
};

struct ScaleSimReport {
    Provenance provenance;
    std::string machine;
    std::string network;
    scalesim::SystolicArray array;
    scalesim::Stationary stationary = scalesim::Stationary::output;
    std::optional<std::int64_t> words_per_cycle;  ///< of the memories, if cycles include stalls
    std::vector<ScaleSimLayer> layers;
    std::vector<UnmappedOperator> unmapped;  ///< with layers that are no matrix products
    std::vector<std::string> notes;

    std::int64_t total_cycles(scalesim::Stationary stationary) const;
    std::int64_t total_stalled() const;
};

std::string scalesim_text(const ScaleSimReport& report);
/// "tilewright-scalesim/1"
std::string scalesim_json(const ScaleSimReport& report);

}  // namespace tilewright::report
