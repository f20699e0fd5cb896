// `tilewright map --package` and `evaluate --package --plan`: plans of a cascade on cores (docs/packages-of-cores.md).
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "inputs/inputs.hpp"
#include "options/search.hpp"
#include "options/verb.hpp"
#include "output/output.hpp"
#include "run/explore/package_evaluator.hpp"
#include "run/package/package_machine.hpp"
#include "workload/cascade/cascade.hpp"

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
/// `certificate`: a file for it; "": with -o alone.
ExitStatus map_on_package(const std::vector<std::string>& others, const InputOptions& input, const SearchPlan& plan,
                          const PackageOptions& package, const std::string& certificate, const OutputOptions& output);

/// What a certificate of a plan has to speak of. Throws InputError.
struct PackageToCheck {
    std::optional<package::Package> package;  ///< nothing: none was given
    ConstraintsOfKind constraints;
    std::optional<Cascade> cascade;  ///< likewise
};
PackageToCheck package_to_check(const InputOptions& input, const PackageOptions& package);

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
