// Register files from standard-cell facts (data/tables/cells.csv): one register per bit, and a row decoder that costs
// as much as one address comparator per row. A register file as deep as an SRAM is built as one when that is cheaper,
// as a compiler would.
#pragma once

#include <string>
#include <vector>

#include "arch/estimation/sram.hpp"

namespace tilewright {

/// True for the component classes that stand for register files: "regfile", "smartbuffer_RF", "aladdin_register", ...
bool is_register_file(const std::string& kind);

/// Of the whole register file; energies per access of one row. Reading and writing cost the same.
SramEstimate estimate_registers(const SramShape& shape);

}  // namespace tilewright
