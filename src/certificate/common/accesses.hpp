// Ranks of a claim's operands, derived by the checker from the coordinates, not taken from the claim.
//
// Dimensions of one value are irrelevant. A step larger than the reach of all smaller ones begins an axis of its own,
// with its steps counted one by one; steps that may meet share an axis of all words from first to last.
#pragma once

#include <string>
#include <vector>

#include "workload/cascade/cascade.hpp"

namespace tilewright::certificate {

/// The cascade in the checker's form: coordinates without irrelevant dimensions, largest steps first; derived ranks.
Cascade as_read(const Cascade& cascade);

struct WrongAccess {
    std::string field;  ///< "network.einsums.2.einsum.tensors.0.ranks", "network.tensors.6.shape"
    std::string message;
};
/// Operands with ranks other than those of `read`, and results outside their tensors.
std::vector<WrongAccess> wrong_accesses(const Cascade& claimed, const Cascade& read);

}  // namespace tilewright::certificate
