// `tilewright map --package` and `evaluate --package --plan`: plans of a cascade on cores (docs/packages-of-cores.md).
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "inputs/inputs.hpp"
#include "options/exit_status.hpp"
#include "options/search.hpp"
#include "output/output.hpp"
#include "run/explore/package_evaluator.hpp"

namespace tilewright::cli {

struct PackageOptions {
    std::string package;     ///< zoo name or file; "": none
    std::string plan;        ///< a file
    bool published = false;  ///< of --account set: with the faults of SET's program

    void declare(Options& options);
    /// Without a plan.
    void declare_package(Options& options);
    void declare_published(Options& options);
    bool given() const { return !package.empty() || !plan.empty(); }
};

/// Names of the options that plans on packages take.
const std::set<std::string>& options_of_packages();

/// The best plan, or with --plan that one. `others`: what else was given, which is refused. Throws InputError.
ExitStatus map_on_package(const std::vector<std::string>& others, const InputOptions& input, const SearchPlan& plan,
                          const PackageOptions& package, const OutputOptions& output);

/// A cascade to plan on packages that are explored. Throws InputError.
struct PackagesToExplore {
    ExploredPackage subject;
    std::string title;                                       ///< "bert-base on quad-npu"
    std::vector<std::pair<std::string, std::string>> given;  ///< what decides the rows beside the knobs
    std::vector<std::string> read;                           ///< files
    std::vector<std::string> notes;
};
PackagesToExplore packages_to_explore(const InputOptions& input, const SearchPlan& plan, const PackageOptions& package);

/// What the plan of --plan costs. `others`: likewise.
ExitStatus evaluate_on_package(const std::vector<std::string>& others, const InputOptions& input,
                               const PackageOptions& package, const OutputOptions& output);

}  // namespace tilewright::cli
