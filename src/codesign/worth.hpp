// Worth of a knob's value: the best machine with it, relative to the best of all.
//
//     for (const Held& held : hold_knobs(subject, space, settings, stop, answer))
//         held.bound / answer.best->value     // with that knob at that value a machine costs at least so many times
//         more
//
// Each value is a search of its own, in the box with the knob at it. The subject caches mapped machines.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "codesign/search.hpp"

namespace tilewright::codesign {

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
