#include "certificate/perfect/nests.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "certificate/perfect/dominance.hpp"
#include "certificate/perfect/open.hpp"
#include "certificate/perfect/state.hpp"

namespace tilewright::certificate {
namespace {

class Follow {
   public:
    Follow(const Mapspace& mapspace, const Flows& flows, const Grid& grid, const std::vector<Section>& sections,
           const std::vector<std::vector<double>>& completion_pj, const Goal& goal, bool timed)
        : mapspace_(mapspace),
          flows_(flows),
          grid_(grid),
          sections_(sections),
          completion_pj_(completion_pj),
          goal_(goal),
          timed_(timed),
          open_(flows, grid, timed),
          dominance_(flows, open_, timed),
          waiting_(sections.size()),
          fits_(static_cast<std::size_t>(grid.size())) {
        for (int d = 0; d < flows.dimension_count(); ++d)
            if (is_bounded(0, d)) last_loops_are_free_ = false;
        if (static_cast<int>(mapspace.movable(0).size()) < flows.dimension_count()) last_loops_are_free_ = false;
    }

    std::optional<Cost> run();

   private:
    using Places = std::vector<States>;  ///< by point

    void start();
    void enter(std::size_t section);
    bool fits(const Section& section, int point);
    bool has_room(const Section& section, int point, const State& state);
    bool rest_is_free(const Section& section, const State& state) const;
    void loops(const Section& section);
    void loops_of(const Section& section, std::uint32_t dimensions, int turn);
    void extend(const Section& section, int point, const State& from, int dimension, int turn);
    std::uint32_t slid_along() const;
    bool is_bounded(int level, int dimension) const;
    bool may_run(int level, int dimension, std::int32_t factor) const;
    State after(const State& from, int level, int point, int dimension, const Step& step);

    void store(const Section& from, const Storing& storing, const Places& before);
    bool is_complete(const Section& from, const Section& to, const State& state) const;
    bool takes_room(const Storing& storing, const Section& to, int point, State& state);
    void finish_memories(const Section& section, State& state) const;
    double cycles_of(const State& state) const;
    void put(States& states, int point, State&& state);

