#include "kernel_fit.hpp"

#include <cmath>

namespace tilewright::silicon_study {
namespace {

constexpr int kHalvings = 60;
constexpr int kRounds = 4;

double kernels_of(const Work& work) {
    const auto* stream = std::get_if<silicon::Stream>(&work);
    return stream == nullptr ? 1.0 : static_cast<double>(stream->kernels);
}

// Sets `value`, part of the machine, to where the row's prediction, which falls as it grows, is what was measured.
void solve(const KernelRow& row, const silicon::KernelMachine& machine, double& value, double low, double high) {
    for (int i = 0; i < kHalvings; ++i) {
        value = std::sqrt(low * high);
        (predicted_us(row.work, machine) > row.measured_us ? low : high) = value;
    }
}

}  // namespace

silicon::KernelMachine calibrated(silicon::KernelMachine machine, const NamedRows& rows) {
    silicon::Calibration& values = machine.calibration;
    if (rows.launch)
        values.launch_us =
            (rows.launch->measured_us - roofline_us(rows.launch->work, machine)) / kernels_of(rows.launch->work);
    if (rows.compiled_launch) values.compiled_launch_us = rows.compiled_launch->measured_us;
    for (int round = 0; round < kRounds; ++round) {
        if (rows.bandwidth) solve(*rows.bandwidth, machine, values.bandwidth_share, 0.05, 4.0);
        if (rows.rate) solve(*rows.rate, machine, values.rate_share, 0.05, 4.0);
    }
    if (rows.cache) solve(*rows.cache, machine, values.cache_bytes_per_us, 1e5, 1e9);
    return machine;
}

}  // namespace tilewright::silicon_study
