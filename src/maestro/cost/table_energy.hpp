// Energy in pJ of a layer under a dataflow: arithmetic, L1, L2 and DRAM at the prices of a machine.
//
// cost_of() counts accesses and weighs them as MAESTRO does, in multiply-accumulates. Here the same accesses, and those
// of the DRAM behind L2, have the prices that a machine of ours has: given in its files, or from the tables of
// docs/estimation.md. Leakage and wires are left out, as the counts know neither.
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
#include "maestro/dataflow/layer.hpp"

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

/// A machine with DRAM, an L2 in rows of 64 bits and a register file per unit in rows of an operand, whose energies
/// are not given yet. Sizes that the hardware leaves open are `l1_bytes` and `l2_bytes`. `technology`: "28nm", or ""
/// when not known.
Architecture described_machine(const Hardware& hardware, std::int64_t l1_bytes, std::int64_t l2_bytes,
                               const std::string& technology);

/// Of a machine with energies: its outermost DRAM, the outermost memory on the chip as L2, the innermost as L1 (as
/// in docs/maestro.md). Where one is missing its price is 0, and its source says so.
BytePrices byte_prices(const Architecture& machine);

TableEnergy table_energy(const Accesses& accesses, const Hardware& hardware, const BytePrices& prices);

/// One memory's part of it.
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
