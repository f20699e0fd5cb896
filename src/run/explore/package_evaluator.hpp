// Measures packages of cores by the best plan of a cascade on each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "explore/engine.hpp"
#include "model/objective.hpp"
#include "run/package/package_machine.hpp"
#include "workload/cascade/cascade.hpp"

namespace tilewright {

/// "energy_pj", "latency_cycles", "edp_pj_cycles", "cores", "bound_share": how much of the objective's value the bound
/// of all plans is (1: proven).
std::vector<explore::Metric> package_metrics();

/// What is planned at every point: knobs of the space are settings of the package (PackageMachine::read).
struct ExploredPackage {
    std::string package;  ///< name or file
    Cascade cascade;
    Objective objective;
    std::optional<double> time_limit_seconds;  ///< of every point; nothing: until it is proven
};

/// The package of a point. Throws InputError.
PackageMachine package_at(const ExploredPackage& subject, const explore::Space& space, explore::Point point);

struct PlannedPackage {
    explore::Row row;
    std::string plan;             ///< as text; "": none
    std::optional<double> least;  ///< of the objective, where the plan is not proven: no plan has less
};

/// A point with the best plan on it, or with the reason for its absence; once `stop` is requested, the best so far.
PlannedPackage planned_package(const ExploredPackage& subject, const explore::Specification& specification,
                               explore::Point point, const StopSource& stop);

class PackageEvaluator : public explore::Evaluator {
   public:
    /// Both outlive the evaluator.
    PackageEvaluator(const ExploredPackage& subject, const explore::Specification& specification)
        : subject_(subject), specification_(specification) {}

    /// Where a time limit ends searches, rows depend on the speed of the machine, too.
    std::optional<explore::Batch> evaluate(const explore::Chunk& chunk, const StopSource& stop) override;

   private:
    const ExploredPackage& subject_;
    const explore::Specification& specification_;
};

}  // namespace tilewright
