// Reads the `mapper` section of Timeloop's input files and the template of its `mapspace`: how to search, and in what.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "yaml/node.hpp"

namespace tilewright::timeloop {

/// What the section says, in Timeloop's units; empty where it says nothing.
struct SearchOptions {
    std::optional<std::string> algorithm;  ///< "random_pruned", "hybrid", ...; hyphens are underscores
    std::vector<std::string> metrics;      ///< "energy", "delay", "edp", ...; the first decides, the next break ties
    std::optional<std::int64_t> victory_condition;  ///< give up after so many legal mappings that are not better
    std::optional<std::int64_t> timeout;            ///< give up after so many illegal mappings in a row
    std::optional<std::int64_t> search_size;        ///< so many legal mappings at most
    std::optional<std::int64_t> threads;
    std::optional<std::string> factors;  ///< "perfect", "ruby", "ruby-s" or "ruby-t"
    std::vector<std::string> display;    ///< keys that only concern Timeloop's own display and log files
};

/// The keys that read_search_options() takes.
const std::vector<std::string>& known_search_keys();

/// `root` is a loaded file; without `mapper` everything is empty. Throws InputError for unknown keys, algorithms and
/// metrics.
SearchOptions read_search_options(const yaml::Node& root);

}  // namespace tilewright::timeloop
