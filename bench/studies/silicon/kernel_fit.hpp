// Calibrates a machine of kernels on at most four named rows: launch, share of the bandwidth, share of the rate, and
// the rate of the cache (or, where there is none, the launch of compiled operators).
#pragma once

#include <optional>

#include "kernel_rows.hpp"

namespace tilewright::silicon_study {

struct NamedRows {
    std::optional<KernelRow> launch;
    std::optional<KernelRow> compiled_launch;
    std::optional<KernelRow> bandwidth;
    std::optional<KernelRow> rate;
    std::optional<KernelRow> cache;
};

/// The launch is what its row takes beyond the data sheet's roofline, for each of its kernels; the shares are those
/// with which the model takes as long as their rows, found by halving and repeated, for each moves the other a little.
/// A row that is not given leaves its number as it is.
silicon::KernelMachine calibrated(silicon::KernelMachine machine, const NamedRows& rows);

}  // namespace tilewright::silicon_study
