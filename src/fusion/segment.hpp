// Segments: einsums of a group between which a slice of a channel or head dimension goes through at a time; most often
// one einsum alone.
//
// A segment runs in every step of the shared loops. Its last einsum sums over a dimension in so many slices; those
// before make a slice at a time. What a segment can be depends on what is made of its last result and on nothing that
// follows, so that it is looked for once.
#pragma once

#include <map>
#include <vector>

#include "fusion/member.hpp"
#include "fusion/space/needs.hpp"

namespace tilewright::fusion {

struct SegmentQuestion {
    int last = 0;
    Marching marching{-1, -1};
    std::array<int, 2> made{-1, -1};
    TensorSet shared;  ///< results of the last einsum that stay in the buffer

    auto tie() const { return std::tuple(last, marching, made, shared.bits()); }
    bool operator<(const SegmentQuestion& other) const { return tie() < other.tie(); }
};

/// Einsums `first` to the last one, what they need of shared stores, and what they cost: `peak` of a label is what the
/// leaves and the slices take, without the stores that the needs name and without the last result's.
struct SegmentWays {
    int first = 0;
    Needs needs;
    std::vector<Label> labels;
};

class Segments {
   public:
    Segments(Context& context, Members& members) : context_(context), members_(members) {}

    /// Those that may be of interest where all that follows in the group costs `rest` or more. Valid until the next
    /// call.
    const std::vector<SegmentWays>& ways(const SegmentQuestion& question, double rest);

   private:
    struct Known {
        double rest = 0.0;
        std::vector<SegmentWays> ways;
    };

    Context& context_;
    Members& members_;
    std::map<SegmentQuestion, Known> known_;
};

}  // namespace tilewright::fusion
