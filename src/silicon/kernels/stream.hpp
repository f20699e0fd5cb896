// A layer without matrix products: its kernels' traffic and launches.
//
// Norms, activations, softmax, gathers. The software's kernels are listed; the ideal is one fused pass. The half of the
// last-level cache left by the previous kernel serves bytes up to its size.
//
// Pure functions; thread-safe.
#pragma once

#include <cstdint>

#include "silicon/kernels/machine.hpp"

namespace tilewright::silicon {

struct Stream {
    double ideal_bytes = 0.0;  ///< of one fused pass
    std::int64_t kernels = 1;
    double bytes = 0.0;           ///< moved by all kernels
    double repeated_bytes = 0.0;  ///< of these, re-read at once by the same kernel
    double cold_bytes = 0.0;      ///< of these, certainly uncached: rows of a table
    bool is_compiled = false;     ///< launched as compiled operators are

    bool operator==(const Stream&) const = default;
};

/// As run by the software, us.
double stream_us(const Stream& stream, const KernelMachine& machine);

/// Roofline: one launch and one pass from memory, us; without calibration of its own.
double fused_us(const Stream& stream, const KernelMachine& machine);

}  // namespace tilewright::silicon
