// The best machine of a space, with proof: branch and bound over boxes of machines, best first.
//
//     const Answer answer = search(subject, space, settings, stop);
//     answer.best->value, answer.bound      // equal, but for rounding: no machine is better
//
// What a box and a machine come to is for a Subject to say. Boxes have two floors, a quick one and a dearer one that is
// found when the box's turn comes; then it is cut in two along the knob that the subject names. A box of one machine is
// mapped. So the search looks at no more boxes than those whose floor is below the best machine's value.
//
// It may be stopped at any time: what is left in the queue bounds the answer. The answer is the same on any number of
// threads, because boxes are worked on in batches that only know what was known before. The queue holds as many boxes
// as it is allowed to; beyond that the worst are dropped, and bound the answer for good.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "base/stop.hpp"
#include "codesign/box.hpp"

namespace tilewright::codesign {

/// What sums in another order may differ by: machines that are better by less count as equal.
inline constexpr double kClose = 1.0 - 1e-9;

/// What came of mapping one machine.
struct Mapped {
    std::optional<double> value;  ///< nothing: it is beyond a limit, or a layer has no mapping
    /// Where not every layer's mapping is proven to be its best one: with better ones the machine may come to so
    /// little.
    std::optional<double> least = std::nullopt;
};

/// Says what is asked of boxes and machines. Smaller values are better. Called from several threads at once.
class Subject {
   public:
    virtual ~Subject() = default;

    /// No valid machine of the box has a smaller value; nothing: it has no valid machine.
    virtual std::optional<double> quick_floor(const Box& box) = 0;
    /// The same, dearer and closer. What is no smaller than `enough` need not be found out more exactly.
    virtual std::optional<double> floor(const Box& box, double enough) = 0;
    /// The knob that a box of several machines is cut along.
    virtual std::size_t knob_to_cut(const Box& box) = 0;
    virtual Mapped map(explore::Point point) = 0;
};

struct Settings {
    int threads = 0;                     ///< 0: all there are
    std::size_t most_boxes = 2'000'000;  ///< in the queue
    bool keeps_tree = false;
    std::optional<Box> within = std::nullopt;  ///< only machines of this box; nothing: of the whole space
    /// Boxes that are looked at before the search ends, proven or not: where a bound is enough.
    std::int64_t most_looked = std::numeric_limits<std::int64_t>::max();
};

struct Best {
    explore::Point point = 0;
    double value = 0.0;

    bool operator==(const Best&) const = default;
};

struct Counts {
    std::int64_t boxes = 0;        ///< looked at
    std::int64_t quick_cuts = 0;   ///< boxes whose quick floor ruled them out
    std::int64_t floors = 0;       ///< dearer floors that were found
    std::int64_t floor_cuts = 0;   ///< boxes that those ruled out
    std::int64_t empty_cuts = 0;   ///< boxes without a valid machine
    std::int64_t mapped = 0;       ///< machines
    std::int64_t invalid = 0;      ///< of those, beyond a limit or without a mapping
    std::int64_t worse = 0;        ///< machines in boxes whose floors ruled them out
    std::int64_t quick_worse = 0;  ///< of those, by quick floors
    std::int64_t impossible = 0;   ///< machines in boxes without a valid one

    bool operator==(const Counts&) const = default;
};

/// Why a box was not cut.
enum class End { worse, impossible, mapped };

/// All boxes: the whole space, and the halves of those that were cut.
struct Tree {
    std::map<Box, std::size_t> cuts;  ///< along which knob
    std::map<Box, End> ends;
};

/// A moment at which a better machine was found.
struct Step {
    std::int64_t boxes = 0;
    Best best;
};

/// What was known after a batch.
struct Moment {
    std::int64_t boxes = 0;
    std::optional<double> best;
    double bound = 0.0;

    bool operator==(const Moment&) const = default;
};

struct Answer {
    std::optional<Best> best;
    double bound = 0.0;         ///< no valid machine has a smaller value; of a proven answer best->value
    bool proven = false;        ///< nothing that is left is better than best; without best: no machine is valid
    std::int64_t unproven = 0;  ///< machines that were mapped and may be better, were their mappings proven
    std::size_t left = 0;       ///< boxes
    Counts counts;
    std::vector<Step> steps;
    std::vector<std::int64_t> cut_along = {};  ///< by knob: boxes that were cut along it
    std::vector<Moment> course;                ///< at most a few hundred, evenly
    Tree tree;  ///< where it was to be kept; complete when the answer is proven and no box was dropped
};

/// How much less than the best value a machine may still have, as a share of it; 1 where there is none.
inline double gap_of(const std::optional<double>& best, double bound) { return best ? 1.0 - bound / *best : 1.0; }

/// Told after every batch.
using Tell = std::function<void(const Answer&)>;

Answer search(Subject& subject, const explore::Space& space, const Settings& settings, const StopSource& stop,
              const Tell& tell = {});

}  // namespace tilewright::codesign
