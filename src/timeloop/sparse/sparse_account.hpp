// Timeloop's counting of sparse accelerators (Sparseloop), to the digit: timeloop-model's report for an even mapping on
// a machine with compression, gating and skipping.
//
// The dense counts (timeloop/account), its "algorithmic" ones, come first. Formats, expected tile occupancy, gating and
// skipping follow by expectation, step by step as in Timeloop, faults included (docs/timeloop.md). Networks see the
// dense traffic.
//
// Pure functions of values; thread-safe.
#pragma once

#include "sparse/costs.hpp"
#include "sparse/design.hpp"
#include "timeloop/account/timeloop.hpp"
#include "timeloop/sparse/full_nest.hpp"

namespace tilewright::account {

struct SparseResult {
    /// The common figures: reads, fills and updates are the actual ones, `computes` the actual computes. `refusal` as
    /// for dense layers; also where Timeloop exits, or would divide by 0, on a format or an optimisation.
    TimeloopResult common;
    sparse::Costs costs;
    double compute_instances = 0.0;  ///< in use, on average
};

/// Accesses, addresses and leakage, added in Timeloop's order.
double memory_energy_pj(const TimeloopMemory& memory);

/// Requires a density per tensor and a design per memory. `orders`: of the mapping's file (read_loop_orders), or {}.
/// Throws OverflowError.
SparseResult sparse_timeloop(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                             const sparse::Design& design, const LoopOrders& orders = {},
                             const TimeloopOptions& options = {});

}  // namespace tilewright::account
