// What the coordinates of a claim's operands say, read by the checker itself: it believes no other form of them, and
// not the ranks that the claim counts words by.
//
// A dimension of one value moves nothing. Of the others a larger step that leaves behind all that smaller ones reach
// begins an axis of its own, whose steps are counted one by one; steps that may meet share an axis, and its words are
// all from the first to the last.
#pragma once

#include <string>
#include <vector>

#include "workload/cascade/cascade.hpp"

namespace tilewright::certificate {

/// The cascade as the checker reads it: coordinates without what moves nothing, largest steps first, and the ranks that
/// follow.
Cascade as_read(const Cascade& cascade);

struct WrongAccess {
    std::string field;  ///< "network.einsums.2.einsum.tensors.0.ranks", "network.tensors.6.shape"
    std::string message;
};
/// Operands whose ranks are others than those of `read`, and results that lie outside their tensors.
std::vector<WrongAccess> wrong_accesses(const Cascade& claimed, const Cascade& read);

}  // namespace tilewright::certificate
