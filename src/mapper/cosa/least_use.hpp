// Memories with a least share to fill (min_utilization).
//
// Tiles grow with their factors: below a tile too small, all are. Solutions leaving a memory too empty are cut off:
// grown while too small, then at least one group needs more factors inside. Expressed by a binary for each number of
// factors, at memories with such a share only.
#pragma once

#include <vector>

#include "mapper/cosa/shared_buffers.hpp"

namespace tilewright::cosa {

class LeastUse {
   public:
    LeastUse(const Encoding& encoding, const std::vector<SharedBuffer>& buffers);

    /// Factors possibly outside together.
    std::vector<mip::DownSet> sets() const;

    /// Adds a row for every memory filled too little by `placement`. False if none is.
    bool cut_off(const Placement& placement);

   private:
    struct Floor {
        SharedBuffer buffer;
        std::vector<int> groups;
        std::vector<std::vector<int>> at_least;  ///< by group and number - 1: a binary, 1 for so many or more
    };

    void add_floor(const SharedBuffer& buffer);
    bool is_enough(const Floor& floor, const std::vector<int>& inside) const;
    std::vector<int> grown(const Floor& floor, std::vector<int> inside) const;

    const Encoding& encoding_;
    const Layout& layout_;
    std::vector<Floor> floors_;
};

}  // namespace tilewright::cosa
