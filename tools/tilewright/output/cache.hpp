// The cache of answers on disk: where it is, and what is said of it.
#pragma once

#include <optional>
#include <string>

#include "base/cache/store.hpp"
#include "options/options.hpp"
#include "run/answer_cache.hpp"

namespace tilewright::cli {

struct CacheOptions {
    std::string directory;  ///< "": the usual place
    bool off = false;

    void declare(Options& options);
};

/// The directory of open_store(); nothing where that has none.
std::optional<std::string> cache_directory(const CacheOptions& options);

/// Where answers are kept; nothing when there is no place for them or the user wants none.
std::optional<cache::Store> open_store(const CacheOptions& options);

/// How answers of these options are kept. What goes wrong is said on standard error, unless quiet.
AnswerCache::Options answer_cache(const CacheOptions& options, const MapOptions& map, bool quiet);

/// To standard error, unless quiet: how many answers came from the cache. Reports do not say it: what they hold does
/// not depend on what was searched before.
void tell_found(std::int64_t found, bool quiet);

}  // namespace tilewright::cli
