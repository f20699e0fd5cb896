// Front: the mappings of which no other is at least as good in energy and in latency. Of equals the first one stays, so
// what comes out depends on the order of the offers only. Internal to mapper/.
#pragma once

#include <vector>

#include "mapper/mapper.hpp"

namespace tilewright {

class Front {
   public:
    /// Takes a valid mapping in unless one here is as good in both; drops those that it makes needless. `age`: anything
    /// the caller wants to know of it later. True when it was taken in.
    bool offer(const FoundMapping& mapping, const LeanCost& cost, std::int64_t age);

    /// By ascending energy, thus by descending latency.
    const std::vector<FrontPoint>& points() const { return points_; }
    std::vector<FrontPoint> take() { return std::move(points_); }

   private:
    std::vector<FrontPoint> points_;
};

}  // namespace tilewright
