// The best machine of a space, with proof: branch and bound over boxes of machines, best first.
//
//     const Answer answer = search(subject, space, settings, stop);
//     answer.best->value, answer.bound      // equal, but for rounding: no machine is better
//
// A Subject values boxes and machines. Boxes have a quick floor, and a dearer one computed at their turn; then they are
// cut in two along the subject's knob. A box of one machine is mapped. Only boxes with a floor below the best machine's
// value are examined.
//
// A stop leaves the queue's least floor as bound. Any number of threads gives the same answer: boxes are processed in
// batches that only use earlier batches' results. The queue is limited; beyond that the worst boxes are dropped, and
// limit the bound for good.
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

/// Relative differences within this are rounding of sums: such machines count as equal.
inline constexpr double kClose = 1.0 - 1e-9;

struct Mapped {
    std::optional<double> value;  ///< nothing: beyond a limit, or a layer without a mapping
    /// With unproven layer mappings: the machine's lower bound.
    std::optional<double> least = std::nullopt;
};

/// Values boxes and machines; smaller is better. Called from several threads at once.
class Subject {
   public:
    virtual ~Subject() = default;

    /// Lower bound of the box's valid machines; nothing: none is valid.
    virtual std::optional<double> quick_floor(const Box& box) = 0;
    /// The same, dearer and closer. From `enough` on it need not be exact.
    virtual std::optional<double> floor(const Box& box, double enough) = 0;
    /// The knob to cut a box of several machines along.
    virtual std::size_t knob_to_cut(const Box& box) = 0;
    virtual Mapped map(explore::Point point) = 0;
    /// Mapping is dear: a box of one machine has its dearer floor first, and no machine is mapped for a good answer
    /// soon but the most promising.
    virtual bool floors_machines() const { return false; }
    /// Of boxes with equal quick floors the one with less is the more promising.
    virtual double promise(const Box& /*box*/) { return 0.0; }
};

struct Settings {
    int threads = 0;                     ///< 0: all hardware threads
    std::size_t most_boxes = 2'000'000;  ///< in the queue
    bool keeps_tree = false;
    std::optional<Box> within = std::nullopt;  ///< only machines of this box; nothing: of the whole space
    /// Boxes to examine before the search ends, proven or not.
    std::int64_t most_looked = std::numeric_limits<std::int64_t>::max();
};

struct Best {
    explore::Point point = 0;
    double value = 0.0;

    bool operator==(const Best&) const = default;
};

struct Counts {
    std::int64_t boxes = 0;        ///< examined
    std::int64_t quick_cuts = 0;   ///< boxes ruled out by their quick floor
    std::int64_t floors = 0;       ///< dearer floors computed
    std::int64_t floor_cuts = 0;   ///< boxes ruled out by those
    std::int64_t empty_cuts = 0;   ///< boxes without a valid machine
    std::int64_t mapped = 0;       ///< machines
    std::int64_t invalid = 0;      ///< of those, beyond a limit or without a mapping
    std::int64_t worse = 0;        ///< machines in boxes ruled out by floors
    std::int64_t quick_worse = 0;  ///< of those, by quick floors
    std::int64_t impossible = 0;   ///< machines in boxes without a valid one

    bool operator==(const Counts&) const = default;
};

/// Reason a box was not cut.
enum class End { worse, impossible, mapped };

/// All boxes: the whole space, and the halves of cut ones.
struct Tree {
    std::map<Box, std::size_t> cuts;  ///< by knob
    std::map<Box, End> ends;
};

struct Step {
    std::int64_t boxes = 0;
    Best best;
};

struct Moment {
    std::int64_t boxes = 0;
    std::optional<double> best;
    double bound = 0.0;

    bool operator==(const Moment&) const = default;
};

struct Answer {
    std::optional<Best> best;
    double bound = 0.0;         ///< lower bound of valid machines; proven: best->value
    bool proven = false;        ///< no remaining machine is better than best; without best: none is valid
    std::int64_t unproven = 0;  ///< mapped machines that might be better with proven mappings
    std::size_t left = 0;       ///< boxes
    Counts counts;
    std::vector<Step> steps;
    std::vector<std::int64_t> cut_along = {};  ///< by knob: boxes cut along it
    std::vector<Moment> course;                ///< at most a few hundred, evenly
    Tree tree;  ///< if requested; complete if the answer is proven and no box was dropped
};

/// Relative gap of the bound below the best value; 1 without one.
inline double gap_of(const std::optional<double>& best, double bound) { return best ? 1.0 - bound / *best : 1.0; }

/// Called after every batch.
using Tell = std::function<void(const Answer&)>;

Answer search(Subject& subject, const explore::Space& space, const Settings& settings, const StopSource& stop,
              const Tell& tell = {});

// Worth of a knob's value: the best machine with it, relative to the best of all.
//
//     for (const Held& held : hold_knobs(subject, space, settings, stop, answer))
//         held.bound / answer.best->value     // with that knob at that value a machine costs at least so many times
//         more
//
// Each value is a search of its own, in the box with the knob at it. The subject caches mapped machines.

struct Held {
    std::size_t knob = 0;
    std::uint32_t position = 0;  ///< of its values
    std::int64_t machines = 0;   ///< with it
    std::optional<Best> best;    ///< of those mapped
    double bound = 0.0;          ///< lower bound of valid machines with it
    bool proven = false;         ///< best is the best; without one: none of them is valid
};

/// By knob and value. Each search ends after `settings.most_looked` boxes, proven or not; after a stop the remaining
/// values have the bound of all machines. `answer`: of the whole space, proven, with a best machine. `tell`: called
/// before each search with the numbers of values done and of all.
std::vector<Held> hold_knobs(Subject& subject, const explore::Space& space, const Settings& settings,
                             const StopSource& stop, const Answer& answer,
                             const std::function<void(std::size_t, std::size_t)>& tell = {});

}  // namespace tilewright::codesign
