// Rows of DOSA's file of Timeloop runs in the terms of the library: a machine, a layer and a mapping each.
#pragma once

#include <cstdint>
#include <string>

#include "arch/architecture.hpp"
#include "mapping/mapping.hpp"
#include "table.hpp"
#include "timeloop/account/timeloop.hpp"
#include "workload/einsum.hpp"

namespace tilewright::silicon_study {

/// DOSA's machine with the sizes of one row's columns: `published` is the file they are changes of, whose levels are
/// DRAM, scratchpad, accumulators and registers.
Architecture dosa_machine(const Architecture& published, const Table& table, std::size_t row);

/// Timeloop's layer of a row. Strides and dilations are those of its columns.
Einsum dosa_layer(const Table& table, std::size_t row);

/// The mapping of a row: levels from DRAM inwards, spatial loops innermost in their level. Throws std::runtime_error
/// for text of another form.
Mapping dosa_mapping(const std::string& text, const Einsum& einsum);

/// What Timeloop counts of a row: the version of 2022, whose first partial sums are charged where they arrive and whose
/// halos end at a pause (docs/timeloop.md).
account::TimeloopResult dosa_counted(const Architecture& published, const Table& table, std::size_t row);

}  // namespace tilewright::silicon_study
