// What a layer costs under a dataflow on a two-level machine: legality, counts, buffers, energy.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "maestro/analysis/counts.hpp"
#include "maestro/analysis/legality.hpp"
#include "maestro/dataflow/problem.hpp"

namespace tilewright::dataflow {

/// Energies of an access in units of a multiply-accumulate. Those of MAESTRO: CACTI at 28 nm, 2 KB L1 and 1 MB L2
/// (Fig. 11), as its public sources have them (base/BASE_constants.hpp).
struct AccessEnergy {
    double l1 = 1.68;
    double l2 = 18.61;
};

/// Words that go in or out of a memory, over the whole run and all units.
struct Moved {
    double operands = 0.0;  ///< inputs and filters
    double sums = 0.0;      ///< results, partial ones among them

    double words() const { return operands + sums; }
    bool operator==(const Moved&) const = default;
};

/// An operation reads two operands and a sum and writes a sum in L1, and what is delivered is written there. L2 is read
/// for what it sends and for the final results, and written with the results that come back and with every operand
/// once; those come from DRAM, to which the final results go (MAESTRO, section 4.4).
struct Accesses {
    double operations = 0.0;
    Moved l1_reads;
    Moved l1_writes;
    Moved l2_reads;
    Moved l2_writes;
    Moved dram_reads;
    Moved dram_writes;
};

/// Who counted.
enum class CountedBy : std::uint8_t {
    closed_forms,
    every_step  ///< a walk; no closed form to compare it with
};

struct LayerCost {
    std::vector<std::string> failures;  ///< why there are no counts; empty when there are
    std::vector<Finding> findings;      ///< what makes the dataflow illegal
    std::vector<Level> levels;
    std::optional<Counts> counts;  ///< of what is not zero: with the layer's densities
    CountedBy counted_by = CountedBy::closed_forms;
    std::int64_t operations = 0;  ///< that the layer needs, without zeros
    std::int64_t l1_bytes = 0;    ///< of a unit: twice its tile (MAESTRO, section 4.4), zeros included, as in l2_bytes
    std::int64_t l2_bytes = 0;    ///< twice the distinct operands of two steps, and the results of one
    Accesses accesses;
    double energy_operations = 0.0;  ///< in multiply-accumulates: arithmetic, L1, L2
    double utilization = 0.0;        ///< operations per cycle, unit and lane
};

/// In multiply-accumulates.
double energy_of(const Accesses& accesses, const AccessEnergy& energy);

/// What happens to dataflows that closed forms do not cover.
enum class Beyond : std::uint8_t {
    walk,   ///< every step is visited, if the layer is small enough: up to a second
    refuse  ///< they have no counts
};

/// Throws OverflowError.
LayerCost cost_of(const Layer& layer, const Dataflow& dataflow, const Parameters& parameters, const Hardware& hardware,
                  const AccessEnergy& energy = {}, Beyond beyond = Beyond::walk);

/// What a unit's L1 holds: twice its tile (MAESTRO, section 4.4). Requires levels of this problem. Throws
/// OverflowError.
std::int64_t l1_bytes_of(const CompleteLayer& problem, const std::vector<Level>& levels, const Hardware& hardware);

/// The dataflow for a layer that it was not written for: without maps of dimensions that the layer lacks, and with no
/// tile larger than its dimension.
Dataflow fitted(const Dataflow& dataflow, const Layer& layer, const Parameters& parameters);

}  // namespace tilewright::dataflow
