// Proven weighted sums of energy and cycles, and what they say of the product of both.
#pragma once

#include <vector>

namespace tilewright::certificate::fused_proof {

/// No mapping's energy (pJ) and cycles, so weighted, are together below the first dual: a line under which none lies.
struct Line {
    double energy = 0.0;
    double cycles = 0.0;
    std::vector<double> duals = {};  ///< by einsum, and 0 for the end
};

/// The least product of an energy and cycles that lie under no line; 0 where one of them may be 0. Weights are not
/// negative, and every line has a dual.
double least_product(const std::vector<Line>& lines);

}  // namespace tilewright::certificate::fused_proof
