// Travel of a window along its rank during the loops so far: it falls back by that when an outer loop advances.
// Instances idle in a dimension's last step have travelled less.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "workload/einsum.hpp"

namespace tilewright::optimal {

class Travel {
   public:
    /// Share of a tile kept by instances with missed steps.
    struct Kept {
        double on_average = 0.0;  ///< over all instances
        double most = 0.0;
        double others = 1.0;  ///< upper bound of the share of instances without missed steps
    };
    /// Loops to come: number of steps, and shift of the window in each.
    struct Rest {
        double shift = 0.0;
        double steps = 1.0;
    };

    explicit Travel(double width = 1.0) : width_(width) {}

    /// A loop of `dimension` with `steps` shifts of the window; `idle` instances, a `share` of all, miss the last one.
    void add(int dimension, double shift, double steps, double idle, double share);

    /// By dimension: pairs of an instance and a later step with work. 1: the minimum.
    using Pairs = std::array<double, kMaxDimensions>;

    /// As a loop of `dimension` advances by `shift` and all others fall back. `most_share` limits each way of missing
    /// steps.
    Kept kept_by_late(int dimension, double shift, const Pairs& pairs, double most_share) const;
    /// Likewise for instances without missed steps, for any earlier moves.
    double kept_by_others(double shift) const { return overlap(shift - all_); }
    /// Upper bound for any instance once at least one of these loops has moved on or fallen back.
    double most_kept(std::span<const Rest> rest) const;
    /// Dimensions with a last step missed by some instances.
    std::uint32_t late() const;
    bool is_steady() const { return late_count_ == 0 && !lost_; }

    bool operator==(const Travel&) const = default;

   private:
    /// Instances missing the last step of a dimension.
    struct Late {
        std::int8_t dimension = 0;
        double missed = 0.0;
        double idle = 0.0;
        double share = 0.0;

        double share_of(const Pairs& pairs) const { return std::min(share, idle / pairs[dimension]); }

        bool operator==(const Late&) const = default;
    };

    double overlap(double moved) const;
    /// fn(way, share): travel of each group of instances with missed steps.
    template <class Fn>
    void for_each(int without, const Pairs& pairs, Fn fn) const;
    double nearest(std::span<const Rest> rest, double way) const;

    double width_;
    double all_ = 0.0;  ///< of instances without missed steps
    std::array<Late, 3> late_{};
    std::int8_t late_count_ = 0;
    bool lost_ = false;  ///< places of instances are unknown
};

}  // namespace tilewright::optimal
