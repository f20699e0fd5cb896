// Reads the `mapper` section of Timeloop's input files and the template of its `mapspace`: search options and the space
// searched.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "yaml/node.hpp"

namespace tilewright::timeloop {

/// The section's values in Timeloop's units; absent ones are empty.
struct SearchOptions {
    std::optional<std::string> algorithm;           ///< "random_pruned", "hybrid", ...; hyphens are underscores
    std::vector<std::string> metrics;               ///< "energy", "delay", "edp", ...; lexicographic
    std::optional<std::int64_t> victory_condition;  ///< stop after this many legal mappings without improvement
    std::optional<std::int64_t> timeout;            ///< stop after this many consecutive illegal mappings
    std::optional<std::int64_t> search_size;        ///< upper bound on legal mappings
    std::optional<std::int64_t> threads;
    std::optional<std::string> factors;  ///< "perfect", "ruby", "ruby-s" or "ruby-t"
    std::vector<std::string> display;    ///< keys for Timeloop's display and log files only
};

const std::vector<std::string>& known_search_keys();

/// `root` is a loaded file; all empty without `mapper`. Throws InputError for unknown keys, algorithms and metrics.
SearchOptions read_search_options(const yaml::Node& root);

}  // namespace tilewright::timeloop
