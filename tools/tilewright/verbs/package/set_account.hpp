// `tilewright evaluate --account set`: what SET's program counts of its trees (docs/packages-of-cores.md).
#pragma once

#include "inputs/inputs.hpp"
#include "options/exit_status.hpp"
#include "output/output.hpp"
#include "verbs/package/package_plans.hpp"

namespace tilewright::cli {

/// --package: its run.json; --net: its layers; --plan: its printed tree. Throws InputError.
ExitStatus evaluate_by_set(const InputOptions& input, const PackageOptions& package, const OutputOptions& output);

}  // namespace tilewright::cli
