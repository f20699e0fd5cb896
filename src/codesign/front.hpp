// The Pareto front of a space's machines in two or three metrics, with proof: branch and bound over boxes of machines,
// as for one metric (search.hpp).
//
//     const FrontAnswer answer = search_front({&energy, &area}, space, settings, stop);
//     answer.front, answer.proven           // machines; no other one belongs to them
//     answer.envelope, answer.gap           // of a search that was stopped: where and by how much others may be better
//
// A Subject answers for one metric. A machine's point has the value of each, so values of different metrics may come
// from different mappings. A box is ruled out if its vector of floors is no better than one found machine's point in
// any metric.
#pragma once

#include <functional>
#include <vector>

#include "codesign/found_machines.hpp"
#include "codesign/search.hpp"

namespace tilewright::codesign {

/// A region with possibly better machines.
struct Remaining {
    Box box;
    Values floors;  ///< of all its machines

    bool operator==(const Remaining&) const = default;
};

struct FrontMoment {
    std::int64_t boxes = 0;  ///< examined so far
    std::int64_t machines = 0;
    double gap = 1.0;

    bool operator==(const FrontMoment&) const = default;
};

struct FrontAnswer {
    /// No valid machine of the space dominates, or is missing from, these; one of equal machines. By value.
    std::vector<FrontMachine> front;
    bool proven = false;
    /// Floors of the rest, covered neither by a machine of the front nor by other floors here. By value.
    std::vector<Remaining> envelope;
    /// Share by which a missing machine may beat some machine of the front in any metric; 0: proven, 1: no front.
    double gap = 1.0;
    std::int64_t unproven = 0;  ///< mapped machines that might be better with proven mappings
    std::size_t left = 0;       ///< boxes
    Counts counts;
    std::vector<std::int64_t> cut_along;  ///< by knob: boxes cut along it
    std::vector<FrontMoment> course;
};

/// Called after every batch; `front`, `envelope` and `gap` are those of the last moment.
using TellFront = std::function<void(const FrontAnswer&)>;

/// `metrics`: one Subject each, all outlive the search. Any number of threads gives the same answer.
FrontAnswer search_front(const std::vector<Subject*>& metrics, const explore::Space& space, const Settings& settings,
                         const StopSource& stop, const TellFront& tell = {});

}  // namespace tilewright::codesign
