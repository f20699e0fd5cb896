// LayerProblem: what is asked for one layer on one machine.
#pragma once

#include "arch/architecture.hpp"
#include "mapspace/constraints.hpp"
#include "workload/einsum.hpp"

namespace tilewright {

/// One layer on one machine. Owns all of it.
struct LayerProblem {
    Einsum einsum;
    Architecture architecture;
    Constraints constraints;  ///< none by default
};

}  // namespace tilewright
