#include <algorithm>
#include <cmath>

#include "silicon/accelerator/kernels.hpp"

namespace tilewright::silicon {
namespace {

constexpr double kReached = 0.99;  // of the limit, by the meter

// Energy of an operation, in those of 16 bits.
double energy_factor(Precision precision) {
    if (precision == Precision::nvfp4) return 0.5;
    return precision == Precision::fp8 || precision == Precision::fp8_block ? 0.55 : 1.0;
}

}  // namespace

double pointwise_us(const Accelerator& machine, double words, double bytes_per_word) {
    constexpr double kLaunches = 1.6 / 2.3;  // of a product's
    constexpr double kCached = 2.0;          // the kernel before left the words in the cache
    return kLaunches * machine.calibrated.launch_us +
           words * bytes_per_word / (kCached * machine.reached_bytes_per_us());
}

double dynamic_watts(const Accelerator& machine, Precision precision, double operations, double bytes, double us) {
    constexpr double kPicojoules = 1e-6;  // per us, in watts
    const PowerNumbers& numbers = *machine.power;
    return (numbers.pj_per_operation * energy_factor(precision) * operations + numbers.pj_per_byte * bytes) / us *
           kPicojoules;
}

double available_watts(const Accelerator& machine) {
    return kReached * machine.sheet.power_watts - machine.power->idle_watts - machine.power->busy_watts;
}

double power_watts(const Accelerator& machine, Precision precision, double operations, double bytes, double us,
                   double seconds) {
    constexpr double kLagSeconds = 0.08;  // of the meter
    const PowerNumbers& numbers = *machine.power;
    double watts = numbers.idle_watts + numbers.busy_watts + dynamic_watts(machine, precision, operations, bytes, us);
    if (machine.sheet.power_watts > 0.0) watts = std::min(watts, kReached * machine.sheet.power_watts);
    if (seconds <= 0.0) return watts;
    const double seen = 1.0 - kLagSeconds / seconds * (1.0 - std::exp(-seconds / kLagSeconds));
    return numbers.idle_watts + (watts - numbers.idle_watts) * seen;
}

}  // namespace tilewright::silicon
