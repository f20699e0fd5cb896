#include "silicon/kernels/machine.hpp"

#include <algorithm>
#include <cmath>

namespace tilewright::silicon {

double overlapped(double a, double b, double exponent) {
    const double longer = std::max(a, b);
    if (longer <= 0.0) return 0.0;
    return longer * std::pow(1.0 + std::pow(std::min(a, b) / longer, exponent), 1.0 / exponent);
}

namespace {

double launch_us(const Stream& stream, const KernelMachine& machine) {
    const Calibration& calibration = machine.calibration;
    return stream.is_compiled && calibration.compiled_launch_us >= 0.0 ? calibration.compiled_launch_us
                                                                       : calibration.launch_us;
}

// Time of bytes partly cached; `footprint`: bytes touched by one kernel.
double moved_us(double bytes, double footprint, const KernelMachine& machine) {
    const double memory = machine.reached_bytes_per_us();
    const double cache = machine.calibration.cache_bytes_per_us;
    if (cache <= memory || footprint <= 0.0) return bytes / memory;
    const double hit = std::min(1.0, machine.cache_share * machine.cache_bytes / footprint);
    return bytes * (hit / cache + (1.0 - hit) / memory);
}

}  // namespace

double stream_us(const Stream& stream, const KernelMachine& machine) {
    const auto kernels = static_cast<double>(stream.kernels);
    const double first = stream.bytes - stream.repeated_bytes - stream.cold_bytes;
    const double cache = machine.calibration.cache_bytes_per_us;
    const double again = stream.repeated_bytes / (cache > 0.0 ? cache : machine.reached_bytes_per_us());
    return kernels * launch_us(stream, machine) + stream.cold_bytes / machine.reached_bytes_per_us() +
           moved_us(first, stream.bytes / kernels, machine) + again;
}

double fused_us(const Stream& stream, const KernelMachine& machine) {
    return launch_us(stream, machine) + stream.ideal_bytes / machine.reached_bytes_per_us();
}

}  // namespace tilewright::silicon
