// When accesses and computes come about on a machine that gates and skips: what of the tensors must not be all zero
// (docs/sparsity.md, "Exactly").
// Needs: of some tensors, steps that must touch something that is not zero.
#pragma once

#include <optional>
#include <vector>

#include "arch/architecture.hpp"
#include "model/evaluation.hpp"
#include "model/sparse/chance.hpp"
#include "sparse/design.hpp"

namespace tilewright::sparse {

/// What has to hold for an access or a compute to come about: of every tensor named, that not all is zero among what
/// these loops' steps touch, those from where the access or the compute is.
class Needs {
   public:
    explicit Needs(const Nest& nest);

    /// Of two sets of loops of one tensor the smaller one says it all. Throws Uncounted where neither holds the other.
    void add(int tensor, LoopSet set);
    void add(const Needs& other);

    bool empty() const;

    /// By tensor.
    const std::vector<std::optional<LoopSet>>& sets() const { return by_tensor_; }

    /// The share of all iterations of the nest in which they are met, on average over what the tensors may hold,
    /// but for pinned loops.
    double share(Chances& chances, Pinned pinned = {}) const;

   private:
    const Nest* nest_;
    std::vector<std::optional<LoopSet>> by_tensor_;
};

/// Both.
Needs operator+(Needs a, const Needs& b);

/// One after the other; each holds all of the one before.
struct AccessNeeds {
    Needs asked;    ///< it comes up at all: nothing avoided it further out
    Needs kept;     ///< and is not skipped at its memory
    Needs running;  ///< and some compute that it serves comes up
    Needs done;     ///< and it is not gated
};

struct ComputeNeeds {
    Needs asked;  ///< it comes up: no skipped access was to serve it
    Needs kept;   ///< and the compute unit does not skip it
    Needs done;   ///< and nothing gates it
};

/// Of one layer on one machine in one mapping. Refers to what it is made from.
class Avoided {
   public:
    /// `dense`: evaluate() of the same, whose reads say which of several options saves most. Throws Uncounted.
    Avoided(const std::vector<Nest>& nests, const Architecture& architecture, const Design& design,
            const std::vector<std::vector<bool>>& keeps, const AccessTable& accesses, const Evaluation& dense,
            Chances& chances);

    AccessNeeds of(const Access& access) const;
    ComputeNeeds of_computes() const;
    /// Whether some optimisation looks at accesses of this tensor between memories, there or further out.
    bool acts_between_memories(const Access& access) const;

   private:
    /// An option that was built.
    struct Rule {
        Access access;  ///< of its target
        std::vector<int> conditions;
        bool gates = false;
    };

    void add_groups(int memory, const std::vector<OptionGroup>& groups, bool gates);
    Rule rule_of(int memory, const Option& option, bool gates) const;
    double saving_pj(const Rule& rule) const;
    void add_own(const Access& access, bool gates, Needs& needs) const;
    void add_served(const Access& access, bool gates, Needs& needs) const;
    void refuse_crossing(const Access& rule, const Access& served, int condition) const;
    void add_unit(LoopSet covered, bool gates, Needs& needs) const;
    bool is_stored_compressed(int tensor) const;

    const std::vector<Nest>& nests_;  ///< nests_of()
    const Nest& nest_;                ///< of any of them: their loops
    const Architecture& architecture_;
    const Design& design_;
    const std::vector<std::vector<bool>>& keeps_;  ///< by tensor and memory
    const AccessTable& accesses_;
    const Evaluation& dense_;
    Chances& chances_;
    std::vector<Rule> rules_;
};

}  // namespace tilewright::sparse
