// The problem in the solver's form; for this room only.
#pragma once

#include <OsiClpSolverInterface.hpp>

#include "mapper/cosa/mip/problem.hpp"

namespace tilewright::mip {

/// Bounds as the solver knows them: its infinity is finite.
double for_coin(double bound);

void silence(OsiSolverInterface& solver);

/// Fills `solver` with the problem.
void load(const Program& problem, OsiClpSolverInterface& solver);

}  // namespace tilewright::mip
