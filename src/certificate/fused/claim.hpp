// What is claimed of a fused mapping, and its judge: that no fused mapping of the space costs less than a bound. Where
// the mapping's own cost is that bound it is the best.
//
//     const fused_proof::Verdict verdict = fused_proof::check(claim);
//
// The duals say what einsums i, i + 1, ... cost at least together; the first one is the bound. If no
// group of einsums first .. last costs less than duals[first] - duals[last + 1], no partition into groups costs less
// than the first dual. So every group is judged by itself (groups.hpp). The mapping's own cost is the exact model's.
// Of a product several weighted sums of energy and cycles are judged in this way, and then where their lines meet.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "mapping/fused/fused_mapping.hpp"
#include "workload/cascade/cascade.hpp"

namespace tilewright::certificate::fused_proof {

// Proven weighted sums of energy and cycles, and what they say of the product of both.

/// No mapping's energy (pJ) and cycles, so weighted, are together below the first dual: a line under which none lies.
struct Line {
    double energy = 0.0;
    double cycles = 0.0;
    std::vector<double> duals = {};  ///< by einsum, and 0 for the end
};

/// The least product of an energy and cycles that lie under no line; 0 where one of them may be 0. Weights are not
/// negative, and every line has a dual.
double least_product(const std::vector<Line>& lines);

struct Claim {
    Cascade cascade;
    Architecture machine;
    std::string objective;  ///< "energy" (pJ), "latency" (cycles), or "edp", their product
    FusedMapping mapping;
    double value = 0.0;            ///< of the mapping
    double bound = 0.0;            ///< no fused mapping has less
    std::vector<double> duals;     ///< of energy and latency: by einsum, and 0 for the end
    std::vector<Line> lines = {};  ///< of a product
    int longest_group = 1 << 20;
};

struct Finding {
    std::string field;  ///< "value", "duals.3", "lines.2.duals.3", "mapping", "machine", "network", "objective"
    std::string message;
};

struct Verdict {
    std::vector<Finding> findings;  ///< none: the claim is confirmed
    std::string proof;              ///< what was proven, in words, when it was
};

/// Why such a claim cannot be judged, in words; "" when it can.
std::string problem_with(const Cascade& cascade, const Architecture& machine, const std::string& objective);

/// The cascade is sound (problem_with(cascade) in workload/cascade). `stop`: asked from time to time; where it says so,
/// what is left counts as not confirmed. Throws OverflowError for cascades that are too large to count.
Verdict check(const Claim& claim, const std::function<bool()>& stop = {});

}  // namespace tilewright::certificate::fused_proof
