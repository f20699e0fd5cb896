// Telling: joint progress of a search's streams.
#pragma once

#include <mutex>

#include "mapper/mapper.hpp"
#include "mapper/timeloop/stream.hpp"

namespace tilewright::timeloop_search {

class Telling {
   public:
    Telling(const ProgressCallback& progress, const Objective& objective)
        : progress_(progress), objective_(objective) {}

    /// A stream's progress from `before` to `now`. From any thread.
    void tell(const StreamResult& before, const StreamResult& now);

   private:
    const ProgressCallback& progress_;
    const Objective& objective_;
    std::mutex mutex_;
    Progress all_;
};

SearchStatistics statistics_of(const StreamResult& stream);

}  // namespace tilewright::timeloop_search
