// What there is to choose for a group of einsums that run together, and the tree that a choice is.
//
// Written from the words of docs/fusion.md alone, for the enumeration of all fused mappings (fused_enumeration.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "mapping/fused/fused_mapping.hpp"
#include "workload/cascade/cascade.hpp"

namespace tilewright::property {

/// Where a tensor of the group stands.
enum class Place { leaf, outside, between, inside, slice };

/// Einsums that go through equal slices of a dimension of the last of them.
struct Segment {
    int first = 0;
    int last = 0;
    int dimension = -1;
    std::int64_t slices = 1;
};

struct Group {
    int first = 0;
    int last = 0;
    std::vector<std::pair<int, std::int64_t>> loops;  ///< dimension of the last einsum, step; outermost first
    std::vector<Segment> segments;
    std::map<int, Place> places;  ///< by tensor
};

/// A tensor and the places that it may have.
struct Choice {
    int tensor = -1;
    std::vector<Place> places;
};

/// What a loop drives that cuts a dimension of an einsum: the axes of the tensors that move with it, whose writers'
/// dimensions on these axes, and so on.
struct Driven {
    std::map<int, std::set<int>> dimensions;  ///< by einsum
    std::set<std::pair<int, int>> axes;       ///< of operands that are read: tensor, axis

    bool moves(int tensor) const;
};

class FusedGroups {
   public:
    explicit FusedGroups(const Cascade& cascade);

    /// All that is made but the last result is read inside and nowhere else.
    bool is_one(int first, int last) const;

    /// Each choice of loops and segments of these einsums; the tensors have no places yet. While `then` returns true.
    void each(int first, int last, const std::function<bool(const Group&)>& then) const;

    /// Tensors that are made and read inside: where they stand says what is made in a step.
    std::vector<Choice> homes(const Group& group) const { return choices(group, true); }
    /// All others: weights, what comes from outside, and the last result.
    std::vector<Choice> others(const Group& group) const { return choices(group, false); }

    /// By a loop over a dimension of `last`, in einsums first .. last.
    Driven driven(int first, int last, int dimension) const;

    /// True when the tensor is made by an einsum of the group.
    bool is_made(const Group& group, int tensor) const;

    /// The group as it is with all of its tensors placed, and every other einsum of the cascade by itself. A leaf has
    /// no loops of its own there.
    FusedMapping tree_of(const Group& group) const;

   private:
    using Then = std::function<bool(Group&)>;

    const CascadeTensor& tensor(int t) const { return cascade_.tensors[t]; }
    const Einsum& einsum(int e) const { return cascade_.einsums[e].einsum; }
    bool each_loops(Group& group, const Then& then) const;
    bool each_segments(Group& group, int first, const Then& then) const;
    bool is_read_from_outside_weights(int e, int d) const;
    bool is_used(const Group& group, int t) const;
    bool is_made_inside(const Group& group, int t) const;
    bool is_of_slices(const Group& group, int t) const;
    bool has_several_steps(const Group& group, std::size_t loop) const;
    bool moves_with(const Group& group, std::size_t loop, int t) const;
    bool moves_with_all_loops(const Group& group, int t) const;
    bool moves_with_the_inner_loop_only(const Group& group, int t) const;
    std::vector<Choice> choices(const Group& group, bool made_inside) const;
    std::vector<Place> places(const Group& group, int t) const;
    void add(FusedMapping& tree, int parent, const Group& group) const;

    const Cascade& cascade_;
    std::set<std::string> images_;  // dimensions that run along axes of images
};

/// Each way to choose one place of each, in the group's places. While `then` returns true; false when it did not.
bool each_place(const std::vector<Choice>& choices, Group& group, const std::function<bool()>& then);

}  // namespace tilewright::property
