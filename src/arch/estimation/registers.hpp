// Register files from standard-cell facts (data/tables/cells.csv): one register per bit, and a row decoder at the cost
// of one address comparator per row. One as deep as an SRAM is built as the cheaper, as by a compiler.
#pragma once

#include <string>
#include <vector>

#include "arch/estimation/sram.hpp"

namespace tilewright {

/// True for register-file classes: "regfile", "smartbuffer_RF", "aladdin_register", ...
bool is_register_file(const std::string& kind);

/// Of the whole register file; energies per access of one row. Reading and writing cost the same.
SramEstimate estimate_registers(const SramShape& shape);

}  // namespace tilewright
