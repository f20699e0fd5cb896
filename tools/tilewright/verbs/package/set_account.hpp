// SET's files (docs/packages-of-cores.md): its runs as problems, plans and trees by either account.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "inputs/inputs.hpp"
#include "multicore/set/values.hpp"
#include "options/verb.hpp"
#include "output/output.hpp"
#include "run/package/map_package.hpp"
#include "verbs/package/package_plans.hpp"

namespace tilewright::cli {

/// --package: its run.json; --net: its layers; --plan: a printed tree, or a plan of ours.
struct SetRun {
    multicore::set::Machine machine;
    std::vector<multicore::set::Layer> layers;
    std::optional<multicore::set::Tree> tree;  ///< nothing: no plan, or one of ours
    std::vector<int> order;                    ///< of the layers, by the tree or plan; empty: the network's
    std::vector<report::Input> read;

    /// `in_rounds`: with a tree, of its rounds, one after another; else of all images at once.
    PackageProblem problem(bool in_rounds) const;
};

bool is_set_run(const PackageOptions& package);
/// Throws InputError.
SetRun read_set_run(const std::string& verb, const InputOptions& input, const PackageOptions& package);
/// The nearest plan to its tree, and why it is not the tree, in sentences.
package::Plan plan_of_tree(const SetRun& run, const PackageProblem& problem, std::vector<std::string>& notes);

/// `tilewright evaluate --account set`: SET's counts of the tree, or of the plan as a tree. Throws InputError.
ExitStatus evaluate_by_set(const InputOptions& input, const PackageOptions& package, const OutputOptions& output);

}  // namespace tilewright::cli
