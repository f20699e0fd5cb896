// Leaves at their floors: no leaf of any mapping costs less, so that the best plan over them is a bound for all.
#pragma once

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fusion/hierarchy/leaf_floors.hpp"
#include "fusion/leaf/leaves.hpp"
#include "workload/cascade/cascade.hpp"

namespace tilewright::fusion {

class FloorLeaves : public Leaves {
   public:
    /// `demands`: by einsum. Keeps references to all.
    FloorLeaves(const Cascade& cascade, const Architecture& architecture, const std::vector<Constraints>& demands);

    /// One point; none where the buffer may not hold what it is to hold.
    const LeafFront& front(int einsum, const LeafQuestion& question) override;
    const LeafPoint& floor(int einsum, const LeafQuestion& question) override;
    const LeastPerPoint& least(int einsum) const override { return floors_[einsum].per_point(); }
    std::size_t count() const override { return points_.size(); }

    /// None of the leaf's mappings that take up to `words` of the buffer has less energy, or fewer cycles; nothing:
    /// there are none.
    void learn(int einsum, const LeafQuestion& question, std::int64_t words, const std::optional<LeafPoint>& least);

    const LeafFloors& floors(int einsum) const { return floors_[einsum]; }

   private:
    using Key = std::pair<int, LeafQuestion>;  // of alike einsums the first
    struct Hash {
        std::size_t operator()(const Key& key) const;
    };
    struct Known {
        LeafPoint floor;
        LeafFront front;
    };
    Known& known(int einsum, const LeafQuestion& question);

    const Cascade& cascade_;
    std::vector<LeafFloors> floors_;  // by einsum
    std::vector<int> alike_;          // by einsum
    std::unordered_map<Key, Known, Hash> points_;
};

}  // namespace tilewright::fusion
