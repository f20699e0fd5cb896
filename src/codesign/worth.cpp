#include "codesign/worth.hpp"

#include <algorithm>

namespace tilewright::codesign {
namespace {

void prove_held(Held& held, const Box& box, Subject& subject, const explore::Space& space, Settings settings,
                const StopSource& stop) {
    settings.within = box;
    settings.keeps_tree = false;
    const Answer answer = search(subject, space, settings, stop);
    held.best = answer.best;
    held.proven = answer.proven;
    if (answer.best || !answer.proven) held.bound = std::max(held.bound, answer.bound);
}

}  // namespace

std::vector<Held> hold_knobs(Subject& subject, const explore::Space& space, const Settings& settings,
                             const StopSource& stop, const Answer& answer,
                             const std::function<void(std::size_t, std::size_t)>& tell) {
    const Best& best = answer.best.value();
    std::size_t all = 0;
    for (const explore::Knob& knob : space.knobs()) all += knob.values.size();
    std::vector<Held> worth;
    for (std::size_t knob = 0; knob < space.knobs().size(); ++knob)
        for (std::uint32_t position = 0; position < space.knobs()[knob].values.size(); ++position) {
            Box box = whole(space);
            box.ranges[knob] = {position, position + 1};
            Held held{knob, position, count(box), std::nullopt, best.value, false};
            if (tell) tell(worth.size(), all);
            if (space.position(best.point, knob) == position) {
                held.best = best;
                held.proven = true;
            } else if (!stop.requested()) {
                prove_held(held, box, subject, space, settings, stop);
            }
            worth.push_back(held);
        }
    return worth;
}

}  // namespace tilewright::codesign
