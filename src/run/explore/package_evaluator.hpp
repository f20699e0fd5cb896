// Measures packages of cores by the best plan of a cascade on each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "explore/engine.hpp"
#include "model/objective.hpp"
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

class PackageEvaluator : public explore::Evaluator {
   public:
    /// Both outlive the evaluator.
    PackageEvaluator(const ExploredPackage& subject, const explore::Specification& specification)
        : subject_(subject), specification_(specification) {}

    /// Where a time limit ends searches, rows depend on the speed of the machine, too.
    std::optional<explore::Batch> evaluate(const explore::Chunk& chunk, const StopSource& stop) override;

   private:
    std::optional<explore::Row> row_of(explore::Point point, const StopSource& stop) const;
    explore::Row planned(explore::Point point, const StopSource& stop) const;

    const ExploredPackage& subject_;
    const explore::Specification& specification_;
};

}  // namespace tilewright
