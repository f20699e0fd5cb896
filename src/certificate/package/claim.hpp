// What is claimed of a plan on a package, and its judge: that no plan of the space costs less than a bound. Where the
// plan's own cost is that bound it is the best.
//
//     const package_proof::Verdict verdict = package_proof::check(claim);
//
// The potentials say what einsums i, i + 1, ... cost at least together; the first one is the bound. If no run of
// einsums first .. last costs less than potentials[first] - potentials[last + 1], no plan costs less than the first
// potential. So every run is judged by itself (run_proof.hpp). The plan is costed by the judge's own account
// (account.hpp), and leaves on machines by ordinary claims about layers (certificate/claim).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "certificate/claim/check.hpp"
#include "certificate/package/leaves.hpp"
#include "package/package.hpp"
#include "package/plan.hpp"
#include "workload/cascade/cascade.hpp"

namespace tilewright::certificate::package_proof {

struct Claim {
    Cascade cascade;
    package::Package package;
    std::string objective;  ///< "energy" (pJ) or "latency" (cycles)
    package::Plan plan;
    double value = 0.0;              ///< of the plan
    double bound = 0.0;              ///< no plan of the space has less
    std::vector<double> potentials;  ///< by einsum, and 0 for the end
    std::vector<Leaf> leaves = {};   ///< of cores that are machines
};

/// Relative; energies are sums of doubles in any order.
inline constexpr double kDigits = 1e-9;

/// Why such a claim cannot be judged, in words; "" when it can.
std::string problem_with(const Cascade& cascade, const package::Package& package, const std::string& objective);

struct Verdict {
    std::vector<Finding> findings;  ///< none: the claim is confirmed
    std::string proof;              ///< what was proven, in words, when it was
};

/// The cascade is sound (problem_with(cascade) in workload/cascade). `stop`: asked from time to time; what is left then
/// counts as not confirmed. Throws OverflowError.
Verdict check(const Claim& claim, const std::function<bool()>& stop = {});

/// Completes a claim by potentials and a bound that check() confirms: `wanted` (a search's, by einsum, and 0 for the
/// end; or none) where it can, else by floors. `more`: leaves that the search knows, added as they are asked for.
/// Requires problem_with() to be "".
void add_bound(Claim& claim, const std::vector<double>& wanted, const Leaves::More& more = {},
               const std::function<bool()>& stop = {});

/// Leaves of the plan on machines: einsum, kind and extents, each once.
void each_leaf_of_plan(const Claim& claim,
                       const std::function<void(int einsum, int kind, const Extents& extents)>& use);

}  // namespace tilewright::certificate::package_proof
