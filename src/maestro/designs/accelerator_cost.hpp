// Area and power of a two-level accelerator from its blocks' costs, and its buffers' access energies.
//
// A CostTable prices the blocks: a multiply-accumulate, buffer cells, bus and arbiter (growing with the units).
// maestro_2019() is the table behind the paper's figures (maestro-project/maestro at e1eab62, June 2019:
// DSE_cost-database.hpp, DSE_hardware_modules.hpp), 28 nm; native/cost_table.hpp reads others. Every cost is monotone
// in each argument: pruning relies on it, and the table reader enforces it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "maestro/cost/cost.hpp"

namespace tilewright::explore {

struct Accelerator {
    std::int64_t units = 1;
    std::int64_t vector_width = 1;         ///< multiply-accumulates per unit and cycle
    std::int64_t l1_bytes = 0;             ///< of each unit
    std::int64_t l2_bytes = 0;             ///< shared
    std::int64_t noc_bytes_per_cycle = 1;  ///< of the bus
};

struct BlockCost {
    double area_um2 = 0.0;
    double power_mw = 0.0;
};

/// A buffer has at least one cell.
struct CellCost {
    BlockCost cell;
    std::int64_t cell_bytes = 1;
};

/// `block` times (per_unit_squared * units^2 + per_unit * units + constant), at least `least`.
struct WiringCost {
    BlockCost block;
    double per_unit_squared = 0.0;
    double per_unit = 0.0;
    double constant = 0.0;
    BlockCost least;

    double of(std::int64_t units, double BlockCost::* cost) const;
};

/// Access energy per byte or word by buffer size, in multiply-accumulates: log-linear through the given points and
/// beyond; one point holds for every size.
class AccessCurve {
   public:
    struct Point {
        std::int64_t bytes = 1;
        double macs = 0.0;
    };
    /// Requires points with rising sizes and energies above 0.
    explicit AccessCurve(std::vector<Point> points);

    double macs(std::int64_t bytes) const;

   private:
    std::vector<Point> points_;
};

struct CostTable {
    std::string about;  ///< its source, for reports
    BlockCost mac;
    CellCost l1;
    CellCost l2;
    WiringCost bus;  ///< per byte of bandwidth
    WiringCost arbiter;
    AccessCurve l1_access{{{1, dataflow::AccessEnergy().l1}}};
    AccessCurve l2_access{{{1, dataflow::AccessEnergy().l2}}};

    dataflow::AccessEnergy access_energy(std::int64_t l1_bytes, std::int64_t l2_bytes) const {
        return {l1_access.macs(l1_bytes), l2_access.macs(l2_bytes)};
    }
};

const CostTable& maestro_2019();

double area_mm2(const Accelerator& accelerator, const CostTable& table = maestro_2019());
double power_mw(const Accelerator& accelerator, const CostTable& table = maestro_2019());

}  // namespace tilewright::explore
