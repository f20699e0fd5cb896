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
#include "timeloop/sparse/state.hpp"

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

// Cost of a memory, given the sparse accesses (Timeloop, model/buffer.cpp). Internal to sparse_account.cpp.

/// Capacity, instances and accesses of one tensor.
sparse::TensorCosts sparse_costs(const SparseState& state, int tensor, int storage);

/// Whether a storage level's tiles fit and its instances suffice.
std::optional<Violation> sparse_storage_refusal(const SparseState& state, int storage,
                                                const sparse::MemoryCosts& costs);

/// One memory, given the array's cycles, without leakage.
TimeloopMemory evaluate_sparse_memory(const SparseState& state, int storage, const sparse::MemoryCosts& costs,
                                      std::int64_t compute_cycles);

/// Leakage over `cycles` of a memory's instances in use.
double sparse_leakage_pj(const SparseState& state, int storage, std::int64_t cycles);

}  // namespace tilewright::account
