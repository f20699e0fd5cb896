#include "timeloop/tileflow/held_sets.hpp"

#include <algorithm>

namespace tilewright::tileflow {

std::int64_t words_of(const account::BoxSet& set, int ranks) {
    std::int64_t words = 0;
    for (const account::Box& box : set) words += account::words(box, ranks);
    return words;
}

account::BoxSet without(const account::BoxSet& held, const account::BoxSet& before, int ranks) {
    account::BoxSet left = held;
    for (const account::Box& gone : before) {
        account::BoxSet next;
        for (const account::Box& box : left) account::subtract(box, gone, ranks, next);
        left = std::move(next);
    }
    std::ranges::sort(left);
    return left;
}

account::BoxSet moved(const account::BoxSet& set, const account::Point& by) {
    account::BoxSet result = set;
    for (account::Box& box : result) {
        box.low = account::sum(box.low, by);
        box.high = account::sum(box.high, by);
    }
    return result;
}

}  // namespace tilewright::tileflow
