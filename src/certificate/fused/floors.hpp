// What every einsum of a cascade costs at least in a group that begins with a given one, whatever else is decided.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "certificate/fused/member.hpp"
#include "certificate/fused/prices.hpp"
#include "certificate/fused/space.hpp"

namespace tilewright::certificate::fused_proof {

/// What has to be made of an einsum whatever is fused: points of one repeat, and words of each operand that they reach.
struct NeededOf {
    double points = 0.0;
    std::vector<double> words = {};  ///< by operand; of what may be anywhere 0

    /// Of a point, where nothing is decided.
    Nests::Paid paid() const;
};
/// By einsum.
std::vector<NeededOf> needed_of_all(const Space& space);

class GroupFloors {
   public:
    /// Keeps references.
    GroupFloors(const Space& space, const Prices& prices, const Weights& weights, Members& members);

    /// All repeats of an einsum inside a group that begins with `first`: operations on what is needed of its results,
    /// what the array asks of the buffer for them, and words that it is the first of the group to read, which come from
    /// the DRAM. `array_value`: what operations and array are known to cost at least, of all repeats.
    double of(int e, int first, double array_value);
    /// The same of the einsum that ends the group: all of its results are made, and go to the DRAM.
    double of_last(int last, int first, double array_value);

   private:
    Both entering(int e, int first) const;
    double value(int e, int first, bool is_last, const Both& dram, double array_value);

    const Space& space_;
    const Prices& prices_;
    Weights weights_;
    Members& members_;
    std::vector<NeededOf> needed_;
    std::vector<double> points_;               // by einsum: all of them
    std::vector<Both> results_;                // by einsum: words of all of them
    std::vector<std::vector<Both>> entering_;  // by einsum and first
};

// What the einsums of a group cost the array at least, by the shared loops of the group.
//
// The loops say what is made of the last einsum in each step. What it reads of others follows, and so, einsum by
// einsum, in which boxes those before it can be made, however their results are kept. No more is asked here.
//
// Memos; not thread-safe.

class LoopFloors {
   public:
    /// Keeps references. `paid`: by einsum, of a point.
    LoopFloors(const Space& space, Members& members, std::vector<Nests::Paid> paid)
        : space_(space), members_(members), paid_(std::move(paid)) {}

    /// By einsum from `earliest` to the last one, which is made so: what operations and array cost at least, of all
    /// repeats. Infinity: no such group has it. 0 where too many ways would have to be told apart.
    std::vector<double> array_values(int earliest, const Making& last);

   private:
    struct Way {
        Driven driven{-1, -1};
        std::array<int, 2> made{-1, -1};

        auto operator<=>(const Way&) const = default;
    };
    struct Ways {
        std::set<Way> all = {};
        bool any = false;  // too many
    };
    struct Asked {  // of a tensor
        std::array<int, 2> axes{-1, -1};
        std::array<int, 2> steps{-1, -1};

        auto operator<=>(const Asked&) const = default;
    };

    Ways ways_of(int e, int last);
    Ways ways_by(int e, int operand, int last);
    std::set<Asked> asked_by(const TensorUse& use);
    std::optional<std::set<Asked>> together(const std::set<Asked>& a, const std::set<Asked>& b);
    void add_ways(int e, int operand, const Asked& asked, Ways& ways);
    double least(int e, const Ways& ways);

    const Space& space_;
    Members& members_;
    std::vector<Nests::Paid> paid_;
    std::vector<Ways> ways_;  // by einsum, of the group at hand
};

}  // namespace tilewright::certificate::fused_proof
