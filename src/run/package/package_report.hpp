// What there is to know of a plan on a package: words, cycles, room and energy by place, tensor and slot. Pure;
// thread-safe.
#pragma once

#include "multicore/evaluate.hpp"
#include "report/package/package_report.hpp"

namespace tilewright {

/// Requires a plan that the evaluator takes, and its cost. Leaves the objective, its bound, provenance and notes to the
/// caller.
report::PackageReport package_report(const multicore::Evaluator& evaluator, const package::Plan& plan,
                                     const multicore::Cost& cost);

}  // namespace tilewright
