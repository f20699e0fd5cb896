// The latency of a loop order (port_time.hpp), for the order evaluator. Internal to account/zigzag.
#pragma once

#include "zigzag/lean/movement.hpp"

namespace tilewright::zigzag::lean {

/// Cycles with stalls, loading and unloading.
double latency_of(const Setup& setup, const Nest& nest);

}  // namespace tilewright::zigzag::lean
