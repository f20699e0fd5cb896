// Schedules of layers on disk, so that a run that was killed goes on where it was, and nothing is searched twice.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "base/cache/store.hpp"
#include "output/cache.hpp"
#include "schedule/schedulers/search.hpp"

namespace tilewright::cli {

/// Thread-safe. What goes wrong with the cache is said once, and the search goes on without it.
class ScheduleCache {
   public:
    /// Does nothing when there is a deadline: what is found then depends on the speed of the machine.
    ScheduleCache(const CacheOptions& options, const schedule::SearchOptions& search, bool quiet);

    /// What search_layer() would find, if it was searched before. The validator judges what was kept; what does not
    /// hold is not believed.
    bool load(const schedule::MultiNpu& machine, const schedule::ConvLayer& layer, schedule::LayerAnswer& answer);
    void save(const schedule::MultiNpu& machine, const schedule::ConvLayer& layer, const schedule::LayerAnswer& answer);

   private:
    std::string key_of(const schedule::MultiNpu& machine, const schedule::ConvLayer& layer) const;
    void warn(const std::string& message);

    const schedule::SearchOptions& search_;
    const bool quiet_;
    std::optional<cache::Store> store_;
    std::mutex mutex_;
    bool warned_ = false;
};

}  // namespace tilewright::cli
