// Cost of a memory, given the sparse accesses (Timeloop, model/buffer.cpp). Internal to sparse_account.cpp.
#pragma once

#include "timeloop/sparse/state.hpp"

namespace tilewright::account {

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
