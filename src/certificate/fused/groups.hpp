// Proves of every group of einsums that it costs no less than what the duals leave for it.
//
// Groups that end with one einsum are built from it backwards, one einsum at a time. What was decided so far is a
// state (what is needed of earlier tensors) and a label (what it costs and reserves); of labels in one state those are
// followed that no other beats in everything, and that with all einsums before at their floors may still be too cheap.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "certificate/fused/floors.hpp"
#include "certificate/fused/member.hpp"

namespace tilewright::certificate::fused_proof {

/// What is cheaper than the duals say: einsums `first` to the last one as one group.
struct Cheaper {
    int first = 0;
    double value = 0.0;
    double least = 0.0;  ///< by the duals
};

class Groups {
   public:
    /// `duals`: by einsum, and of the end. Values within `rounding` of them are no cheaper. `longest`: einsums of a
    /// group.
    Groups(const Space& space, const Prices& prices, const Weights& weights, std::vector<double> duals, double rounding,
           int longest, std::function<bool()> stop);

    /// A group that ends with the einsum and is cheaper than the duals say; nothing: there is none. Where `stop` says
    /// so, it ends early.
    std::optional<Cheaper> cheaper_group(int last);
    bool was_stopped() const { return was_stopped_; }

   private:
    struct State {
        Needs needs;
        std::vector<Inner> inner;  // what the slices that are open still lack; none: no slices are open
        std::int64_t slices = 1;
        std::int64_t results = 0;  // bits of the last result of the slices that are open

        auto operator<=>(const State&) const = default;
    };
    struct Label {
        double value = 0.0;
        std::int64_t throughout = 0;
        std::int64_t peak = 0;  // reserved for a while
        std::int64_t open = 0;  // the same inside the slices that are open
    };
    using Labels = std::vector<Label>;
    /// What is made in one segment, up to it.
    struct Step {
        Making making;
        std::vector<Inner> pending;  // that others of the segment still have to make
        std::int64_t own = 0;        // bits of slices that it makes
        std::int64_t results = 0;
    };

    bool find_rooms(const std::vector<double>& array);
    double room(int e, const Needs& needs, int undecided, int latest);
    double bringing(const Need& need);
    void end(const LoopPair& loops, const std::array<std::int64_t, 2>& steps);
    void begin_segment(const Making& making, const Needs& needs, std::int64_t results, const Labels& labels);
    void go_on_with_slices(const State& state, const Labels& labels, int e);
    void put(const Step& step, const Choice& choice, const Needs& needs, const Labels& labels);
    void extend(const State& state, const Labels& labels, int e);
    void make(const Needs& rest, const std::vector<Need>& results, const std::vector<Kept>& kept, int e,
              const Labels& labels);
    std::optional<Making> making_of(const std::vector<Need>& results, const Kept& kept, int e) const;
    void begin_group(const State& state, const Label& label, std::size_t next, int first);
    static void keep_best(Labels& labels);

    const Space& space_;
    const Prices& prices_;
    Weights weights_;
    std::vector<double> duals_;
    double rounding_;
    int longest_;
    std::function<bool()> stop_;
    Members members_;
    GroupFloors floors_;
    LoopFloors loop_floors_;
    std::map<std::pair<Need, double>, double> bringing_;  // by repeats, too

    int last_ = 0;
    int earliest_ = 0;
    /// By einsum e and where the group begins, both less the earliest: what e and those after it may cost at most.
    std::vector<std::vector<double>> rooms_;
    std::vector<std::pair<int, double>> paid_;     // by room(): where the group begins at the earliest, and how much
    std::vector<std::map<State, Labels>> states_;  // by the first einsum that is decided
    std::optional<Cheaper> found_;
    bool was_stopped_ = false;
};

}  // namespace tilewright::certificate::fused_proof
