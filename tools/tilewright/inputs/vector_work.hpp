// What runs on the vector unit of a machine, in a report beside what is mapped on its array.
#pragma once

#include <vector>

#include "arch/architecture.hpp"
#include "arch/vector_unit.hpp"
#include "inputs/inputs.hpp"
#include "report/report.hpp"

namespace tilewright::cli {

/// Appends a layer without mapping for each: equal ones are counted once, with their repeats.
void add_vector_work(const std::vector<Inputs::VectorWork>& work, const Architecture& architecture,
                     const VectorUnit& unit, report::Report& report);

}  // namespace tilewright::cli
