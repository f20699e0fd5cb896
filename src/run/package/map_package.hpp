// Plans of a cascade on a package: searched or given, as a report.
//
//     const report::PackageReport report = map_package({cascade, package, constraints}, objective, &stop);
//
// Pure; thread-safe for different problems.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/stop.hpp"
#include "model/objective.hpp"
#include "package/plan.hpp"
#include "report/package/package_report.hpp"
#include "run/package/package_machine.hpp"
#include "workload/cascade/cascade.hpp"

namespace tilewright {

struct PackageProblem {
    Cascade cascade;
    package::Package package;
    ConstraintsOfKind constraints = [](int, const Einsum&) { return Constraints{}; };
};

/// The cascade without axes of one place at which every einsum is at place 0 whatever its dimensions are: the rows and
/// columns of an image that was pooled to a word. Along them there is nothing to plan, and plans are of results along
/// dimensions. Words and einsums stay as they are.
Cascade without_constant_axes(Cascade cascade);

/// Why it is not planned, in one sentence, or "".
std::string problem_with(const PackageProblem& problem);

/// How a search goes.
struct PackageProgress {
    bool found = false;  ///< a plan, with its costs
    double energy_pj = 0.0;
    std::int64_t cycles = 0;
    double value = 0.0;  ///< of the objective
    double bound = 0.0;  ///< no plan of the space has less
};
using TellPackageProgress = std::function<void(const PackageProgress& now)>;

/// Why no plan is searched for an objective, in words; "": energy, latency and their product.
std::string problem_with_planning(const Objective& objective);

/// The best plan that is found; nothing where none was. Leaves provenance and notes to the caller. Requires
/// problem_with() to be "" and an objective that problem_with_planning() takes.
std::optional<report::PackageReport> map_package(const PackageProblem& problem, const Objective& objective,
                                                 const StopSource* stop = nullptr,
                                                 const TellPackageProgress& tell = {});

/// Of a plan that was given. Throws InputError(bad_value) with the reason where it is refused.
report::PackageReport evaluate_package(const PackageProblem& problem, const package::Plan& plan,
                                       const Objective& objective);

/// A layer as a cascade of one einsum.
Cascade cascade_of_layer(const std::string& name, const Einsum& einsum);

}  // namespace tilewright
