// What leaves cost, by the boxes that they are asked for.
#pragma once

#include <cstddef>
#include <span>
#include <unordered_map>
#include <vector>

#include "fusion/leaf/leaf.hpp"
#include "workload/cascade/cascade.hpp"

namespace tilewright::fusion {

/// Answers stay where they are until others are learnt.
class Leaves {
   public:
    Leaves() = default;
    Leaves(const Leaves&) = delete;
    Leaves& operator=(const Leaves&) = delete;
    virtual ~Leaves() = default;

    virtual const LeafFront& front(int einsum, const LeafQuestion& question) = 0;
    /// No mapping of the leaf is below it.
    virtual const LeafPoint& floor(int einsum, const LeafQuestion& question) = 0;
    /// No mapping of the leaf is below all of these at once; ascending energy, descending cycles.
    virtual std::span<const LeafPoint> corners(int einsum, const LeafQuestion& question) {
        return {&floor(einsum, question), 1};
    }
    /// Of a point of any box.
    virtual const LeastPerPoint& least(int einsum) const = 0;
    /// Of a point of any box: each costs no less than one of these, energy and cycles at once.
    virtual std::span<const LeastPerPoint> corners(int einsum) const { return {&least(einsum), 1}; }
    /// A leaf costs least per point where all of its operands are in the buffer. Not where some have to pass it by.
    virtual bool cheapest_held() const { return false; }
    /// Leaves that were asked for.
    virtual std::size_t count() const = 0;
};

/// Of arrays of units with a register of one word (leaf.hpp): fronts that were asked for before, whatever the weights;
/// alike einsums share them.
class ArrayLeaves : public Leaves {
   public:
    /// `ranking`: of all fronts.
    /// `any_extent`: by einsum, as least_per_point() takes it.
    ArrayLeaves(const Cascade& cascade, const Machine& machine, const std::vector<std::vector<bool>>& any_extent,
                Ranking ranking = Ranking::both);

    const LeafFront& front(int einsum, const LeafQuestion& question) override;
    const LeafPoint& floor(int einsum, const LeafQuestion& question) override;
    std::span<const LeafPoint> corners(int einsum, const LeafQuestion& question) override;
    const LeastPerPoint& least(int einsum) const override { return least_[einsum]; }
    std::span<const LeastPerPoint> corners(int einsum) const override { return corners_per_point_[einsum]; }
    bool cheapest_held() const override { return true; }
    std::size_t count() const override { return fronts_.size(); }

   private:
    struct Key {
        int shape = 0;
        LeafQuestion question;
        bool operator==(const Key&) const = default;
    };
    struct Hash {
        std::size_t operator()(const Key& key) const;
    };

    const Cascade& cascade_;
    const Machine& machine_;
    Ranking ranking_;
    std::vector<int> shape_;              ///< by einsum: equal for einsums that differ in names and extents only
    std::vector<Neighbours> neighbours_;  ///< by shape
    std::vector<LeastPerPoint> least_;
    std::unordered_map<Key, LeafFront, Hash> fronts_;
    std::unordered_map<Key, LeafPoint, Hash> floors_;
    std::unordered_map<Key, LeafFront, Hash> corners_;           ///< where energy and cycles both count
    std::vector<std::vector<LeastPerPoint>> corners_per_point_;  ///< by einsum
};

}  // namespace tilewright::fusion
