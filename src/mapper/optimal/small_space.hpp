// Spaces with temporal remainders: tiles of any size, so no label setting. All mappings of an assignment (spatial
// factors, kept tensors) are costed if they are few.
#pragma once

#include <optional>
#include <vector>

#include "mapper/optimal/answer/answer.hpp"
#include "mapper/optimal/geometry/assignments.hpp"

namespace tilewright::optimal {

/// The assignments of a space with a bound (compulsory_bound.hpp) below the best mapping.
class SmallSpace {
   public:
    /// Keeps references to both.
    SmallSpace(const Question& question, Answer& answer) : question_(question), answer_(answer) {}

    /// Lists and bounds the assignments. False if stopped: the list is incomplete.
    bool list();
    /// Costs all mappings of the assignments, lowest bound first. Ends, with the rest left open, at an assignment with
    /// too many mappings or after too many in total.
    void run();

   private:
    struct Listed {
        Assignment assignment;
        Bound bound;
        Score score;
    };

    bool cost(const Listed& listed);
    std::optional<Budget> budget_left() const;

    const Question& question_;
    Answer& answer_;
    std::vector<Listed> listed_;  ///< by bound
    double mappings_ = 0.0;       ///< of the assignments costed
};

}  // namespace tilewright::optimal
