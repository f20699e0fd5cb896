// The latency of a loop order (spec/zigzag.md sections 8 and 9), for the order evaluator. Internal to account/zigzag.
#pragma once

#include "account/zigzag/lean_movement.hpp"

namespace tilewright::zigzag::lean {

/// Cycles with stalls, loading before and off-loading after the computation.
double latency_of(const Setup& setup, const Nest& nest);

}  // namespace tilewright::zigzag::lean
