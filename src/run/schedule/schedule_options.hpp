// Scheduling options in users' words, for the command line and Python.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schedule/schedulers/search.hpp"

namespace tilewright {

struct ScheduleWishes {
    std::string objective = "latency*traffic";
    std::string rule = "overlap";
    std::string spread = "any";
    std::string scheduler = "ours";
    std::string baseline = "exhaustive";
    std::string priority = "memory-benefit";
    std::string memory = "least-fragmentation";
    bool as_published = false;
    std::optional<std::int64_t> tilings = {};
    std::optional<std::int64_t> beam = {};
    bool keep_outputs = false;
    bool every_tiling = false;
    bool with_elementwise = false;
    std::optional<double> time_limit_seconds = {};
    std::string dashes = {};  ///< before the names of options in sentences: "--" on a command line

    /// "as_published", or "--as-published" on a command line.
    std::string option(std::string_view name) const;
};

/// The words of "rule", "spread", "scheduler", "baseline", "priority" or "memory"; empty for other options.
const std::vector<std::string>& schedule_words(std::string_view option);

/// Requires words among schedule_words(). Throws InputError(usage) for impossible objectives or numbers and for
/// exclusive options. The deadline is the caller's, from the search's start.
schedule::SearchOptions schedule_options(const ScheduleWishes& wishes);

/// All inputs that decide the result.
std::vector<std::pair<std::string, std::string>> schedule_provenance(const ScheduleWishes& wishes,
                                                                     const schedule::SearchOptions& options);

}  // namespace tilewright
