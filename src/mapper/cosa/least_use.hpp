// Memories that a mapping has to fill to some share (min_utilization).
//
// Tiles grow with their factors, so what is too small stays too small with fewer. Of the program's own solutions, those
// that leave a memory too empty are cut off: first grown as far as they stay too small, then at least one group has to
// have more factors inside. A binary for each number of factors says so; only memories that ask for something have
// them.
#pragma once

#include <vector>

#include "mapper/cosa/shared_buffers.hpp"

namespace tilewright::cosa {

class LeastUse {
   public:
    LeastUse(const Encoding& encoding, const std::vector<SharedBuffer>& buffers);

    /// Which factors may be outside together.
    std::vector<mip::DownSet> sets() const;

    /// Adds a row for every memory that `placement` fills too little. False when there is none.
    bool cut_off(const Placement& placement);

   private:
    struct Floor {
        SharedBuffer buffer;
        std::vector<int> groups;
        std::vector<std::vector<int>> at_least;  ///< by group and number - 1: a binary that is 1 for so many or more
    };

    void add_floor(const SharedBuffer& buffer);
    bool is_enough(const Floor& floor, const std::vector<int>& inside) const;
    std::vector<int> grown(const Floor& floor, std::vector<int> inside) const;

    const Encoding& encoding_;
    const Layout& layout_;
    std::vector<Floor> floors_;
};

}  // namespace tilewright::cosa
