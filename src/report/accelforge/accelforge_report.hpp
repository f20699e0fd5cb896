// AccelForge's accounting of a mapping, in text and JSON ("tilewright-accelforge/1").
#pragma once

#include <string>
#include <vector>

#include "accelforge/account/evaluate.hpp"
#include "report/report.hpp"

namespace tilewright::report {

struct AccelforgeReport {
    Provenance provenance;
    std::string machine;
    std::string workload;
    accelforge::Costs costs;
    std::vector<std::string> notes;
};

/// Energy and time, memories and their fill, components, actions by einsum and tensor.
std::string accelforge_text(const AccelforgeReport& report);

/// Energies in J, times in s, sizes in bits: AccelForge's own units.
std::string accelforge_json(const AccelforgeReport& report);

}  // namespace tilewright::report
