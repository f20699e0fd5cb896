// Leaves at their floors: no leaf of any mapping costs less, so that the best plan over them is a bound for all.
//
// Of units with a register of one word each floors are of one spread and one operand in the registers at a time
// (leaf/array_floor.hpp); of all other machines every operand has what suits it best (leaf_floors.hpp). What is proven
// of a leaf raises its floor.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fusion/hierarchy/leaf_floors.hpp"
#include "fusion/leaf/array_floor.hpp"
#include "fusion/leaf/leaf.hpp"
#include "workload/cascade/cascade.hpp"
#include "workload/words.hpp"

namespace tilewright::fusion {

class FloorLeaves : public Leaves {
   public:
    /// `demands`, `any_extent`: by einsum; dimensions of which boxes may have any part. `partial`: bits of partial sums
    /// by tensor of the cascade; floors of other machines than those of such units have final words only. Keeps
    /// references to the first three.
    FloorLeaves(const Cascade& cascade, const Architecture& architecture, const std::vector<Constraints>& demands,
                const std::vector<std::vector<bool>>& any_extent, Wanted wanted = Wanted::both,
                const PartialBits& partial = {});

    /// None where the buffer may not hold what it is to hold.
    const LeafFront& front(int einsum, const LeafQuestion& question) override;
    const LeafPoint& floor(int einsum, const LeafQuestion& question) override;
    std::span<const LeafPoint> corners(int einsum, const LeafQuestion& question) override;
    const std::vector<LeastPerPoint>& per_point(int einsum, const std::vector<double>& paid) override;
    Hull per_point_of(int einsum, const std::vector<std::int64_t>& extents, const std::vector<double>& paid) override;
    bool knows_boxes() const override { return machine_.has_value(); }
    std::size_t count() const override { return points_.size(); }

    /// None of the leaf's mappings that take up to `units` of the buffer has less energy, or fewer cycles; nothing:
    /// there are none.
    void learn(int einsum, const LeafQuestion& question, std::int64_t units, const std::optional<LeafPoint>& least);
    /// Something was learnt that floors alone do not say.
    bool has_learnt() const { return has_learnt_; }

    const LeafFloors& floors(int einsum) const { return floors_[einsum]; }

   private:
    using Key = std::pair<int, LeafQuestion>;  // of alike einsums the first
    struct Hash {
        std::size_t operator()(const Key& key) const;
    };
    struct Lesson {
        std::int64_t units = 0;
        std::optional<LeafPoint> least;
    };
    struct Known {
        LeafPoint floor;
        LeafFront corners;
        std::vector<Lesson> lessons;
        LeafFront front;
    };
    Known& known(int einsum, const LeafQuestion& question);
    OperandHomes homes_of(int einsum, const std::vector<std::int64_t>& extents, const std::vector<double>& paid,
                          double points) const;
    LeafFront corners_of(int einsum, const LeafQuestion& question);
    static LeafFront with_lessons(const Known& known);
    std::vector<LeastPerPoint> find_per_point(int einsum, const std::vector<double>& paid) const;

    const Cascade& cascade_;
    Wanted wanted_;
    std::optional<Machine> machine_;         // of units with a register of one word
    std::vector<LeafFloors> floors_;         // by einsum
    std::vector<int> alike_;                 // by einsum
    std::vector<PartialBits> sums_;          // by einsum and operand
    std::vector<WaysOfArray> ways_;          // by einsum, as long as there is a machine
    std::vector<ArrayWays> ways_of_points_;  // likewise
    std::map<std::pair<int, std::vector<double>>, std::vector<LeastPerPoint>> per_point_;
    std::unordered_map<Key, Known, Hash> points_;
    bool has_learnt_ = false;
};

}  // namespace tilewright::fusion