    const Mapspace& mapspace_;
    const Flows& flows_;
    const Grid& grid_;
    const std::vector<Section>& sections_;
    const std::vector<std::vector<double>>& completion_pj_;
    const Goal& goal_;
    const bool timed_;
    OpenDeliveries open_;
    Dominance dominance_;
    std::vector<Places> waiting_;  ///< by section: states that no loop of it was added to
    std::size_t section_ = 0;      ///< that states are put in
    Places at_;
    std::uint32_t slid_along_ = slid_along();  ///< dimensions along which some tile may slide
    static constexpr std::int8_t kUnknown = -1;
    std::vector<std::int8_t> fits_;  ///< by point: memories have room for what they are still to store
    std::array<std::vector<double>, kMaxMemories> needed_;  ///< by memory stored in part and point: words of the rest
    bool last_loops_are_free_ = true;                       ///< no constraint on those of the outermost memory
};

std::optional<Cost> Follow::run() {
    start();
    for (std::size_t i = 0; i + 1 < sections_.size(); ++i) {
        if (waiting_[i].empty()) continue;  // nothing came so far
        const Section& section = sections_[i];
        at_ = std::move(waiting_[i]);
        enter(i);
        fits_.assign(fits_.size(), kUnknown);
        for (int l = 0; l < flows_.level_count(); ++l)
            if ((section.begun >> l & 1U) != 0) needed_[l].resize(fits_.size());
        loops(section);
        const Places built = std::move(at_);
        for (const Storing& storing : section.next) store(section, storing, built);
    }
    std::optional<Cost> least;
    if (waiting_.back().empty()) return least;
    for (const State& state : waiting_.back().back()) {
        const Cost cost = cost_of(flows_, state.pj, cycles_of(state));
        if (!goal_.is_out_of_reach(cost) && (!least || cost.energy_pj < least->energy_pj)) least = cost;
    }
    return least;
}

void Follow::start() {
    enter(0);
    State state;
    state.pj = flows_.compute_pj();
    if (timed_) state.loads.assign(2 * static_cast<std::size_t>(flows_.level_count()), 0.0);
    open_.start(state);
    for (int fanout = flows_.level_count() - 1; fanout >= sections_.front().crossed; --fanout)
        open_.cross(fanout, 0, state);
    open_.settle_windows(state);
    waiting_.front().resize(static_cast<std::size_t>(grid_.size()));
    put(waiting_.front().front(), 0, std::move(state));
}

void Follow::enter(std::size_t section) {
    section_ = section;
    std::uint32_t required = 0;
    const int owner = sections_[section].owner;
    for (int d = 0; owner >= 0 && d < flows_.dimension_count(); ++d)
        if (mapspace_.temporal_bounds(owner, d).at_least > 1) required |= 1U << d;
    open_.enter(sections_[section]);
    dominance_.enter(sections_[section], required);
}

// ---------------------------------------------------------------- loops between two stores

// A memory has room for what it is still to store, as far as that is all it stores.
bool Follow::fits(const Section& section, int point) {
    const auto at = static_cast<std::size_t>(point);
    if (fits_[at] != kUnknown) return fits_[at] != 0;
    bool fits = true;
    for (int l = 0; l < flows_.level_count() && fits; ++l) {
        if (section.missing[l] == 0) continue;
        double words = 0.0;
        for (std::uint32_t left = section.missing[l]; left != 0; left &= left - 1)
            words += open_.words(point, std::countr_zero(left), l);
        fits = flows_.has_room(l, words);
        if ((section.begun >> l & 1U) != 0) needed_[l][at] = words;
    }
    fits_[at] = fits ? 1 : 0;
    return fits;
}

// With what is taken already.
bool Follow::has_room(const Section& section, int point, const State& state) {
    const auto at = static_cast<std::size_t>(point);
    if (!fits(section, point)) return false;
    for (std::uint32_t left = section.begun; left != 0; left &= left - 1) {
        const int l = std::countr_zero(left);
        if (!flows_.has_room(l, state.room[static_cast<std::size_t>(l)] + needed_[l][at])) return false;
    }
    return true;
}

// Only loops of the outermost memory are left, which may stand in any order and change nothing.
bool Follow::rest_is_free(const Section& section, const State& state) const {
    const bool last = sections_[static_cast<std::size_t>(section.next.front().to)].owner < 0;
    if (!last || !last_loops_are_free_ || state.placed != 0 || !state.windows.empty()) return false;
    return std::all_of(state.waiting.begin(), state.waiting.end(), [](std::uint32_t open) { return open == 0; });
}

void Follow::loops(const Section& section) {
    const PerfectLevel& order = flows_.assignment()[section.owner];
    const int first = mapspace_.first_movable(section.owner);
    const int movable = static_cast<int>(mapspace_.movable(section.owner).size());
    int turn = 0;
    for (int k = 0; k < first; ++k) loops_of(section, 1U << order.order[k], turn++);
    std::uint32_t any_order = 0;
    for (const std::uint8_t d : mapspace_.movable(section.owner)) any_order |= 1U << d;
    loops_of(section, any_order, turn++);
    for (int k = first + movable; k < flows_.dimension_count(); ++k) loops_of(section, 1U << order.order[k], turn++);
}

// Steps lead to later points only: what is at a point is complete when its turn comes.
void Follow::loops_of(const Section& section, std::uint32_t dimensions, int turn) {
    for (int point = 0; point < grid_.size(); ++point) {
        States& states = at_[static_cast<std::size_t>(point)];
        if (states.empty()) continue;
        if (!fits(section, point)) states.clear();
        for (const State& state : states)
            for (std::uint32_t left = dimensions; left != 0; left &= left - 1)
                extend(section, point, state, std::countr_zero(left), turn);
    }
}

bool Follow::is_bounded(int level, int dimension) const {
    const FactorBounds& bounds = mapspace_.temporal_bounds(level, dimension);
    return bounds.at_least > 1 || static_cast<double>(bounds.at_most) < flows_.rest()[dimension];
}

std::uint32_t Follow::slid_along() const {
    std::uint32_t dimensions = 0;
    for (int d = 0; d < flows_.dimension_count(); ++d)
        for (int t = 0; t < flows_.tensor_count(); ++t) {
            const Addresses& tensor = flows_.tensor(t);
            if (tensor.overlaps && tensor.moves(d) && (!tensor.steady || std::popcount(tensor.beside(d)) > 1))
                dimensions |= 1U << d;
        }
    return dimensions;
}

bool Follow::may_run(int level, int dimension, std::int32_t factor) const {
    const FactorBounds& bounds = mapspace_.temporal_bounds(level, dimension);
    return factor >= bounds.at_least && factor <= bounds.at_most;
}

// Some loops have to be taken as a whole: their factor is bounded, or a tile slides along them, which makes two loops
// differ from one. All others are taken prime by prime, which allows more than the mapspace does.
void Follow::extend(const Section& section, int point, const State& from, int dimension, int turn) {
    if (((from.placed | from.taken) >> dimension & 1U) != 0 || from.turn > turn) return;
    const bool bounded = is_bounded(section.owner, dimension);
    const bool whole = bounded || (slid_along_ >> dimension & 1U) != 0;
    for (const Step& step : grid_.steps(point, dimension)) {
        if (whole ? !may_run(section.owner, dimension, step.factor) : !step.is_prime) continue;
        const int next = point + step.by;
        if (!has_room(section, next, from)) continue;
        State state = after(from, section.owner, point, dimension, step);
        if (section.owner_goes_on) state.turn = turn;
        const int to = rest_is_free(section, state) ? grid_.size() - 1 : next;
        put(at_[static_cast<std::size_t>(to)], to, std::move(state));
    }
}

State Follow::after(const State& from, int level, int point, int dimension, const Step& step) {
    State state = from;
    const std::uint32_t bit = 1U << dimension;
    if (open_.move(point, dimension, step, state)) state.placed |= bit;
    if (is_bounded(level, dimension)) state.taken |= bit;
    return state;
}

// ---------------------------------------------------------------- from section to section

void Follow::store(const Section& from, const Storing& storing, const Places& before) {
    const auto number = static_cast<std::size_t>(storing.to);
    const Section& to = sections_[number];
    enter(number);
    Places& places = waiting_[number];
    places.resize(static_cast<std::size_t>(grid_.size()));
    const bool last = to.owner < 0;
    for (int point = last ? grid_.size() - 1 : 0; point < grid_.size(); ++point) {
        const auto at = static_cast<std::size_t>(point);
        if (before[at].empty()) continue;
        for (const State& build : before[at]) {
            if (!is_complete(from, to, build)) continue;
            State state = build;
            if (!takes_room(storing, to, point, state)) continue;
            state.placed = 0;
            if (from.owner != to.owner) {
                state.taken = 0;
                state.turn = 0;
            }
            open_.open(from, to, point, state);
            if (last) open_.settle_all(state);
            finish_memories(to, state);
            put(places[at], point, std::move(state));
        }
    }
}

// Memories that no loop to come belongs to have all loops that they need.
bool Follow::is_complete(const Section& from, const Section& to, const State& state) const {
    for (int l = from.owner; l > to.owner; --l)
        for (int d = 0; d < flows_.dimension_count(); ++d) {
            const bool taken = l == from.owner && (state.taken >> d & 1U) != 0;
            if (!taken && mapspace_.temporal_bounds(l, d).at_least > 1) return false;
        }
    return true;
}

// False when the memory has too little room, or is not filled enough.
bool Follow::takes_room(const Storing& storing, const Section& to, int point, State& state) {
    const auto memory = static_cast<std::size_t>(storing.memory);
    double words = state.room.empty() ? 0.0 : state.room[memory];
    for (std::uint32_t left = storing.tensors; left != 0; left &= left - 1)
        words += open_.words(point, std::countr_zero(left), storing.memory);
    if (!flows_.has_room(storing.memory, words)) return false;
    const bool whole = (to.whole >> storing.memory & 1U) != 0;
    if (whole && !flows_.is_filled(storing.memory, words)) return false;
    if (to.begun == 0) {
        state.room.clear();
        return true;
    }
    state.room.resize(static_cast<std::size_t>(flows_.level_count()), 0.0);
    state.room[memory] = whole ? 0.0 : words;
    return true;
}

// The accesses of memories that no open delivery will add to turn into cycles.
void Follow::finish_memories(const Section& section, State& state) const {
    if (!timed_) return;
    std::uint32_t pending = ~section.whole;
    const auto mark = [&](int t, int l) {
        if (flows_.keeps(t, l)) pending |= 1U << l | 1U << flows_.parent(t, l);
    };
    for (int t = 0; t < flows_.tensor_count(); ++t)
        for (std::uint32_t left = state.waiting[t]; left != 0; left &= left - 1) mark(t, std::countr_zero(left));
    for (const Window& window : state.windows) mark(window.tensor, window.level);
    Loads loads{};
    std::copy(state.loads.begin(), state.loads.end(), loads.begin());
    for (int l = 0; l < flows_.level_count(); ++l) {
        if ((pending >> l & 1U) != 0) continue;
        state.cycles = std::max(state.cycles, flows_.cycles_for(l, loads));
        state.loads[2 * static_cast<std::size_t>(l)] = state.loads[2 * static_cast<std::size_t>(l) + 1] = 0.0;
    }
}

double Follow::cycles_of(const State& state) const {
    double cycles = std::max(flows_.steps(), state.cycles);
    if (!timed_) return cycles;
    Loads loads{};
    std::copy(state.loads.begin(), state.loads.end(), loads.begin());
    for (int l = 0; l < flows_.level_count(); ++l) cycles = std::max(cycles, flows_.cycles_for(l, loads));
    return cycles;
}

// States are kept by what they cost at least: none that costs more than another one replaces it.
void Follow::put(States& states, int point, State&& state) {
    open_.price(point, state);
    const double least_pj = state.least_pj + completion_pj_[section_][static_cast<std::size_t>(point)];
    if (goal_.is_out_of_reach(cost_of(flows_, least_pj, cycles_of(state)))) return;
    const auto dearer = std::upper_bound(states.begin(), states.end(), state.least_pj,
                                         [](double pj, const State& other) { return pj < other.least_pj; });
    const auto is_better = [&](const State& other) { return dominance_.replaces(point, other, state); };
    if (std::any_of(states.begin(), dearer, is_better)) return;
    const auto is_worse = [&](const State& other) { return dominance_.replaces(point, state, other); };
    const auto end = std::remove_if(dearer, states.end(), is_worse);
    const auto at = dearer - states.begin();
    states.erase(end, states.end());
    states.insert(states.begin() + at, std::move(state));
}

}  // namespace

Cost cost_of(const Flows& flows, double pj, double cycles) {
    constexpr double kRounding = 1.0 - 1e-12;
    const double whole = std::ceil(cycles * kRounding);
    return {pj + flows.leak_pj_per_cycle() * whole, whole + static_cast<double>(flows.ground().link_latency_cycles)};
}

std::optional<Cost> follow(const Mapspace& mapspace, const Flows& flows, const Grid& grid,
                           const std::vector<Section>& sections, const std::vector<std::vector<double>>& completion_pj,
                           const Goal& goal) {
    const std::optional<Cost> frugal = Follow(mapspace, flows, grid, sections, completion_pj, goal, false).run();
    if (!frugal || !flows.ground().throttles) return frugal;
    return Follow(mapspace, flows, grid, sections, completion_pj, goal, true).run();
}

}  // namespace tilewright::certificate
