// The cache of proven answers on disk: where it is, what its keys are, and what is believed.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>

#include "cache/store.hpp"
#include "frontend/native/problem.hpp"
#include "options.hpp"
#include "report/report.hpp"
#include "search.hpp"

namespace tilewright::cli {

struct CacheOptions {
    std::string directory;  ///< "": the usual place
    bool off = false;

    void declare(Options& options);
};

/// Where answers are kept; nothing when there is no place for them or the user wants none.
std::optional<cache::Store> open_store(const CacheOptions& options);

/// Thread-safe. What goes wrong with the cache is said once, and the search goes on without it.
class ResultCache {
   public:
    /// `plan` is resolved and outlives the cache.
    ResultCache(const CacheOptions& options, const SearchPlan& plan, bool quiet);

    /// Fills in what search_layer() would, if the same problem was solved and proven before. The mappings are costed
    /// again: what does not cost what it did is not believed.
    bool load(const Task& task, report::LayerResult& result);
    /// Keeps a proven answer.
    void save(const Task& task, const report::LayerResult& result);

    /// To standard error, unless quiet: how many answers came from here. Reports do not say it: what they hold does not
    /// depend on what was searched before.
    void tell() const;

   private:
    bool keeps(const Task& task) const;
    std::string key_of(const native::Problem& problem) const;
    void warn(const std::string& message);

    const SearchPlan& plan_;
    bool quiet_;
    std::optional<cache::Store> store_;
    std::mutex mutex_;
    bool warned_ = false;
    std::atomic<int> found_{0};
};

}  // namespace tilewright::cli
