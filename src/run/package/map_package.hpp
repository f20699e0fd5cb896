// Plans of a cascade on a package: searched or given, as a report.
//
//     const report::PackageReport report = map_package({cascade, package, constraints}, objective, &stop);
//
// Pure; thread-safe for different problems.
#pragma once

#include <optional>
#include <string>

#include "multicore/search/optimize.hpp"
#include "report/package/package_report.hpp"
#include "run/package/mapped_leaves.hpp"

namespace tilewright {

struct PackageProblem {
    Cascade cascade;
    package::Package package;
    ConstraintsOfKind constraints = [](int, const Einsum&) { return Constraints{}; };
};

/// Why it is not planned, in one sentence, or "".
std::string problem_with(const PackageProblem& problem);

/// The best plan that is found; nothing where none was. Leaves provenance and notes to the caller. Requires
/// problem_with() to be "" and an objective that multicore::problem_with_objective() takes.
std::optional<report::PackageReport> map_package(const PackageProblem& problem, const Objective& objective,
                                                 const StopSource* stop = nullptr,
                                                 const multicore::TellProgress& tell = {});

/// Of a plan that was given. Throws InputError(bad_value) with the reason where it is refused.
report::PackageReport evaluate_package(const PackageProblem& problem, const package::Plan& plan,
                                       const Objective& objective);

/// A layer as a cascade of one einsum.
Cascade cascade_of_layer(const std::string& name, const Einsum& einsum);

}  // namespace tilewright
