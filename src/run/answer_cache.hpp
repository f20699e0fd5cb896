// AnswerCache: what was found before, in memory and on disk.
//
//     AnswerCache cache({.directory = "/home/me/.cache/tilewright"});
//     const std::optional<LayerAnswer> known = cache.find(problem, options);
//
// On disk: proven answers only, for any number of processes at once; names do not count, and what is found is costed
// again before it is believed. In memory: all answers of this process that the same problem and options would give
// again; where time is limited those are the proven ones, and others that searches without a limit left are taken.
// Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "run/map_layer.hpp"

namespace tilewright {

namespace cache {
class Store;
}

class AnswerCache {
   public:
    struct Options {
        std::optional<std::filesystem::path> directory = std::nullopt;  ///< empty: nothing on disk
        bool memory = true;
        /// Told what goes wrong with the disk, once; the search goes on without it. From any thread.
        std::function<void(const std::string&)> warn = {};
    };

    AnswerCache() : AnswerCache(Options{}) {}
    explicit AnswerCache(Options options);
    ~AnswerCache();

    /// What map_layer() would answer. Throws OverflowError.
    std::optional<LayerAnswer> find(const LayerProblem& problem, const MapOptions& options);

    /// Keeps an answer of map_layer() for as long as it is worth keeping. `whole`: the search was not stopped.
    /// Throws OverflowError.
    void keep(const LayerProblem& problem, const MapOptions& options, const LayerAnswer& answer, bool whole = true);

    /// How often find() found something.
    std::int64_t found() const { return found_; }

   private:
    std::optional<LayerAnswer> find_on_disk(const LayerProblem& problem, const MapOptions& options);
    void keep_on_disk(const LayerProblem& problem, const MapOptions& options, const LayerAnswer& answer);
    void warn(const std::string& message);

    const Options options_;
    std::unique_ptr<cache::Store> store_;
    std::mutex mutex_;  ///< of what follows
    std::unordered_map<std::string, LayerAnswer> known_;
    bool warned_ = false;
    std::atomic<std::int64_t> found_{0};
};

}  // namespace tilewright
