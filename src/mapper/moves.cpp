#include "mapper/moves.hpp"

#include <algorithm>
#include <array>

namespace tilewright {
namespace {

std::int32_t factor_at(const TilingPoint& point, const Slot& slot, int dimension) {
    const TilingLevel& level = point[slot.level];
    return slot.spatial ? level.spatial[dimension] : level.temporal[dimension];
}

}  // namespace

void move_loop(TilingLevel& level, int from, int to) {
    const auto order = level.order.begin();
    if (from < to)
        std::rotate(order + from, order + from + 1, order + to + 1);
    else
        std::rotate(order + to, order + from, order + from + 1);
}

Moves::Moves(const Mapspace& mapspace, Random& random) : space_(mapspace), random_(random) {
    open_.resize(static_cast<std::size_t>(space_.dimension_count()));
    const int slots = static_cast<int>(space_.slots().size());
    for (int d = 0; d < space_.dimension_count(); ++d) {
        for (int s = 0; s < slots; ++s)
            if (space_.factor_bounds(space_.slots()[s], d).at_most > 1) open_[d].push_back(s);
        if (!space_.primes(d).empty() && open_[d].size() > 1) dimensions_.push_back(d);
    }
    for (const Slot& slot : space_.slots())
        if (slot.spatial) ++spatial_slots_;
    for (int l = 0; l < space_.level_count(); ++l) {
        if (space_.movable(l).size() > 1) orders_.push_back(l);
        for (std::uint32_t left = space_.free_tensors(l).bits(); left != 0; left &= left - 1)
            choices_.push_back({l, left & -left});
    }
}

int Moves::spatial_slot() const { return static_cast<int>(below(static_cast<std::size_t>(spatial_slots_))); }

// A prime factor of the dimension and its possible source and target slots; false if no other slot takes it.
bool Moves::draw_prime(const TilingPoint& point, int dimension, PrimeMove& move) const {
    const std::vector<std::int32_t>& primes = space_.primes(dimension);
    const std::vector<int>& slots = open_[dimension];
    move = {dimension, primes[below(primes.size())], 0, slots[below(slots.size())]};
    std::array<int, 2 * kMaxMemories> from{};
    std::size_t count = 0;
    for (const int s : slots) {
        const std::int32_t factor = factor_at(point, space_.slots()[s], dimension);
        if (factor > 1 && s != move.to && factor % move.prime == 0) from[count++] = s;
    }
    if (count == 0) return false;
    move.from = from[below(count)];
    return true;
}

bool Moves::take(TilingPoint& point, const PrimeMove& move) const {
    return space_.move_factor(point, move.dimension, move.prime, move.from, move.to);
}

bool Moves::move_factor(TilingPoint& point) const {
    if (dimensions_.empty()) return false;
    const int d = dimension();
    if (space_.has_remainders()) return space_.redraw_factors(random_, point, d);
    PrimeMove move;
    return draw_prime(point, d, move) && take(point, move);
}

bool Moves::swap_factors(TilingPoint& point) const {
    if (dimensions_.empty()) return false;
    if (space_.has_remainders()) {
        const bool first = space_.redraw_factors(random_, point, dimension());
        return space_.redraw_factors(random_, point, dimension()) || first;
    }
    PrimeMove there;
    if (!draw_prime(point, dimension(), there) || !take(point, there)) return false;
    const int d = dimension();
    const std::vector<std::int32_t>& primes = space_.primes(d);
    if (take(point, {d, primes[below(primes.size())], there.to, there.from})) return true;
    return !take(point, {there.dimension, there.prime, there.to, there.from});
}

// A memory with at least two movable loops that run, and two of their places.
bool Moves::draw_loops(const TilingPoint& point, LoopMove& move) const {
    if (orders_.empty()) return false;
    move.level = orders_[below(orders_.size())];
    const TilingLevel& level = point[move.level];
    const int first = space_.first_movable(move.level);
    std::array<int, kMaxDimensions> running{};
    std::size_t count = 0;
    for (int i = first; i < first + static_cast<int>(space_.movable(move.level).size()); ++i)
        if (level.temporal[level.order[i]] > 1) running[count++] = i;
    if (count < 2) return false;
    const std::size_t from = below(count);
    move.from = running[from];
    move.to = running[(from + 1 + below(count - 1)) % count];
    return true;
}

bool Moves::swap_loops(TilingPoint& point) const {
    LoopMove move;
    if (!draw_loops(point, move)) return false;
    std::swap(point[move.level].order[move.from], point[move.level].order[move.to]);
    return true;
}

bool Moves::move_loop(TilingPoint& point) const {
    LoopMove move;
    if (!draw_loops(point, move)) return false;
    tilewright::move_loop(point[move.level], move.from, move.to);
    return true;
}

bool Moves::redraw_layout(TilingPoint& point) const {
    if (dimensions_.empty() || spatial_slots_ == 0) return false;
    const int l = space_.slots()[spatial_slot()].level;
    const int d = dimension();
    return point[l].spatial[d] > 1 && space_.redraw_layout(random_, point, l);
}

bool Moves::flip_keep(TilingPoint& point) const {
    if (choices_.empty()) return false;
    const Choice& choice = choices_[below(choices_.size())];
    point[choice.level].keep = TensorSet::from_bits(point[choice.level].keep.bits() ^ choice.tensor);
    return true;
}

bool Moves::grow(TilingPoint& point) const {
    if (spatial_slots_ == 0 || dimensions_.empty()) return false;
    const int to = spatial_slot();
    const int l = space_.slots()[to].level;
    const int d = dimension();
    if (point[l].spatial[d] > 1) return false;
    if (!space_.has_remainders()) {
        PrimeMove move;
        if (!draw_prime(point, d, move)) return false;
        move.to = to;
        return take(point, move);
    }
    constexpr int kTries = 8;
    TilingPoint trial = point;
    for (int i = 0; i < kTries; ++i) {
        if (!space_.redraw_factors(random_, trial, d)) continue;
        if (trial[l].spatial[d] == 1) continue;
        point = trial;
        return true;
    }
    return false;
}

bool Moves::age(TilingPoint& point) const {
    if (spatial_slots_ == 0 || dimensions_.empty()) return false;
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

namespace {

void empty_slot(const Mapspace& space, TilingPoint& point, int from, int to) {
    for (int d = 0; d < space.dimension_count(); ++d) {
        space.empty_slot(point, d, from);
        for (const std::int32_t prime : space.primes(d))
            while (space.move_factor(point, d, prime, from, to)) continue;
    }
}

// Moves factors to the outermost memory: temporal ones first, then, if necessary, spatial ones.
Score retreat(Chunk& chunk, TilingPoint& point) {
    const Mapspace& space = chunk.mapspace;
    const std::vector<Slot>& slots = space.slots();
    const int outermost = static_cast<int>(std::find(slots.begin(), slots.end(), Slot{0, false}) - slots.begin());
    Score score;
    for (const bool spatial : {false, true}) {
        for (int slot = 0; slot < static_cast<int>(slots.size()); ++slot)
            if (slots[slot].spatial == spatial && slot != outermost) empty_slot(space, point, slot, outermost);
        if (!space.parallel_enough(point)) return score;
        score = chunk.propose(point);
        if (score < Score{}) return score;
    }
    return score;
}

}  // namespace

Score draw_start(Chunk& chunk, TilingPoint& point) {
    constexpr int kMostDraws = 20'000;
    constexpr int kPatience = 2'000;
    Score score;
    for (int i = 1; i <= kMostDraws && !chunk.over(); ++i) {
        if (!chunk.mapspace.sample(chunk.random, point)) {
            chunk.dead_end();
            continue;
        }
        score = chunk.propose(point);
        if (!(score < Score{}) && i % kPatience == 0) score = retreat(chunk, point);
        if (score < Score{}) return score;
    }
    return {};
}

int moves_per_start(int moves, const Budget& budget) {
    constexpr std::int64_t kStarts = 4;
    constexpr std::int64_t kFewest = 1000;
    std::int64_t most = moves;
    if (budget.victory > 0) most = std::min(most, std::max(kFewest, budget.victory / kStarts));
    if (budget.evaluations) most = std::min(most, std::max(kFewest, *budget.evaluations / kStarts));
    return static_cast<int>(most);
}

}  // namespace tilewright
