// Steps of a shared loop that do what an earlier one did, moved: what comes of them need not be walked again.
//
// Away from the borders of tensors all that a step does depends on what stores hold where it looks, and moves with the
// step. So where a step begins as an earlier one did, moved, whatever it is sent, makes and leaves behind is what came
// of that one, moved. A window around all that a step may touch, whatever is held, says where it looks.
//
//     SteadyLoop steps(cascade, tree, stores, loop, first);
//     for each step: if (steps.begins_alike(k, extents, state)) steps.repeat(k, state, tally, touches);
//                    else { walk it; steps.remember(k, extents, before, state, tally of it, touches of it); }
// What is counted while a fused mapping runs.
// What shared stores hold while a fused mapping runs.
// Which words of a sum were begun with statistics that changed since.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/numbers/checked.hpp"
#include "mapping/fused/tree.hpp"
#include "mapping/fused/unfinished.hpp"
#include "model/fused/region.hpp"
#include "model/fused/walk.hpp"
#include "model/fused/windows.hpp"
#include "workload/cascade/cascade.hpp"

namespace tilewright::fused {

/// What of a tensor a store remembers.
struct Holding {
    Region held;
    std::optional<Place> at;     ///< where its tile starts, borders and what is kept left aside
    std::optional<Place> moved;  ///< the movement of the last reuse
    Region summed;               ///< of statistics read unfinished: words of their rows that are in those held

    void forget() {
        held.clear();
        summed.clear();
    }
};

/// By tensor and store of it.
using State = std::vector<Holding>;

/// By tensor: hulls of what leaves read and make.
struct Touches {
    std::vector<std::optional<Box>> reads;
    std::vector<std::optional<Box>> makes;
};

struct Tally {
    /// Words of all repeats; see StoreCounts.
    struct Moved {
        std::int64_t in = 0;
        std::int64_t back = 0;
        std::int64_t out = 0;
        std::int64_t finished = 0;
    };

    std::map<LeafCall, std::int64_t> calls;
    std::vector<std::int64_t> operations;  ///< by einsum
    std::vector<Moved> moved;              ///< by entry of WalkCounts::stores
    std::vector<Region> made;              ///< by einsum: words of its first result

    Tally(std::size_t einsums, std::size_t stores) : operations(einsums), moved(stores), made(einsums) {}

    /// What is made, box by box, where `place(einsum, box)` says. Throws OverflowError.
    template <typename PlaceOf>
    void add(const Tally& more, const PlaceOf& place) {
        for (const auto& [call, times] : more.calls) calls[call] = checked_add(calls[call], times);
        for (std::size_t e = 0; e < operations.size(); ++e) {
            operations[e] = checked_add(operations[e], more.operations[e]);
            for (const Box& box : more.made[e].boxes()) made[e].add(place(e, box));
        }
        for (std::size_t i = 0; i < moved.size(); ++i) {
            moved[i].in = checked_add(moved[i].in, more.moved[i].in);
            moved[i].back = checked_add(moved[i].back, more.moved[i].back);
            moved[i].out = checked_add(moved[i].out, more.moved[i].out);
            moved[i].finished = checked_add(moved[i].finished, more.moved[i].finished);
        }
    }
};

/// Where the steps of a loop look, and how that moves.
struct StepWindow {
    std::vector<std::optional<Box>> around;  ///< by tensor: all that the first step may touch, without borders
    std::vector<Place> shift;                ///< by tensor: words that it moves with every step
    std::int64_t first = 0;                  ///< steps first .. last lie inside the borders that they move towards
    std::int64_t last = -1;
    bool sums = false;  ///< steps behind the beginning of the loop's dimension go on with sums, the last ends them
};

/// `first`: iterations of the last einsum inside in the first step. Nothing: the steps do not move as one.
std::optional<StepWindow> step_window(const Cascade& cascade, const FusedTree& tree, int loop, const Iterations& first);

class SteadyLoop {
   public:
    /// `stores`: what the entries of a State are of. Keeps a reference to `stores`.
    SteadyLoop(const Cascade& cascade, const FusedTree& tree, const std::vector<StoreCounts>& stores, int loop,
               const Iterations& first);

    /// False where nothing is gained by remembering the step.
    bool may_repeat(std::int64_t step) const;
    /// The step does what the remembered one did.
    bool begins_alike(std::int64_t step, const std::vector<std::int64_t>& extents, const State& state) const;
    /// `touches`: null where the step was counted.
    void remember(std::int64_t step, std::vector<std::int64_t> extents, const State& before, const State& after,
                  Tally tally, const Touches* touches);
    void repeat(std::int64_t step, State& state, Tally& tally, Touches* touches) const;

   private:
    struct Remembered {
        std::int64_t step = 0;
        std::vector<std::int64_t> extents;
        State before;                         ///< of stores inside the loop
        State after;                          ///< the same
        std::vector<std::vector<Box>> seen;   ///< by entry, of stores around it: what was held in the window
        std::vector<std::vector<Box>> added;  ///< by entry: to stores around it
        Tally tally;
        Touches touches;
    };

    Box window(int tensor, std::int64_t step) const;
    std::vector<Box> looked_at(std::size_t entry, std::int64_t step, const State& state) const;

    const std::vector<StoreCounts>& stores_;
    std::optional<StepWindow> window_;
    std::int64_t low_ = 0;             ///< of the first step, along the loop's dimension
    std::int64_t last_step_ = 0;       ///< that ends the dimension, if any does
    std::vector<std::size_t> inside_;  ///< entries
    std::vector<std::size_t> around_;  ///< entries that the steps look at
    std::vector<int> result_;          ///< by einsum: tensor of its first result
    std::optional<Remembered> remembered_;
};

/// The operand of the einsum that sums over the rows which is its result.
int summing_operand(const Cascade& cascade, const UnfinishedStatistics& statistics);

class Corrections {
   public:
    /// More of the rows came into the statistics: sums that were begun with them are old.
    void changed(const Cascade& cascade, const UnfinishedStatistics& statistics, const Iterations& box);
    /// These words are summed up to, or `goes_on`: added to. Returns how many of them are old; none is afterwards.
    std::int64_t summed(const Box& words, bool goes_on);

   private:
    Region begun_;
    Region old_;
};

}  // namespace tilewright::fused
