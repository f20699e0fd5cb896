// Random small cascades on random small packages, and plans for them.
#pragma once

#include <string>

#include "base/numbers/random.hpp"
#include "package/package.hpp"
#include "package/plan.hpp"
#include "workload/cascade/cascade.hpp"

namespace tilewright::property {

struct PackageProblem {
    std::string text;  ///< of the cascade
    Cascade cascade;
    package::Package package;
};

/// Products, windows with stride and padding, additions of earlier results, several readers, attention.
PackageProblem random_package_problem(Random& random);

/// Runs, steps, teams, splits, sums and streams at random; a few are illegal.
package::Plan random_package_plan(Random& random, const PackageProblem& problem);

}  // namespace tilewright::property
