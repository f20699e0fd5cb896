// Is a fused mapping sound, before anything is counted? Where not: which node, and why.
//
// What only shows when it runs is said by the model (model/fused/model.hpp): a box without a legal leaf mapping,
// a tensor of which only a part is made, a memory that is too small.
#pragma once

#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "mapping/fused/fused_mapping.hpp"

namespace tilewright {

struct FusedViolation {
    std::string message;
    int node = -1;           ///< of FusedMapping::nodes; -1: the mapping as a whole
    bool left_open = false;  ///< all that is wrong with this leaf is that no mapping was given for it

    bool operator==(const FusedViolation&) const = default;
};

/// All of them; empty means sound:
/// - a tree that is none, einsums without a leaf;
/// - a tensor that is read before it is written, or that no store holds where it is used;
/// - a store outside its readers, in a memory that lies outside the one around it or that has several instances;
/// - tensors from outside, and results that are wanted there, without a store in the outermost memory outside all
/// loops;
/// - a reduction that is finished too late: a shared loop of it outside all stores of its result;
/// - results of a step that are not read in it, or whose words do not say which iterations make them;
/// - einsums that do not run equally often (blocks) within one group or around one store.
std::vector<FusedViolation> check_fused(const Cascade& cascade, const Architecture& architecture,
                                        const FusedMapping& mapping);

/// True when each word of a result belongs to iterations that follow from its place: every axis is a number in mixed
/// radix of the dimensions on it ("k", "64h+e").
bool says_its_iterations(const Access& access, const Einsum& einsum);

}  // namespace tilewright
