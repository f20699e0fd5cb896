// Spaces in which temporal factors may leave remainders: tiles may have any size, so no labels are walked. But all
// mappings of an assignment (spatial factors and kept tensors) can be costed where they are few.
#pragma once

#include <optional>
#include <vector>

#include "mapper/optimal/answer/answer.hpp"
#include "mapper/optimal/geometry/assignments.hpp"

namespace tilewright::optimal {

/// The assignments of a space that may be better than what is known, by their bound (compulsory_bound.hpp).
class SmallSpace {
   public:
    /// Refers to both.
    SmallSpace(const Question& question, Answer& answer) : question_(question), answer_(answer) {}

    /// Lists and bounds the assignments. False when it was stopped: some are missing.
    bool list();
    /// Costs all mappings of one assignment after the other, those first that promise most. What it does not come to
    /// is left open: it ends where an assignment has too many mappings, or all together take too long.
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
    double mappings_ = 0.0;       ///< of the assignments that were costed
};

}  // namespace tilewright::optimal
