#include "maestro/designs/accelerator_cost.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tilewright::explore {
namespace {

double cells(std::int64_t bytes, std::int64_t cell_bytes) {
    return static_cast<double>(std::max<std::int64_t>((bytes + cell_bytes - 1) / cell_bytes, 1));
}

double total(const Accelerator& accelerator, const CostTable& table, double BlockCost::* cost) {
    const double unit = table.mac.*cost * static_cast<double>(accelerator.vector_width) +
                        table.l1.cell.*cost * cells(accelerator.l1_bytes, table.l1.cell_bytes);
    return static_cast<double>(accelerator.units) * unit +
           table.l2.cell.*cost * cells(accelerator.l2_bytes, table.l2.cell_bytes) +
           table.bus.of(accelerator.units, cost) * static_cast<double>(accelerator.noc_bytes_per_cycle) +
           table.arbiter.of(accelerator.units, cost);
}

}  // namespace

double WiringCost::of(std::int64_t units, double BlockCost::* cost) const {
    const auto n = static_cast<double>(units);
    return std::max(block.*cost * (per_unit_squared * n * n + per_unit * n + constant), least.*cost);
}

AccessCurve::AccessCurve(std::vector<Point> points) : points_(std::move(points)) {}

double AccessCurve::macs(std::int64_t bytes) const {
    if (points_.size() == 1) return points_.front().macs;
    std::size_t right = 1;
    while (right + 1 < points_.size() && points_[right].bytes < bytes) ++right;
    const Point& from = points_[right - 1];
    const Point& to = points_[right];
    const auto log_of = [](std::int64_t size) {
        return std::log(static_cast<double>(std::max<std::int64_t>(size, 1)));
    };
    const double slope = std::log(to.macs / from.macs) / (log_of(to.bytes) - log_of(from.bytes));
    return from.macs * std::exp(slope * (log_of(bytes) - log_of(from.bytes)));
}

const CostTable& maestro_2019() {
    static const CostTable kTable{.about = "MAESTRO's regression of 2019 (28 nm)",
                                  .mac = {4470.9014, 1.2223},
                                  .l1 = {{4505.1889, 0.2208}, 64},
                                  .l2 = {{4161.536, 4.0}, 32768},
                                  .bus = {{101.7938, 0.8e-3}, 0.0, 14.662, 28.895, {}},
                                  .arbiter = {{395.473, 0.34e-3}, 1.2886, 5.5814, -23.711, {395.473, 0.34}}};
    return kTable;
}

double area_mm2(const Accelerator& accelerator, const CostTable& table) {
    return total(accelerator, table, &BlockCost::area_um2) * 1e-6;
}

double power_mw(const Accelerator& accelerator, const CostTable& table) {
    return total(accelerator, table, &BlockCost::power_mw);
}

}  // namespace tilewright::explore
