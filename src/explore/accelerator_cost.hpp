// Area and power of a two-level accelerator by the regression of MAESTRO's public design-space exploration.
//
// The constants are those of the sources that the paper's figures were made with (maestro-project/maestro at e1eab62,
// June 2019: DSE_cost-database.hpp, DSE_hardware_modules.hpp), 28 nm: cells of 64 bytes (L1) and 32 KiB (L2), a bus
// that is linear in the units and an arbiter that is quadratic in them. Everything grows, or stays, with each argument:
// that is what pruning rests on.
#pragma once

#include <cstdint>

namespace tilewright::explore {

struct Accelerator {
    std::int64_t units = 1;
    std::int64_t vector_width = 1;         ///< multiply-accumulates per unit and cycle
    std::int64_t l1_bytes = 0;             ///< of each unit
    std::int64_t l2_bytes = 0;             ///< shared
    std::int64_t noc_bytes_per_cycle = 1;  ///< of the bus
};

double area_mm2(const Accelerator& accelerator);
double power_mw(const Accelerator& accelerator);

}  // namespace tilewright::explore
