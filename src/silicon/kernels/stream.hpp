// A layer that multiplies no matrices: what its kernels move, and how often one is launched.
//
// Norms, activations, softmax, gathers. What a software really runs is in its list of kernels; the ideal is one fused
// pass. Bytes come from the last-level cache as far as the half of it that the kernel before left holds them.
//
// Pure functions; thread-safe.
#pragma once

#include <cstdint>

#include "silicon/kernels/machine.hpp"

namespace tilewright::silicon {

struct Stream {
    double ideal_bytes = 0.0;  ///< of one fused pass
    std::int64_t kernels = 1;
    double bytes = 0.0;           ///< that all kernels move
    double repeated_bytes = 0.0;  ///< of these, read again at once by the kernel that read them before
    double cold_bytes = 0.0;      ///< of these, surely in no cache: rows of a table
    bool is_compiled = false;     ///< launched as compiled operators are

    bool operator==(const Stream&) const = default;
};

/// As the software runs it, us.
double stream_us(const Stream& stream, const KernelMachine& machine);

/// One launch and one pass from memory, us: the data sheet's roofline where nothing is calibrated.
double fused_us(const Stream& stream, const KernelMachine& machine);

}  // namespace tilewright::silicon
