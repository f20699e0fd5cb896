// Follower: bounds one assignment whose factors all divide by looking at its tiles, or follows it to its end.
#pragma once

#include <tbb/enumerable_thread_specific.h>

#include <optional>
#include <vector>

#include "mapper/optimal/answer/answer.hpp"
#include "mapper/optimal/bounds/tile_table.hpp"
#include "mapper/optimal/geometry/charges.hpp"
#include "mapper/optimal/geometry/stages.hpp"

namespace tilewright::optimal {

/// Which of an assignment's nests are looked for: all that may be best, or in no time some that are good.
enum class Nests { best, some };

/// What a layout costs at least, whatever the nest.
struct LayoutCost {
    double wires_pj = 0.0;  ///< when all words are only delivered once
    double leak_pj_per_cycle = 0.0;
};

class Follower {
   public:
    /// `chooses`: assignments also differ in the tensors that memories keep. Where nothing is to be chosen, following
    /// one takes less time than costly bounds. Refers to the question.
    Follower(const Question& question, bool chooses) : question_(question), chooses_(chooses) {}

    /// A bound for all mappings of the assignment; nothing when it is out of reach.
    std::optional<Bound> look_at(const Charges& charges, TileTable& tiles, const Incumbent& incumbent) const;

    /// `wireless`: the machine without the costs of wires.
    LayoutCost cost_of(const lean::Setup& wireless, const TilingPoint& layout) const;

    /// Layouts that differ in wires only have the same nests: the best of them if wires took no more than `wires_pj`,
    /// whatever the nest. Nothing when it was stopped. Adds its steps.
    std::optional<std::vector<Nesting>> follow_without_wires(const lean::Setup& wireless, const TilingPoint& assignment,
                                                             double wires_pj, const Incumbent& incumbent,
                                                             std::int64_t& steps) const;

    /// With what wires take at least none of these nests would still be better.
    bool is_too_far_to_travel(const LayoutCost& layout, const std::vector<Nesting>& nests,
                              const Incumbent& incumbent) const;

    /// What is found is the incumbent from then on.
    void follow(const TilingPoint& assignment, Incumbent& incumbent, Outcome& outcome,
                Nests nests_to_find = Nests::best) const;

   private:
    Bound bound_of(const Charges& charges, double energy_pj, double cycles) const {
        return question_.bound_of(charges.leak_pj_per_cycle(), energy_pj, cycles);
    }
    Stages stages_of(const Charges& charges) const {
        return question_.uneven ? Stages::uneven(charges) : Stages::even(charges);
    }
    bool cost(const std::vector<Nesting>& nests, double least_cycles, Incumbent& incumbent, Outcome& outcome) const;
    LeanCost cost_of(const Nesting& nest) const;

    const Question& question_;
    bool chooses_;
    mutable tbb::enumerable_thread_specific<lean::LinkCache> links_;
};

}  // namespace tilewright::optimal
