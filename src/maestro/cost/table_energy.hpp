// Energy in pJ of a layer under a dataflow: arithmetic, L1, L2 and DRAM at a machine's prices.
//
// cost_of() weighs accesses in multiply-accumulates, as MAESTRO does. Here the same accesses, plus those of the DRAM
// behind L2, take the prices of a machine: from its files, or from the tables of docs/estimation.md. Without leakage
// and wires, absent from the counts.
//
//     const LayerCost cost = cost_of(layer, dataflow, {}, hardware);
//     const BytePrices prices = byte_prices(described_machine(hardware, cost.l1_bytes, cost.l2_bytes, "28nm"));
//     const TableEnergy energy = table_energy(cost.accesses, hardware, prices);   // energy.total_pj()
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "maestro/cost/cost.hpp"
#include "maestro/dataflow/dataflow.hpp"

namespace tilewright::dataflow {

/// pJ per byte; of an operation, pJ.
struct BytePrices {
    double operation_pj = 0.0;
    double l1_read_pj = 0.0;
    double l1_write_pj = 0.0;
    double l2_read_pj = 0.0;
    double l2_write_pj = 0.0;
    double dram_read_pj = 0.0;
    double dram_write_pj = 0.0;
    std::vector<std::string> sources;  ///< "L1 (spad): CACTI 7 table, ...", in the order of the parts
};

/// Energy of one run of a layer by part, pJ.
struct TableEnergy {
    double operations_pj = 0.0;
    double l1_pj = 0.0;
    double l2_pj = 0.0;
    double dram_pj = 0.0;

    double total_pj() const { return operations_pj + l1_pj + l2_pj + dram_pj; }
};

/// A machine with DRAM, an L2 in rows of 64 bits and a register file per unit in rows of an operand, without energies.
/// Sizes missing from the hardware are `l1_bytes` and `l2_bytes`. `technology`: "28nm", or "" if unknown.
Architecture described_machine(const Hardware& hardware, std::int64_t l1_bytes, std::int64_t l2_bytes,
                               const std::string& technology);

/// From a machine with energies: its outermost DRAM, the outermost on-chip memory as L2, the innermost as L1
/// (docs/maestro.md). A missing one has price 0, stated in its source.
BytePrices byte_prices(const Architecture& machine);

TableEnergy table_energy(const Accesses& accesses, const Hardware& hardware, const BytePrices& prices);

struct MemoryEnergy {
    const char* name = "";
    Moved reads;   ///< words
    Moved writes;  ///< words
    double operands_pj = 0.0;
    double sums_pj = 0.0;
};
/// DRAM, L2 and L1.
std::array<MemoryEnergy, 3> memory_energies(const Accesses& accesses, const Hardware& hardware,
                                            const BytePrices& prices);

}  // namespace tilewright::dataflow
