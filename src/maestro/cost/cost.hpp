// Cost of a layer under a dataflow on a two-level machine: legality, counts, buffers, energy.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "maestro/analysis/analysis.hpp"
#include "maestro/analysis/delivery.hpp"
#include "maestro/dataflow/problem.hpp"

namespace tilewright::dataflow {

/// Access energies in multiply-accumulates. MAESTRO's: CACTI at 28 nm, 2 KB L1 and 1 MB L2 (Fig. 11), from its public
/// sources (base/BASE_constants.hpp).
struct AccessEnergy {
    double l1 = 1.68;
    double l2 = 18.61;
};

/// Words into or out of a memory, over the whole run and all units.
struct Moved {
    double operands = 0.0;  ///< inputs and filters
    double sums = 0.0;      ///< results, partial ones included

    double words() const { return operands + sums; }
    bool operator==(const Moved&) const = default;
};

/// In L1 an operation reads two operands and a sum and writes a sum; deliveries are written there. L2 is read for its
/// deliveries and for the final results, and written with returning results and once with every operand; operands come
/// from DRAM, final results go there (MAESTRO, section 4.4).
struct Accesses {
    double operations = 0.0;
    Moved l1_reads;
    Moved l1_writes;
    Moved l2_reads;
    Moved l2_writes;
    Moved dram_reads;
    Moved dram_writes;
};

/// Origin of the counts.
enum class CountedBy : std::uint8_t {
    closed_forms,
    every_step  ///< a walk; no closed form for comparison
};

struct LayerCost {
    std::vector<std::string> failures;  ///< reasons for missing counts
    std::vector<Finding> findings;      ///< violations of legality
    std::vector<Level> levels;
    std::optional<Counts> counts;  ///< of non-zeros, by the layer's densities
    CountedBy counted_by = CountedBy::closed_forms;
    std::int64_t operations = 0;  ///< required by the layer, without zeros
    std::int64_t l1_bytes = 0;    ///< per unit: twice its tile (MAESTRO, section 4.4), zeros included, as in l2_bytes
    std::int64_t l2_bytes = 0;    ///< twice the distinct operands of two steps, and the results of one
    Accesses accesses;
    double energy_operations = 0.0;  ///< in multiply-accumulates: arithmetic, L1, L2
    double utilization = 0.0;        ///< operations per cycle, unit and lane
};

/// In multiply-accumulates.
double energy_of(const Accesses& accesses, const AccessEnergy& energy);

/// Treatment of dataflows beyond the closed forms.
enum class Beyond : std::uint8_t {
    walk,   ///< every step is visited, for small layers: up to a second
    refuse  ///< they have no counts
};

/// Throws OverflowError.
LayerCost cost_of(const Layer& layer, const Dataflow& dataflow, const Parameters& parameters, const Hardware& hardware,
                  const AccessEnergy& energy = {}, Beyond beyond = Beyond::walk);

/// A unit's L1: twice its tile (MAESTRO, section 4.4). Requires levels of this problem. Throws OverflowError.
std::int64_t l1_bytes_of(const CompleteLayer& problem, const std::vector<Level>& levels, const Hardware& hardware);

/// The dataflow adapted to another layer: without maps of absent dimensions, tiles clipped to their dimensions.
Dataflow fitted(const Dataflow& dataflow, const Layer& layer, const Parameters& parameters);

}  // namespace tilewright::dataflow
