// How `tilewright map` searches: what the options and the files' `mapper` section ask for, and the search of one layer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/stop.hpp"
#include "cosa_options.hpp"
#include "mapper/mapper.hpp"
#include "mapspace/constraints.hpp"
#include "mapspace/mapspace.hpp"
#include "options.hpp"
#include "order_options.hpp"
#include "report/report.hpp"
#include "yaml/node.hpp"

namespace tilewright::cli {

struct SearchPlan {
    std::string mapper;              ///< "" until resolve()
    bool mapper_is_default = false;  ///< nobody asked for it
    bool mapper_is_of_file = false;  ///< a file's `mapper` section names it
    bool victory_is_default = false;
    std::string objective;  ///< "" until resolve()
    std::string factors;    ///< name of a factor rule; "": perfect
    std::optional<std::int64_t> seed;
    std::optional<std::int64_t> threads;
    std::optional<std::int64_t> evaluations;
    std::optional<std::int64_t> victory;
    std::optional<std::int64_t> largest_space;  ///< that exhaustive does not refuse
    std::optional<double> time_limit_seconds;   ///< for all layers together
    bool uneven = false;                        ///< uneven mappings too
    OrderOptions orders;
    CosaPlan cosa;

    /// Names of the factor rules that --factors takes.
    static std::vector<std::string> factor_rules();

    void declare(Options& options);
    /// All but the mapper and the factor rule.
    void declare_effort(Options& options);

    /// Fills in what the options left open: from `mapper` in `root`, else the defaults. Returns what the user should
    /// know about settings that are not used. Throws InputError.
    std::vector<std::string> resolve(const yaml::Node& root);

    /// What has to be the same for the same result. Requires resolve().
    std::vector<std::pair<std::string, std::string>> for_the_report() const;

   private:
    void check_cosa() const;
};

/// One layer on one machine, waiting to be mapped.
struct Task {
    const Einsum& einsum;
    const Architecture& architecture;
    Constraints constraints;
};

Mapspace mapspace_of(const Task& task, const SearchPlan& plan);

/// Nobody asked for the optimal mapper, and here its proof may take long: hybrid searches in its place.
bool hybrid_stands_in(const Mapspace& mapspace, const SearchPlan& plan);

/// Searches one layer: the bare result. `plan` is resolved; `seconds`: of wall clock at most.
SearchResult search_task(const Task& task, const SearchPlan& plan, const StopSource& stop,
                         std::optional<double> seconds, const ProgressCallback& progress = {});

/// Fills in mapping, evaluation and statistics of `result`, or its failure. The answer has passed check(). `seconds`:
/// of wall clock at most; empty: until it is done. Throws OverflowError.
void search_layer(const Task& task, const SearchPlan& plan, const StopSource& stop, std::optional<double> seconds,
                  const ProgressCallback& progress, report::LayerResult& result);

}  // namespace tilewright::cli
