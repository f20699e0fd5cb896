// Soundness of a fused mapping before counting: the faulty nodes and reasons.
//
// Faults of its run are found by the model (model/fused/model.hpp): a box without a legal leaf mapping, a tensor made
// in part only, a memory that is too small.
#pragma once

#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "mapping/fused/fused_mapping.hpp"

namespace tilewright {

struct FusedViolation {
    std::string message;
    int node = -1;           ///< of FusedMapping::nodes; -1: the mapping as a whole
    bool left_open = false;  ///< the leaf's only fault: no mapping was given

    bool operator==(const FusedViolation&) const = default;
};

/// All of them; empty means sound:
/// - no tree, einsums without a leaf;
/// - a tensor read before it is written, or without a store at its use;
/// - a store outside its readers, in a memory outside the one around it, or in one with several instances;
/// - inputs and final results without a store in the outermost memory outside all loops;
/// - a reduction finished too late: a shared loop of it outside all stores of its result;
/// - results of a step not read in it, or with words that do not determine their iterations;
/// - einsums that do not run equally often (blocks) within one group or around one store.
std::vector<FusedViolation> check_fused(const Cascade& cascade, const Architecture& architecture,
                                        const FusedMapping& mapping);

/// Each word of a result belongs to iterations given by its place: every axis is a number in mixed radix of its
/// dimensions ("k", "64h+e").
bool says_its_iterations(const Access& access, const Einsum& einsum);

}  // namespace tilewright
