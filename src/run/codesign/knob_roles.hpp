// The role of an exploration's knob, by its name: a part of the machine, a number of parts, or anything at all.
#pragma once

#include <vector>

#include "arch/architecture.hpp"
#include "codesign/parts.hpp"
#include "run/explore/design_knobs.hpp"

namespace tilewright {

/// By knob of the space. `architecture`: one of its machines, for the names of its parts. Knobs not known to be about
/// one part may change anything.
std::vector<codesign::Role> knob_roles(const DesignKnobs& knobs, const Architecture& architecture);

}  // namespace tilewright
