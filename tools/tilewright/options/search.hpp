// How `tilewright map` searches: what the options and the files' `mapper` section ask for, as options of the library.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mapper/loop_orders.hpp"
#include "options/cosa_options.hpp"
#include "options/options.hpp"
#include "run/map_network.hpp"
#include "run/options.hpp"
#include "run/search_settings.hpp"
#include "run/zigzag/map.hpp"
#include "verbs/evaluate/zigzag.hpp"
#include "yaml/node.hpp"

namespace tilewright::cli {

// The options of searches over loop orders: on ZigZag's files, and `loma` and `salsa` on any machine.

struct OrderOptions {
    ZigzagAccountOptions zigzag;  ///< on ZigZag's files
    std::optional<std::int64_t> lpf_limit;
    std::optional<std::int64_t> iterations;
    std::optional<std::int64_t> chains;
    std::optional<double> cooling;

    void declare(Options& options);
    /// Throws InputError(usage) for values that make no sense.
    void check_values() const;
    /// On machines other than ZigZag's: throws InputError(usage) when something was given that `mapper` does not take.
    void check(const std::string& mapper) const;
    /// Of `loma` and `salsa` on machines other than ZigZag's.
    LoopOrderMapper::Options loop_orders() const;
    /// On ZigZag's machines.
    LoopOrderOptions on_zigzag() const;
    std::vector<std::pair<std::string, std::string>> for_the_report(const std::string& mapper) const;
};

/// Of --threads: a number that there can be; 0, all there are, if not given. Throws InputError(usage).
int threads_of(std::optional<std::int64_t> threads);

/// One number to be least; "" is edp. Throws InputError(usage) for a front and for what is none; `of` is for the
/// message: " for ZigZag's files".
Objective one_objective(const std::string& verb, const std::string& text, const std::string& of = "");

/// What the user and the files ask for, read once.
struct PlannedSearch : SearchSettings {
    /// What has to be the same for the same result.
    std::vector<std::pair<std::string, std::string>> for_the_report;
};

/// What the user wrote.
struct SearchPlan {
    std::string mapper;     ///< "": none was asked for
    std::string objective;  ///< "": likewise
    std::string factors;    ///< name of a factor rule; "": likewise
    std::optional<std::int64_t> seed;
    std::optional<std::int64_t> threads;
    std::optional<std::int64_t> evaluations;
    std::optional<std::int64_t> victory;
    std::optional<std::int64_t> largest_space;  ///< that exhaustive does not refuse
    std::optional<std::int64_t> streams;        ///< of Timeloop's searches
    std::optional<std::int64_t> timeout;        ///< likewise: illegal mappings in a row
    std::optional<double> time_limit_seconds;   ///< for all layers together
    bool uneven = false;                        ///< uneven mappings too
    OrderOptions orders;
    CosaPlan cosa;

    void declare(Options& options);
    /// All but the mapper and the factor rule.
    void declare_effort(Options& options);
    /// Those of Timeloop's own searches.
    void declare_timeloops(Options& options);

    /// What the options left open is filled in from `mapper` in `root`, else by the defaults. Throws InputError.
    PlannedSearch settle(const yaml::Node& root) const;

    /// Throws InputError(usage) for an option that names what a layer does not have.
    void check(const NetworkProblem& problem) const;

   private:
    SearchWishes wishes() const;
};

}  // namespace tilewright::cli
