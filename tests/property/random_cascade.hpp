// Random small cascades, a machine for them, and random fused mappings: chains, residual additions, several readers,
// strides, padding, groups, reductions over shared loops, branches within branches.
#pragma once

#include <cstdint>

#include "arch/architecture.hpp"
#include "mapping/fused/fused_mapping.hpp"
#include "workload/cascade/cascade.hpp"

namespace tilewright::property {

struct FusedProblem {
    Cascade cascade;
    Architecture architecture;
    FusedMapping mapping;
};

/// The einsums have at most `operations` points together. Most mappings are sound, not all.
FusedProblem random_fused_problem(std::uint64_t seed, std::int64_t operations);

/// Attention: scores, row statistics that may be read unfinished, weights of the values, and their sum.
FusedProblem random_attention_problem(std::uint64_t seed);

/// Four memories (DRAM, L2, L1, and four Registers), energies that are whole numbers, limited bandwidths.
Architecture fused_machine();

}  // namespace tilewright::property
