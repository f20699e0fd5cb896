// What all parts of one search share: the cascade, the machine, memos, weights and the value above which nothing
// counts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/stop.hpp"
#include "fusion/cost/cost.hpp"
#include "fusion/leaf/leaf.hpp"
#include "fusion/space/label.hpp"
#include "fusion/space/needs.hpp"
#include "fusion/space/plan.hpp"
#include "fusion/space/steps.hpp"
#include "fusion/space/view.hpp"

namespace tilewright::fusion {

/// One thing that was decided on the way to a label; `previous` and `other` lead to what was decided before.
struct Decision {
    enum class Kind : std::uint8_t { member, keep, segment, join };
    Kind kind = Kind::join;
    std::int32_t previous = -1;
    std::int32_t other = -1;
    int subject = 0;        ///< einsum; tensor; first einsum of the segment
    int detail = 0;         ///< sliced dimension; Keeping; last einsum of the segment
    std::int64_t size = 0;  ///< words of the leaf; -; slices
    std::array<Way, kMaxTensors> ways{};
};

/// What an einsum moves from and to the DRAM, in words of the DRAM.
struct Traffic {
    double in = 0.0;    ///< by whose energy words are read
    double out = 0.0;   ///< by whose energy they are written
    double busy = 0.0;  ///< whose bandwidth all of them take

    void add_in(double words, const WordShare& share) {
        in += words * share.energy;
        busy += words * share.bandwidth;
    }
    void add_out(double words, const WordShare& share) {
        out += words * share.energy;
        busy += words * share.bandwidth;
    }
    void add(const Traffic& other) {
        in += other.in;
        out += other.out;
        busy += other.busy;
    }
};

struct Context {
    const CascadeView& view;
    const Machine& machine;
    Steps& steps;
    Leaves& leaves;
    const StopSource* stop = nullptr;
    Weights weights = {};
    int last = 0;             ///< einsum that ends the group at hand
    double bound = 0.0;       ///< only what costs no more is of interest, with all that is around the group
    double afterwards = 0.0;  ///< least value of what follows the group
    int first_allowed = 0;    ///< einsum with which the group begins at the earliest
    /// By einsum e from the first allowed to last + 1, and by einsum s up to e: least value of all that is before e
    /// where the group begins with one of s .. e.
    std::vector<std::vector<double>> before = {};
    std::vector<Decision> decisions = {};
    /// By tensor: bits of its words where the group makes it, with partial sums among them; 0: as many as of final
    /// ones.
    std::vector<std::int64_t> sum_bits = {};

    std::int32_t decide(Decision decision) {
        decisions.push_back(decision);
        return static_cast<std::int32_t>(decisions.size()) - 1;
    }
    /// Units of the buffer that a word of the tensor takes.
    std::int64_t units_of(int tensor) const { return machine.units_of(view.cascade().tensors[tensor].bits); }
    /// The same where the group makes it.
    std::int64_t units_of_made(int tensor) const {
        return has_sums(tensor) ? machine.units_of(sum_bits[tensor]) : units_of(tensor);
    }
    bool has_sums(int tensor) const { return !sum_bits.empty() && sum_bits[tensor] > 0; }
    /// What is needed of the tensor may be made by the group, or else come from the DRAM: the room says which.
    bool may_be(const Need& need, bool made) const {
        const std::int64_t units = made ? units_of_made(need.tensor) : units_of(need.tensor);
        return need.stay == Stay::never || need.room_each == need.words_each * units;
    }
    /// True when a group in which einsums e .. last cost so much, and which begins with `earliest` .. e, cannot be part
    /// of what is of interest.
    bool hopeless(double value, int e, int earliest) const {
        const double others = before[e - first_allowed][std::max(earliest, first_allowed) - first_allowed];
        return value + others + afterwards > bound * (1.0 + 1e-12);
    }

    /// Words of a tensor that a shared store gets from the DRAM, one thing at a time.
    Cost loading(int tensor, std::int64_t words, std::int64_t repeats) const;
    /// Words that it sends there.
    Cost storing(int tensor, std::int64_t words, std::int64_t repeats) const;
};

/// Of one einsum, whatever is fused: operations on what is needed of its results, the array's own words, words that
/// only it reads from outside.
struct LeastCost {
    Cost cost;
    Traffic results;                 ///< all of them
    double points = 0.0;             ///< of what is needed of its results
    std::vector<double> words = {};  ///< by operand: reached by these points
    std::vector<double> paid = {};   ///< the same of a point, as Leaves::per_point() takes it where nothing is decided
};
/// By einsum.
std::vector<LeastCost> least_costs(const CascadeView& view, const Machine& machine, Leaves& leaves);
/// Energy and cycles each by itself.
LeastPerPoint least_of(std::span<const LeastPerPoint> corners);
/// What so many points cost the array at least.
Floor array_floor(std::span<const LeastPerPoint> corners, double points, const Weights& weights);
/// The same with what moves between DRAM and buffer.
Floor with_traffic(const Machine& machine, const Floor& array, const Traffic& moved, const Weights& weights);
/// The same where it moves so much.
Cost least_cost(const Machine& machine, const LeastPerPoint& array, double points, const Traffic& moved);

}  // namespace tilewright::fusion
