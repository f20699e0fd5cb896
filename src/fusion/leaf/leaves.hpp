// What leaves cost, by the boxes that they are asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fusion/cost/hull.hpp"
#include "fusion/leaf/leaf.hpp"

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
    /// Inside the groups, of a point of any box: none costs less than all of these at once. `paid`: by operand, words
    /// of a point whose way from or to the DRAM is counted elsewhere, if they come from there; below 0: the buffer
    /// holds it.
    virtual const std::vector<LeastPerPoint>& per_point(int einsum, const std::vector<double>& paid) = 0;
    /// The same of a point of this box; empty: no more is known.
    virtual Hull per_point_of(int /*einsum*/, const std::vector<std::int64_t>& /*extents*/,
                              const std::vector<double>& /*paid*/) {
        return {};
    }
    /// per_point_of() knows something.
    virtual bool knows_boxes() const { return false; }
    /// Leaves that were asked for.
    virtual std::size_t count() const = 0;
};

}  // namespace tilewright::fusion
