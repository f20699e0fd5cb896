// One einsum inside a group: what all its boxes cost together.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "fusion/context.hpp"

namespace tilewright::fusion {

/// What a member is asked for.
struct MemberQuestion {
    int einsum = 0;
    Marching marching{-1, -1};
    std::array<int, 2> made{-1, -1};  ///< sequences of Steps, of what is made of its results
    TensorSet held;                   ///< operands that lie in the buffer
    std::int64_t slices = 1;
    int sliced = -1;       ///< dimension that the slices cut
    bool reduces = false;  ///< the slices cut a sum: from the second on partial sums are there

    auto tie() const { return std::tuple(einsum, marching, made, held.bits(), slices, sliced, reduces); }
    bool operator==(const MemberQuestion& other) const { return tie() == other.tie(); }
};

/// A kind of box of a member, and how often it is made.
struct BoxKind {
    LeafQuestion leaf;
    std::int64_t calls = 0;
};

/// What was asked for is remembered: for one choice of weights.
class Members {
   public:
    explicit Members(Context& context) : context_(context) {}

    const MemberView& view(int einsum, const Marching& marching);
    std::vector<BoxKind> kinds(const MemberQuestion& question) const;
    const MemberFront& front(const MemberQuestion& question);
    /// True when its boxes, each by itself, cost what `is_too_much` says no to; found with as few fronts of leaves as
    /// possible. Where it is false, front() asks for none that is not known yet.
    bool exceeds(const MemberQuestion& question, const std::function<bool(const Floor&)>& is_too_much);
    /// The leaf's points in ascending words and descending value.
    MemberFront ranked(int einsum, const LeafQuestion& question) const;

   private:
    struct Hash {
        std::size_t operator()(const MemberQuestion& question) const;
    };

    struct Boxes {
        Floor floor;                ///< of all boxes
        std::vector<BoxKind> rest;  ///< kinds that are at their floors still, the dearest last
    };

    Boxes& floor_of_boxes(const MemberQuestion& question);
    Floor all_of(const MemberQuestion& question, const BoxKind& kind, const Floor& one) const;
    Floor floor_of(const MemberQuestion& question, const BoxKind& kind) const;

    Context& context_;
    std::unordered_map<MemberQuestion, MemberFront, Hash> fronts_;
    std::unordered_map<MemberQuestion, Boxes, Hash> floors_;
    std::unordered_map<MemberQuestion, Traffic, Hash> moved_;
    std::map<std::pair<int, Marching>, MemberView> views_;
};

}  // namespace tilewright::fusion
