// The problem in the solver's form; internal to this room.
#pragma once

#include <OsiClpSolverInterface.hpp>

#include "mapper/cosa/mip/problem.hpp"

namespace tilewright::mip {

/// Bounds in the solver's terms: its infinity is finite.
double for_coin(double bound);

void silence(OsiSolverInterface& solver);

void load(const Program& problem, OsiClpSolverInterface& solver);

}  // namespace tilewright::mip
