#include "output/cache.hpp"

#include <cstdlib>

#include "output/output.hpp"

namespace tilewright::cli {
namespace {

std::optional<std::string> variable(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

// "" for no cache; nothing when there is no usual place.
std::optional<std::string> usual_directory() {
    if (const auto chosen = variable("TILEWRIGHT_CACHE")) return chosen;
    if (const auto base = variable("XDG_CACHE_HOME"); base && base->starts_with('/')) return *base + "/tilewright";
    if (const auto home = variable("HOME"); home && home->starts_with('/')) return *home + "/.cache/tilewright";
    return std::nullopt;
}

std::optional<std::string> directory_of(const CacheOptions& options) {
    return options.directory.empty() ? usual_directory() : std::optional(options.directory);
}

}  // namespace

void CacheOptions::declare(Options& options) {
    options.group("Proven answers");
    options
        .value("cache", 0, "DIR",
               "place of proven answers (default: $TILEWRIGHT_CACHE, $XDG_CACHE_HOME/tilewright or "
               "~/.cache/tilewright)",
               &directory)
        .completes = "directory";
    options.flag("no-cache", 0, "search anew, and keep nothing", &off);
}

std::optional<std::string> cache_directory(const CacheOptions& options) {
    std::optional<std::string> directory = directory_of(options);
    if (options.off || !directory || directory->empty()) return std::nullopt;
    return directory;
}

std::optional<cache::Store> open_store(const CacheOptions& options) {
    const std::optional<std::string> directory = cache_directory(options);
    if (!directory) return std::nullopt;
    return cache::Store(*directory);
}

AnswerCache::Options answer_cache(const CacheOptions& options, const MapOptions& map, bool quiet) {
    AnswerCache::Options result;
    if (!quiet) result.warn = [](const std::string& message) { print_error("warning: " + message); };
    const bool proves = intended_mapper(map) == MapperKind::optimal && map.factors != FactorRule::padded;
    if (options.off || !proves) return result;
    const std::optional<std::string> directory = directory_of(options);
    if (!directory && result.warn)
        result.warn("no cache: neither XDG_CACHE_HOME nor HOME is set; --cache DIR or --no-cache");
    if (directory && !directory->empty()) result.directory = *directory;
    return result;
}

void tell_found(std::int64_t found, bool quiet) {
    if (found > 0 && !quiet)
        print_error("note: " + std::to_string(found) + (found == 1 ? " answer comes" : " answers come") +
                    " from the cache");
}

}  // namespace tilewright::cli
