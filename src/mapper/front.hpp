// Front: the mappings undominated in energy and latency. Of equals the first stays, so the result depends on the order
// of offers only. Internal to mapper/.
#pragma once

#include <vector>

#include "mapper/mapper.hpp"

namespace tilewright {

class Front {
   public:
    /// Inserts a valid mapping unless one here is as good in both; drops the mappings it dominates. `age`: any number
    /// of the caller's. True if inserted.
    bool offer(const FoundMapping& mapping, const LeanCost& cost, std::int64_t age);

    /// By ascending energy, thus by descending latency.
    const std::vector<FrontPoint>& points() const { return points_; }
    std::vector<FrontPoint> take() { return std::move(points_); }

   private:
    std::vector<FrontPoint> points_;
};

}  // namespace tilewright
