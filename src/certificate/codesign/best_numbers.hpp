// The best numbers of two parts equal in all properties without an order. Internal to certificate/codesign.
#pragma once

#include "arch/architecture.hpp"

namespace tilewright::certificate {

/// Takes every better number of `other`. False: they differ in something else.
bool take_better(Memory& best, const Memory& other);
bool take_better(Compute& best, const Compute& other);

}  // namespace tilewright::certificate
