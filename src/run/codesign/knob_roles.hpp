// What a knob of an exploration is about, by its name: a part of the machine, how many there are, or anything at all.
#pragma once

#include <vector>

#include "arch/architecture.hpp"
#include "codesign/parts.hpp"
#include "run/explore/design_knobs.hpp"

namespace tilewright {

/// By knob of the space. `architecture`: one of its machines, for the names of its parts. What is not known to be about
/// one part may change anything.
std::vector<codesign::Role> knob_roles(const DesignKnobs& knobs, const Architecture& architecture);

}  // namespace tilewright
