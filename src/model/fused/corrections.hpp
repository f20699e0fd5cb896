// Which words of a sum were begun with statistics that changed since.
#pragma once

#include <cstdint>

#include "mapping/fused/unfinished.hpp"
#include "model/fused/region.hpp"
#include "model/fused/windows.hpp"
#include "workload/cascade/cascade.hpp"

namespace tilewright::fused {

/// The operand of the einsum that sums over the rows which is its result.
int summing_operand(const Cascade& cascade, const UnfinishedStatistics& statistics);

class Corrections {
   public:
    /// More of the rows came into the statistics: sums that were begun with them are old.
    void changed(const Cascade& cascade, const UnfinishedStatistics& statistics, const Iterations& box);
    /// These words are summed up to, or `goes_on`: added to. Returns how many of them are old; none is afterwards.
    std::int64_t summed(const Box& words, bool goes_on);

   private:
    Region begun_;
    Region old_;
};

}  // namespace tilewright::fused
