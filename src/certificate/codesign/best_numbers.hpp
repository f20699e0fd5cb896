// The best numbers of two parts of machines that are alike in all that has no better and worse. Internal to
// certificate/codesign.
#pragma once

#include "arch/architecture.hpp"

namespace tilewright::certificate {

/// Takes every number of `other` that is better. False: they differ in something else, and nothing is said.
bool take_better(Memory& best, const Memory& other);
bool take_better(Compute& best, const Compute& other);

}  // namespace tilewright::certificate
