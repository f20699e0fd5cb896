// SPDX-License-Identifier: Apache-2.0
// map_package(), evaluate_package(): plans of a cascade on a package of cores, with a bound for all plans.
//
//     const PackageMachine machine = PackageMachine::read("quad-npu");
//     const PackageProblem problem{zoo_cascade("bert-base"), machine.package(), machine.constraints()};
//     const auto found = map_package(problem, {.kind = ObjectiveKind::energy}, &stop);
//     if (found) std::cout << report::package_text(*found);
//
// Thread-safe: values in, values out. Throws InputError for files at their place, and for plans that are refused with
// the reason (docs/packages-of-cores.md).
#pragma once

#include "package/plan_text.hpp"
#include "report/package/package_report.hpp"
#include "run/package/map_package.hpp"
#include "workload/cascade/text.hpp"
#include "workload/zoo/cascades.hpp"
