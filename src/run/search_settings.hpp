// How to search, from what a user asks for and what Timeloop's files say of it in their `mapper` section.
//
//     const SearchSettings settings = machine.settled({.mapper = MapperKind::hybrid});  // run/machine.hpp
//     const NetworkAnswer answer = map_network(problem, settings.map);
//
// Plain values: threads may share them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "run/options.hpp"

namespace tilewright {

namespace timeloop {
struct SearchOptions;
}

/// What the user asks for; empty: the files say it, else the default.
struct SearchWishes {
    std::optional<MapperKind> mapper;
    std::string objective;  ///< as parse_objective() reads it
    std::string factors;    ///< name of a factor rule
    bool uneven = false;
    std::optional<std::uint64_t> seed;
    std::optional<std::int64_t> threads;
    std::optional<std::int64_t> evaluations;
    std::optional<std::int64_t> victory;
    std::optional<std::int64_t> largest_space;
    std::optional<std::int64_t> streams;
    std::optional<std::int64_t> timeout;
    std::optional<double> time_limit_seconds;
    std::optional<double> layer_time_limit_seconds = {};
    std::string dashes;  ///< before the names of options in sentences: "--" on a command line
};

struct SearchSettings {
    MapOptions map;
    std::string objective;           ///< as it was written
    std::string factors;             ///< as they were written; "": nowhere
    std::vector<std::string> notes;  ///< what the user should know about settings that are not used
};

/// Throws InputError(usage) for what excludes each other and for values that make no sense.
SearchSettings settled(const SearchWishes& wishes, const timeloop::SearchOptions& file);

}  // namespace tilewright
