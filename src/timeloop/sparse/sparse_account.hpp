// Timeloop's counting of sparse accelerators (Sparseloop), to the digit: what timeloop-model reports for an even
// mapping on a machine that compresses, gates and skips.
//
// The dense counts (timeloop/account) come first; they are what it calls algorithmic. Formats, what tiles hold on
// average, and what is gated and skipped follow from them by expectation, step by step as Timeloop does it, with its
// faults (docs/timeloop.md). Networks see the dense traffic.
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

/// Of all accesses, addresses and leakage, added up in Timeloop's order.
double memory_energy_pj(const TimeloopMemory& memory);

/// Requires a density and a memory's design for every tensor and memory of the layer and the machine. `orders`: those
/// of the mapping's file (read_loop_orders), or {}. Throws OverflowError.
SparseResult sparse_timeloop(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                             const sparse::Design& design, const LoopOrders& orders = {},
                             const TimeloopOptions& options = {});

}  // namespace tilewright::account
