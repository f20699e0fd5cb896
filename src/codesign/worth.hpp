// What a knob's value is worth: the best machine that has it, beside the best of all.
//
//     for (const Held& held : hold_knobs(subject, space, settings, stop, answer))
//         held.bound / answer.best->value     // with that knob at that value a machine costs at least so many times
//         more
//
// Each value is a search of its own, within the box in which the knob has it. The subject remembers what it has mapped.
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
    std::int64_t machines = 0;   ///< that have it
    std::optional<Best> best;    ///< of those that were mapped
    double bound = 0.0;          ///< no valid machine that has it has a smaller value
    bool proven = false;         ///< best is the best; without one: none of them is valid
};

/// By knob and value. Each search ends after `settings.most_looked` boxes, proven or not; after a stop the values that
/// are left have the bound of all machines. `answer`: of the whole space, proven, with a best machine. `tell`: called
/// before each search with the numbers of values done and of all.
std::vector<Held> hold_knobs(Subject& subject, const explore::Space& space, const Settings& settings,
                             const StopSource& stop, const Answer& answer,
                             const std::function<void(std::size_t, std::size_t)>& tell = {});

}  // namespace tilewright::codesign
