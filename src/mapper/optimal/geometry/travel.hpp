// How far a window has come along its rank while the loops so far ran: by so much it falls back when a loop further out
// advances. Instances without work in the last step of a dimension have not come as far.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "workload/einsum.hpp"

namespace tilewright::optimal {

class Travel {
   public:
    /// Share of a tile that is still there, of those instances that have missed steps.
    struct Kept {
        double on_average = 0.0;  ///< over all instances
        double most = 0.0;
        double others = 1.0;  ///< share of the instances that have missed nothing, at most
    };
    /// Loops still to come: their number of steps, and how far each of them moves the window.
    struct Rest {
        double shift = 0.0;
        double steps = 1.0;
    };

    explicit Travel(double width = 1.0) : width_(width) {}

    /// A loop of `dimension` that moves the window by `shift` in each of its `steps`; `idle` instances, `share` of all,
    /// have no work in the last one.
    void add(int dimension, double shift, double steps, double idle, double share);

    /// By dimension: pairs of an instance and a step with work, of steps still to come. 1: as few as there may be.
    using Pairs = std::array<double, kMaxDimensions>;

    /// As a loop of `dimension` moves on by `shift` and all others fall back. Counts at most `most_share` of the
    /// instances in each way of missing steps.
    Kept kept_by_late(int dimension, double shift, const Pairs& pairs, double most_share) const;
    /// Likewise, of instances that have missed nothing, however they have moved before.
    double kept_by_others(double shift) const { return overlap(shift - all_); }
    /// Of any instance, when some of these loops have moved on or fallen back: at least one of them.
    double most_kept(std::span<const Rest> rest) const;
    /// Dimensions whose last step some instances miss.
    std::uint32_t late() const;
    bool is_steady() const { return late_count_ == 0 && !lost_; }

    bool operator==(const Travel&) const = default;

   private:
    /// Instances that miss the last step of a dimension.
    struct Late {
        std::int8_t dimension = 0;
        double missed = 0.0;
        double idle = 0.0;
        double share = 0.0;

        double share_of(const Pairs& pairs) const { return std::min(share, idle / pairs[dimension]); }

        bool operator==(const Late&) const = default;
    };

    double overlap(double moved) const;
    /// fn(way, share): of all that have missed the last steps of some dimensions, how far they have come.
    template <class Fn>
    void for_each(int without, const Pairs& pairs, Fn fn) const;
    double nearest(std::span<const Rest> rest, double way) const;

    double width_;
    double all_ = 0.0;  ///< of instances that miss nothing
    std::array<Late, 3> late_{};
    std::int8_t late_count_ = 0;
    bool lost_ = false;  ///< instances may be anywhere
};

}  // namespace tilewright::optimal
