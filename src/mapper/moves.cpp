#include "mapper/moves.hpp"

#include <algorithm>
#include <bit>

namespace tilewright {

void move_loop(PerfectLevel& level, int from, int to) {
    const auto order = level.order.begin();
    if (from < to)
        std::rotate(order + from, order + from + 1, order + to + 1);
    else
        std::rotate(order + to, order + from, order + from + 1);
}

Moves::Moves(const Mapspace& mapspace, Random& random) : space_(mapspace), random_(random) {
    for (int d = 0; d < space_.dimension_count(); ++d)
        if (!space_.primes(d).empty()) dimensions_.push_back(d);
    for (const Slot& slot : space_.slots())
        if (slot.spatial) ++spatial_slots_;
}

int Moves::spatial_slot() const { return static_cast<int>(below(static_cast<std::size_t>(spatial_slots_))); }

bool Moves::shift(PerfectPoint& point, int dimension, int from, int to) const {
    const std::vector<std::int32_t>& primes = space_.primes(dimension);
    return space_.move_factor(point, dimension, primes[below(primes.size())], from, to);
}

bool Moves::move_factor(PerfectPoint& point) const {
    if (space_.has_remainders()) return space_.redraw_factors(random_, point, dimension());
    return shift(point, dimension(), slot(), slot());
}

bool Moves::swap_factors(PerfectPoint& point) const {
    if (space_.has_remainders()) {
        const bool first = space_.redraw_factors(random_, point, dimension());
        return space_.redraw_factors(random_, point, dimension()) || first;
    }
    const int from = slot();
    const int to = slot();
    return shift(point, dimension(), from, to) && shift(point, dimension(), to, from);
}

bool Moves::swap_loops(PerfectPoint& point) const {
    const int l = level();
    const std::size_t count = space_.movable(l).size();
    if (count < 2) return false;
    const auto order = point[l].order.begin() + space_.first_movable(l);
    std::uint8_t& one = order[below(count)];
    std::uint8_t& other = order[below(count)];
    if (one == other || (point[l].temporal[one] == 1 && point[l].temporal[other] == 1)) return false;
    std::swap(one, other);
    return true;
}

bool Moves::move_loop(PerfectPoint& point) const {
    const int l = level();
    const std::size_t count = space_.movable(l).size();
    if (count < 2) return false;
    const int from = space_.first_movable(l) + static_cast<int>(below(count));
    const int to = space_.first_movable(l) + static_cast<int>(below(count));
    if (from == to || point[l].temporal[point[l].order[from]] == 1) return false;
    tilewright::move_loop(point[l], from, to);
    return true;
}

bool Moves::turn(PerfectPoint& point) const {
    const int l = level();
    const int d = dimension();
    return point[l].spatial[d] > 1 && space_.turn(point, l, d);
}

bool Moves::flip_keep(PerfectPoint& point) const {
    const int l = level();
    const int tensor = static_cast<int>(below(static_cast<std::size_t>(std::bit_width(space_.all_tensors().bits()))));
    if (!space_.free_tensors(l).has(tensor)) return false;
    point[l].keep = TensorSet::from_bits(point[l].keep.bits() ^ (1U << tensor));
    return true;
}

bool Moves::grow(PerfectPoint& point) const {
    if (spatial_slots_ == 0) return false;
    const int to = spatial_slot();
    const int l = space_.slots()[to].level;
    const int d = dimension();
    if (point[l].spatial[d] > 1) return false;
    if (!space_.has_remainders()) return shift(point, d, slot(), to);
    constexpr int kTries = 8;
    PerfectPoint trial = point;
    for (int i = 0; i < kTries; ++i) {
        if (!space_.redraw_factors(random_, trial, d)) continue;
        if (trial[l].spatial[d] == 1) continue;
        point = trial;
        return true;
    }
    return false;
}

bool Moves::age(PerfectPoint& point) const {
    if (spatial_slots_ == 0) return false;
    const int from = spatial_slot();
    const int l = space_.slots()[from].level;
    const int d = dimension();
    if (point[l].spatial[d] == 1) return false;
    if (space_.has_remainders()) return space_.empty_slot(point, d, from);
    const auto outside = std::ranges::find(space_.slots(), Slot{l, false}) - space_.slots().begin();
    bool changed = false;
    for (const std::int32_t prime : space_.primes(d))
        while (space_.move_factor(point, d, prime, from, static_cast<int>(outside))) changed = true;
    return changed;
}

}  // namespace tilewright
