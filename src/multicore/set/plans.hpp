// SET's trees as plans of ours and back, each for the other's account.
#pragma once

#include <string>
#include <vector>

#include "multicore/evaluate.hpp"
#include "multicore/set/values.hpp"
#include "package/plan.hpp"

namespace tilewright::multicore::set {

struct Expressed {
    package::Plan plan;
    std::vector<std::string> departures;  ///< in sentences, with counts: where the plan is not the tree
};

/// The nearest plan to a tree: its segments cut into the fewest legal runs, with its cores and parts; of each run the
/// first step that fits, from the images that the tree's leaves take on, weights streamed where they do not fit.
/// Requires an evaluator of a cascade with the tree's layers in the tree's order, on package_of(machine). Throws
/// InputError where a layer fits with no step.
Expressed plan_of(const Tree& tree, const Evaluator& evaluator);

struct ExpressedTree {
    Tree tree;
    std::vector<std::string> departures;
};

/// The nearest tree to a plan of all images: neighbours of a run without common cores are a cut of space, all one after
/// another a cut of time. Teams begin at their first core; cycles of leaves are those of their largest parts.
ExpressedTree tree_of(const package::Plan& plan, const std::vector<Layer>& layers, const Machine& machine,
                      const Evaluator& evaluator);

}  // namespace tilewright::multicore::set
