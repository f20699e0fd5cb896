// A search for plans of one problem, with what it leaves behind: the leaves that it mapped. Internal to run/package.
#pragma once

#include "multicore/search/optimize.hpp"
#include "package/network.hpp"
#include "run/package/map_package.hpp"
#include "run/package/mapped_leaves.hpp"

namespace tilewright {

/// Keeps references to the problem and `stop`. Requires what map_package() does.
class PackagePlanner {
   public:
    PackagePlanner(const PackageProblem& problem, const Objective& objective, const StopSource* stop);

    multicore::Answer search(const TellPackageProgress& tell);
    /// Of an answer with a plan.
    report::PackageReport report(const multicore::Answer& answer) const;
    MappedLeaves& leaves() { return leaves_; }

   private:
    Objective objective_;
    const StopSource* stop_;
    multicore::Problem view_;
    package::Network network_;
    MappedLeaves leaves_;
    multicore::Evaluator evaluator_;
};

}  // namespace tilewright
