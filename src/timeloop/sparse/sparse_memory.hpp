// What a memory costs once the accesses of sparse tensors are known (Timeloop, model/buffer.cpp). Internal to
// sparse_account.cpp.
#pragma once

#include "timeloop/sparse/state.hpp"

namespace tilewright::account {

/// Room and instances of one tensor, and its accesses.
sparse::TensorCosts sparse_costs(const SparseState& state, int tensor, int storage);

/// Does what a storage level holds fit, and does it have the instances?
std::optional<Violation> sparse_storage_refusal(const SparseState& state, int storage,
                                                const sparse::MemoryCosts& costs);

/// One memory, given the cycles of the compute array, without leakage.
TimeloopMemory evaluate_sparse_memory(const SparseState& state, int storage, const sparse::MemoryCosts& costs,
                                      std::int64_t compute_cycles);

/// Leakage of the instances of a memory that are in use over `cycles`.
double sparse_leakage_pj(const SparseState& state, int storage, std::int64_t cycles);

}  // namespace tilewright::account
