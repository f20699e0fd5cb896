// The machines of a space that no other beats in two or three metrics, with proof: branch and bound over boxes of
// machines, as for one metric (search.hpp).
//
//     const FrontAnswer answer = search_front({&energy, &area}, space, settings, stop);
//     answer.front, answer.proven           // machines; no other one belongs to them
//     answer.envelope, answer.gap           // of a search that was stopped: where and by how much others may be better
//
// A Subject answers for one metric. A machine's point has the value that each of them gives it, so that values of
// different metrics may come from different mappings of the machine. A box is ruled out when the vector of its floors
// is no better than the point of one machine that was found, in any metric.
#pragma once

#include <functional>
#include <vector>

#include "codesign/found_machines.hpp"
#include "codesign/search.hpp"

namespace tilewright::codesign {

/// Where a better machine may still be.
struct Remaining {
    Box box;
    Values floors;  ///< no machine there has less of any

    bool operator==(const Remaining&) const = default;
};

/// A moment of the search.
struct FrontMoment {
    std::int64_t boxes = 0;  ///< looked at until then
    std::int64_t machines = 0;
    double gap = 1.0;

    bool operator==(const FrontMoment&) const = default;
};

struct FrontAnswer {
    /// No valid machine of the space is better in one metric and no worse in the others than one of these; of machines
    /// that are equal, one. By value.
    std::vector<FrontMachine> front;
    bool proven = false;
    /// Floors of what is left that neither a machine of the front nor other floors here cover. By value.
    std::vector<Remaining> envelope;
    /// Whatever is missing is by no more than this share better, in any metric, than some machine of the front; 0 when
    /// the answer is proven, 1 without a front.
    double gap = 1.0;
    std::int64_t unproven = 0;  ///< machines that were mapped and may be better, were their mappings proven
    std::size_t left = 0;       ///< boxes
    Counts counts;
    std::vector<std::int64_t> cut_along;  ///< by knob: boxes that were cut along it
    std::vector<FrontMoment> course;
};

/// Told after every batch; `front`, `envelope` and `gap` are those of the last moment.
using TellFront = std::function<void(const FrontAnswer&)>;

/// `metrics`: one Subject each, all outlive the search. The answer is the same on any number of threads.
FrontAnswer search_front(const std::vector<Subject*>& metrics, const explore::Space& space, const Settings& settings,
                         const StopSource& stop, const TellFront& tell = {});

}  // namespace tilewright::codesign
