// What the einsums of a group cost the array at least, by the shared loops of the group.
//
// The loops say what is made of the last einsum in each step. What it reads of others follows, and so, einsum by
// einsum, in which boxes those before it can be made, however their results are kept. No more is asked here.
//
// Memos; not thread-safe.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "certificate/fused/member.hpp"

namespace tilewright::certificate::fused_proof {

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
