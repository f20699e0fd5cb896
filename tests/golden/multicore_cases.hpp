// Small cascades on small packages with plans and counts, as golden/multicore and tests/golden/multicore.jsonl have
// them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "multicore/evaluate.hpp"
#include "package/package.hpp"
#include "package/plan.hpp"
#include "workload/cascade/cascade.hpp"

namespace tilewright::golden {

struct PackageCase {
    std::string name;
    Cascade cascade;
    package::Package package;
};

PackageCase read_package_case(const nlohmann::json& json);
package::Run read_run(const nlohmann::json& json, const Cascade& cascade);
std::vector<package::Run> read_runs(const nlohmann::json& json, const Cascade& cascade);

/// The counts as the files name them.
nlohmann::json counts_of(const multicore::Cost& cost, const std::vector<std::vector<std::int64_t>>& slots);
/// Of one run after the other.
nlohmann::json counts_of_runs(const multicore::Evaluator& evaluator, const std::vector<package::Run>& runs);

}  // namespace tilewright::golden
