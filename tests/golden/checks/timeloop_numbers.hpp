// Compares our numbers with the fields of an expected*.json or truth.json (golden/timeloop/README.md).
#pragma once

#include <nlohmann/json.hpp>

#include "cases.hpp"
#include "differences.hpp"
#include "model/evaluation.hpp"
#include "timeloop/account/timeloop.hpp"

namespace tilewright::golden {

/// Every number that timeloop-model reported. Requires a result without refusal.
void compare_account(const account::TimeloopResult& ours, const Inputs& inputs, const nlohmann::json& expected,
                     Differences& differences);

/// The totals of the exact model.
void compare_truth(const Evaluation& ours, const Inputs& inputs, const nlohmann::json& truth, Differences& differences);

}  // namespace tilewright::golden
