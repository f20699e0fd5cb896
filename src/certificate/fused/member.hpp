// One einsum of a group: in which ways it may get its operands, and what all its boxes cost then.
#pragma once

#include <compare>
#include <deque>
#include <functional>
#include <map>
#include <vector>

#include "certificate/fused/keeping.hpp"
#include "certificate/fused/nests.hpp"
#include "certificate/fused/space.hpp"

namespace tilewright::certificate::fused_proof {

/// What is made of its results, and how.
struct Making {
    int einsum = 0;
    Driven driven{-1, -1};
    std::array<int, 2> made{-1, -1};  ///< Walks of its results
    std::uint32_t held = 0;           ///< operands that lie in the buffer, as bits
    std::int64_t slices = 1;
    int sliced = -1;    ///< its dimension that the slices cut
    bool sums = false;  ///< it is one that is summed over: slices after the first go on with sums

    auto operator<=>(const Making&) const = default;
};

/// A tensor that an earlier einsum of the same slices has to make.
struct Inner {
    int tensor = -1;
    std::array<int, 2> axes{-1, -1};
    std::array<int, 2> made{-1, -1};
    int sliced_axis = -1;
    std::int64_t bits = 0;  ///< of one slice; 0: all of them are reserved throughout

    auto operator<=>(const Inner&) const = default;
};

/// One way.
struct Choice {
    Needs needs;                  ///< of shared stores
    std::vector<Inner> inner;     ///< of the same slices
    std::int64_t throughout = 0;  ///< bits
    double value = 0.0;           ///< all that it costs at least; its own tiles may take no room
};

class Members {
   public:
    Members(const Space& space, const Prices& prices, const Weights& weights);

    Walks& walks() { return walks_; }
    /// Ways that cost less than `budget`, and maybe others; held are its results only. Good until the next call.
    const std::vector<Choice>& choices(const Making& making, double budget);
    /// No way costs less: every word once, whatever the tiles.
    double floor(const Making& making);
    /// The same wherever its operands are, but for what is `paid` of a point.
    double floor_inside(const Making& making, const Nests::Paid& paid);
    void forget() { choices_.clear(); }
    /// Of a point of the einsum, whatever the boxes.
    const Nests::PerPoint& least_per_point(int einsum, const Nests::Paid& paid);

    /// What moving words of the tensor between the DRAM and the buffer costs where nothing else goes on, all repeats of
    /// the einsum.
    double bringing(int tensor, std::int64_t words, int einsum) const;
    double sending(int tensor, std::int64_t words, int einsum) const;
    /// Of so many words of the tensor in the buffer.
    std::int64_t bits_of(int tensor, std::int64_t words) const {
        return words * prices_.bits_of(space_.tensor(tensor).bits);
    }

    /// The axis of an operand on which the dimension stands alone; -1: none.
    int axis_of(int einsum, int operand, int dimension) const;
    /// May be made slice by slice: it is made by one and read by one.
    bool may_be_sliced(int tensor) const;
    const std::vector<Operand>& operands(int einsum, const Driven& driven);

   private:
    Share moved_of(int tensor, double words) const;
    std::vector<std::vector<bool>> driven() const;
    struct Draft;

    void choose(const Draft& draft, int operand, double budget, std::vector<Choice>& all);
    void share(Draft draft, int operand, const Operand& one, const std::function<void(const Draft&)>& next);
    void stay(Draft draft, int operand, const Operand& one, const std::function<void(const Draft&)>& next);
    void slice(Draft draft, int operand, const Operand& one, const std::function<void(const Draft&)>& next);
    void finish(const Draft& draft, double budget, std::vector<Choice>& all);
    Need need_of(const Making& making, int operand, const Operand& one);
    template <typename Visit>
    void each_box(const Making& making, const Visit& visit) const;

    const Space& space_;
    const Prices& prices_;
    Weights weights_;
    Walks walks_;
    std::deque<Nests> nests_;         // by shape
    std::vector<std::size_t> shape_;  // by einsum
    struct KnownChoices {
        double budget = 0.0;  // up to which it has all
        std::vector<Choice> choices;
    };
    std::map<Making, KnownChoices> choices_;
    std::vector<std::vector<bool>> driven_;  // by einsum
    std::map<int, Nests> points_of_;         // by einsum
    std::map<std::pair<int, Nests::Paid>, Nests::PerPoint> per_point_;
    std::map<Making, double> floors_;
    std::map<std::pair<int, Driven>, std::vector<Operand>> operands_;
};

}  // namespace tilewright::certificate::fused_proof
