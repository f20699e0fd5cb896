// SparseCache: proven answers of sparse machines on disk, as AnswerCache keeps those of dense ones.
//
//     SparseCache cache({.directory = "/home/me/.cache/tilewright"});
//     const MapsShape maps = sparse_mapper(problem, &cache);
//
// The key has all that decides: the layer, the machine, the constraints, formats, optimisations and densities (of
// measured ones which elements are not zero, not the name of their file). What is found is costed again before it is
// believed. For any number of processes at once; thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "run/answer_cache.hpp"
#include "sparse/design.hpp"

namespace tilewright {

class SparseCache {
   public:
    /// Of the options `memory` has no effect.
    explicit SparseCache(AnswerCache::Options options = {});
    ~SparseCache();

    /// Throws OverflowError.
    std::optional<LayerAnswer> find(const LayerProblem& problem, const sparse::Design& design,
                                    const MapOptions& options);
    /// Keeps an answer that is proven.
    void keep(const LayerProblem& problem, const sparse::Design& design, const MapOptions& options,
              const LayerAnswer& answer);

    /// How often find() found something.
    std::int64_t found() const { return found_; }

   private:
    void warn(const std::string& message);

    const AnswerCache::Options options_;
    std::unique_ptr<cache::Store> store_;
    std::mutex mutex_;  ///< of what follows
    bool warned_ = false;
    std::atomic<std::int64_t> found_{0};
};

}  // namespace tilewright
