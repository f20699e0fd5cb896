// The model against the oracle on one nest.
#pragma once

#include <string>

#include "nest.hpp"

namespace tilewright::property {

/// One line per number in which evaluate() and oracle::walk() differ; "" when they agree.
std::string differences(const Nest& nest);

}  // namespace tilewright::property
