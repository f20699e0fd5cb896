// All even mappings of the boxes of leaves, one after the other, each costed by the exact model with the operands that
// the buffer holds at home there. The buffer is memory 1.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/architecture.hpp"
#include "fusion/leaf/leaf.hpp"
#include "mapping/mapping.hpp"
#include "mapspace/constraints.hpp"
#include "workload/cascade/cascade.hpp"
#include "workload/words.hpp"

namespace tilewright::property {

class LeafNests {
   public:
    /// `most`: nests of all leaves together. Keeps references to all but the machine. `partial`: bits of partial sums
    /// by tensor of the cascade.
    LeafNests(const Cascade& cascade, const Architecture& architecture, const std::vector<Constraints>& demands,
              std::uint64_t most, PartialBits partial = {});

    /// Bits of its own tiles in the buffer (in `words`), energy and cycles of each. `finished`: only of nests that send
    /// the buffer no partial sums of what it holds.
    std::vector<fusion::LeafPoint> list(int e, const fusion::LeafQuestion& question, bool finished = false);

    bool is_too_much() const { return nests_ > most_; }
    std::uint64_t nests() const { return nests_; }

   private:
    void add(int e, const Einsum& box, const Mapping& found, const fusion::LeafQuestion& question, bool finished,
             std::vector<fusion::LeafPoint>& points);

    const Cascade& cascade_;
    Architecture open_;
    const std::vector<Constraints>& demands_;
    std::uint64_t most_;
    PartialBits partial_;
    std::uint64_t nests_ = 0;
};

}  // namespace tilewright::property
