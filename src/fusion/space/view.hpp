// What the search has to know of a cascade: which tensors may stay inside a group of einsums, which dimensions shared
// loops may run over, and how operands follow such loops.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "fusion/machine/machine.hpp"
#include "workload/cascade/cascade.hpp"

namespace tilewright::fusion {

/// Dimensions of one einsum that the two shared loops of a group drive, outer and inner; -1: that loop is not there.
using Marching = std::array<int, 2>;

/// How an operand's tensor moves with the shared loops.
enum class Following {
    both,   ///< with all shared loops that there are, each along one axis of its own
    outer,  ///< with the outer loop only, and its tiles are apart from each other
    none,   ///< the same words in every step
    other,  ///< otherwise: a leaf has to read it by itself
};

struct OperandView {
    int tensor = -1;
    bool written = false;
    Following following = Following::other;
    std::array<int, 2> axes{-1, -1};  ///< of the tensor, along which the loops move it
    std::int64_t words_each = 1;      ///< words at one place of these axes
    bool whole = false;               ///< all words at a place are reached
};

/// An einsum inside a group whose shared loops drive these dimensions of it.
struct MemberView {
    std::vector<OperandView> operands;
};

struct LoopChoice {
    Marching marching{-1, -1};
    bool may_be_whole = false;  ///< a loop of one step is one more choice: windows may leave a part of its axis
};

class CascadeView {
   public:
    explicit CascadeView(const Cascade& cascade);

    const Cascade& cascade() const { return cascade_; }
    int count() const { return cascade_.einsum_count(); }
    MemberView member(int einsum, const Marching& marching) const;

    /// What shared loops may drive in a group that ends with this einsum: dimensions of its results on axes of images
    /// (those that some window of the cascade slides along), two at most and in the order of the axes; where it has no
    /// such axes, none, one or two dimensions that it reads from elsewhere than weights, in either order.
    std::vector<LoopChoice> loops(int einsum) const;

    /// The first einsum of the longest group that may end with this one: groups do not leave a block.
    int first_possible(int einsum) const { return first_[einsum]; }
    /// True when a group from `first` to `last` may make the tensor without writing it to the DRAM.
    bool may_stay_inside(int tensor, int last) const;
    /// The dimension of an einsum that alone says where on an axis its result lies; -1: none.
    int dimension_of(int einsum, int operand, int axis) const;
    /// By einsum and dimension: shared loops of some group may drive it, so that boxes may have any part of it.
    const std::vector<std::vector<bool>>& may_be_driven() const { return driven_; }
    std::int64_t repeats(int einsum) const { return repeats_of(cascade_, einsum); }
    /// Read by one einsum and written by none: how is its own affair.
    bool is_private_matter(int tensor) const;

   private:
    void find_images();
    void find_driven();
    void drive_writer(const Access& access, int dimension);

    const Cascade& cascade_;
    std::vector<int> first_;
    std::vector<bool> carried_;                // by tensor
    std::vector<std::vector<bool>> is_image_;  // by tensor and axis
    std::vector<std::vector<bool>> driven_;    // by einsum and dimension
};

}  // namespace tilewright::fusion
