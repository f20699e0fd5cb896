#include "explore/accelerator_cost.hpp"

#include <algorithm>

namespace tilewright::explore {
namespace {

/// A part and what one of it costs.
struct Part {
    double area_um2;
    double power_mw;
};

constexpr Part kMac{4470.9014, 1.2223};
constexpr Part kL1Cell{4505.1889, 0.2208};
constexpr Part kL2Cell{4161.536, 4.0};
constexpr Part kBusWire{101.7938, 0.8e-3};  // per byte of bandwidth, times the bus
constexpr Part kArbiter{395.473, 0.34e-3};  // times the arbiter
constexpr std::int64_t kL1CellBytes = 64;
constexpr std::int64_t kL2CellBytes = 32768;

double cells(std::int64_t bytes, std::int64_t cell_bytes) {
    return static_cast<double>(std::max<std::int64_t>((bytes + cell_bytes - 1) / cell_bytes, 1));
}

double total(const Accelerator& accelerator, double Part::* cost) {
    const auto units = static_cast<double>(accelerator.units);
    const double bus = 14.662 * units + 28.895;
    const double arbiter = std::max(1.2886 * units * units + 5.5814 * units - 23.711, 1.0);
    const double unit = kMac.*cost * static_cast<double>(accelerator.vector_width) +
                        kL1Cell.*cost * cells(accelerator.l1_bytes, kL1CellBytes);
    return units * unit + kL2Cell.*cost * cells(accelerator.l2_bytes, kL2CellBytes) +
           kBusWire.*cost * bus * static_cast<double>(accelerator.noc_bytes_per_cycle) + kArbiter.*cost * arbiter;
}

}  // namespace

double area_mm2(const Accelerator& accelerator) { return total(accelerator, &Part::area_um2) * 1e-6; }

double power_mw(const Accelerator& accelerator) { return total(accelerator, &Part::power_mw); }

}  // namespace tilewright::explore
