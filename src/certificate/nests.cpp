#include "certificate/nests.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace tilewright::certificate {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kUnknown = -1.0;

/// A delivery whose words depend on how the tile slides, or on fan-outs further out.
struct Window {
    enum class State {
        unmoved,  ///< no loop so far moves the tile
        sliding,  ///< the next loop may slide it on
        whole     ///< every advance further out sends all of it: the words are known, the groups may not be
    };
    std::int8_t tensor = 0;
    std::int8_t level = 0;
    State state = State::unmoved;
    std::uint32_t along = 0;  ///< dimensions of the rank that slides
    Move slide{};
    Move reset{};  ///< how far the loops so far have moved the tile: the next advance undoes it
    double tile = 0.0;
    double kept = 0.0;  ///< words of the tile that a slide keeps
    double sent = 0.0;  ///< if every advance further out sends the whole tile
    Sharing sharing;    ///< as far as fan-outs are crossed

    /// The same will be saved whatever loops follow.
    bool goes_on_like(const Window& other) const {
        if (tensor != other.tensor || level != other.level || state != other.state || sharing != other.sharing)
            return false;
        return state != State::sliding ||
               (tile == other.tile && kept == other.kept && slide == other.slide && reset == other.reset);
    }
};

struct State {
    double pj = 0.0;           ///< of settled deliveries
    double least_pj = 0.0;     ///< with the open ones at their least
    std::uint32_t placed = 0;  ///< dimensions that may not have another loop at this memory
    std::array<std::uint32_t, kMaxTensors>
        waiting{};  ///< bit l: the delivery to memory l is open, and no loop moved it
    std::vector<Window> windows;
    std::vector<double> loads;  ///< when timed: of settled deliveries, per memory reads and writes
    double cycles = 0.0;        ///< when timed: of memories all of whose deliveries are settled
};

using States = std::vector<State>;

/// Of one of two states with no more sent than of the other: whatever follows, it is no dearer.
bool goes_on_in(const Window& window, const State& other) {
    return std::any_of(other.windows.begin(), other.windows.end(), [&window](const Window& theirs) {
        return window.goes_on_like(theirs) && window.sent <= theirs.sent;
    });
}

bool went_on_from(const Window& window, const State& other) {
    return std::any_of(other.windows.begin(), other.windows.end(), [&window](const Window& theirs) {
        return window.goes_on_like(theirs) && theirs.sent <= window.sent;
    });
}

class Follow {
   public:
    Follow(const Mapspace& mapspace, const Flows& flows, const Grid& grid, const std::vector<double>& outside_pj,
           const Goal& goal, bool timed)
        : mapspace_(mapspace),
          flows_(flows),
          grid_(grid),
          outside_pj_(outside_pj),
          goal_(goal),
          timed_(timed),
          at_(static_cast<std::size_t>(grid.size())),
          now_(table_size(), kUnknown),
          least_(table_size(), kUnknown) {}

    std::optional<Cost> run();

   private:
    std::size_t table_size() const {
        return static_cast<std::size_t>(grid_.size()) * static_cast<std::size_t>(flows_.tensor_count()) *
               static_cast<std::size_t>(flows_.level_count() + 1);
    }
    std::size_t entry(int point, int t, int level) const {
        const auto row = static_cast<std::size_t>(point) * static_cast<std::size_t>(flows_.tensor_count());
        return (row + static_cast<std::size_t>(t)) * static_cast<std::size_t>(flows_.level_count() + 1) +
               static_cast<std::size_t>(level);
    }

    State start() const;
    void cross(int level);
    void loops(int level);
    void loops_of(int level, std::uint32_t dimensions);
    void extend(int level, int point, const State& from, int dimension);
    bool needs_whole_loop(int level, int dimension) const;
    bool may_run(int level, int dimension, std::int32_t factor) const;
    State after(const State& from, int level, int point, int dimension, const Step& step);
    void store(int level);
    bool is_complete(int level, const State& state) const;
    void open(int level, State& state) const;
    void settle_all(State& state);

    void settle(int t, int level, double sent, const Sharing& sharing, const Box& loops, State& state) const;
    double waiting_now_pj(int point, int t, int level);
    double waiting_least_pj(int point, int t, int level);
    double sent_now(const Window& window, int point) const;
    double sent_least(const Window& window, int point) const;
    double window_pj(const Window& window, double sent) const;
    bool is_crossed(const Window& window) const {
        return !flows_.is_dynamic(window.tensor, window.level) ||
               crossed_ <= flows_.parent(window.tensor, window.level);
    }
    void start_sliding(Window& window, int point, int dimension, double stride) const;
    void advance(Window& window, int level, int point, int dimension, const Step& step) const;
    void settle_windows(State& state) const;
    double window_least_pj(const Window& window, int point) const;

    bool replaces(int point, const State& a, const State& b);
    bool replaces_loads(int point, const State& a, const State& b) const;
    void finish_memories(int level, State& state) const;
    double cycles_of(const State& state) const;
    double open_least_pj(int point, const State& state);
    void put(States& states, int point, State&& state);

    const Mapspace& mapspace_;
    const Flows& flows_;
    const Grid& grid_;
    const std::vector<double>& outside_pj_;
    const Goal& goal_;
    const bool timed_;
    int placed_ = 0;              ///< the outermost memory whose deliveries are in the states
    int crossed_ = 0;             ///< the outermost fan-out inside them
    std::uint32_t required_ = 0;  ///< dimensions that need a loop at the present memory
    std::vector<States> at_;      ///< by point
    std::vector<double> now_;     ///< of waiting deliveries, by point, tensor and level
    std::vector<double> least_;
};

State Follow::start() const {
    State state;
    state.pj = flows_.compute_pj();
    if (timed_) state.loads.assign(2 * static_cast<std::size_t>(flows_.level_count()), 0.0);
    const int units = flows_.level_count();
    for (int t = 0; t < flows_.tensor_count(); ++t) {
        if (!flows_.is_dynamic(t, units)) {
            settle(t, units, flows_.steps(), {}, grid_.loops(0), state);
            continue;
        }
        Window window;
        window.tensor = static_cast<std::int8_t>(t);
        window.level = static_cast<std::int8_t>(units);
        window.state = Window::State::whole;
        window.sent = flows_.steps();
        state.windows.push_back(window);
    }
    return state;
}

std::optional<Cost> Follow::run() {
    placed_ = crossed_ = flows_.level_count();
    put(at_[0], 0, start());
    for (int l = flows_.level_count() - 1; l >= 0; --l) {
        cross(l);
        loops(l);
        store(l);
    }
    std::optional<Cost> least;
    for (const State& state : at_.back()) {
        const Cost cost = cost_of(flows_, state.pj, cycles_of(state));
        if (!goal_.is_out_of_reach(cost) && (!least || cost.energy_pj < least->energy_pj)) least = cost;
    }
    return least;
}

// ---------------------------------------------------------------- one memory after the other

// The groups of deliveries across this fan-out are known now.
void Follow::cross(int level) {
    crossed_ = level;
    for (int point = 0; point < grid_.size(); ++point)
        for (State& state : at_[static_cast<std::size_t>(point)]) {
            for (Window& window : state.windows)
                flows_.add_sharing(window.tensor, window.level, level, grid_.loops(point), window.sharing);
            settle_windows(state);
        }
}

void Follow::loops(int level) {
    required_ = 0;
    for (int d = 0; d < flows_.dimension_count(); ++d)
        if (mapspace_.temporal_bounds(level, d).at_least > 1) required_ |= 1U << d;
    const PerfectLevel& order = flows_.assignment()[level];
    const int first = mapspace_.first_movable(level);
    const int movable = static_cast<int>(mapspace_.movable(level).size());
    for (int k = 0; k < first; ++k) loops_of(level, 1U << order.order[k]);
    std::uint32_t any_order = 0;
    for (const std::uint8_t d : mapspace_.movable(level)) any_order |= 1U << d;
    if (any_order != 0) loops_of(level, any_order);
    for (int k = first + movable; k < flows_.dimension_count(); ++k) loops_of(level, 1U << order.order[k]);
}

// Steps lead to later points only: what is at a point is complete when its turn comes.
void Follow::loops_of(int level, std::uint32_t dimensions) {
    for (int point = 0; point < grid_.size(); ++point) {
        if (!flows_.fits(level, grid_.loops(point))) {
            at_[static_cast<std::size_t>(point)].clear();
            continue;
        }
        for (const State& state : at_[static_cast<std::size_t>(point)])
            for (std::uint32_t left = dimensions; left != 0; left &= left - 1)
                extend(level, point, state, std::countr_zero(left));
    }
}

// Some loops have to be taken as a whole: their factor is bounded, or a tile slides along them, which makes two loops
// differ from one. All others are taken prime by prime, which allows more than the mapspace does.
bool Follow::needs_whole_loop(int level, int dimension) const {
    const FactorBounds& bounds = mapspace_.temporal_bounds(level, dimension);
    if (bounds.at_least > 1 || static_cast<double>(bounds.at_most) < flows_.rest()[dimension]) return true;
    for (int t = 0; t < flows_.tensor_count(); ++t) {
        const Addresses& tensor = flows_.tensor(t);
        if (tensor.overlaps && tensor.moves(dimension) &&
            (!tensor.steady || std::popcount(tensor.beside(dimension)) > 1))
            return true;
    }
    return false;
}

bool Follow::may_run(int level, int dimension, std::int32_t factor) const {
    const FactorBounds& bounds = mapspace_.temporal_bounds(level, dimension);
    return factor >= bounds.at_least && factor <= bounds.at_most;
}

void Follow::extend(int level, int point, const State& from, int dimension) {
    if ((from.placed >> dimension & 1U) != 0) return;
    const bool whole = needs_whole_loop(level, dimension);
    for (const Step& step : grid_.steps(point, dimension)) {
        if (whole ? !may_run(level, dimension, step.factor) : !step.is_prime) continue;
        if (!flows_.fits(level, grid_.loops(step.to))) continue;
        put(at_[static_cast<std::size_t>(step.to)], step.to, after(from, level, point, dimension, step));
    }
}

State Follow::after(const State& from, int level, int point, int dimension, const Step& step) {
    State state = from;
    for (int t = 0; t < flows_.tensor_count(); ++t) {
        if (!flows_.tensor(t).moves(dimension)) continue;
        for (std::uint32_t left = state.waiting[t]; left != 0; left &= left - 1) {
            const int l = std::countr_zero(left);
            const Box& loops = grid_.loops(point);
            settle(t, l, grid_.around(point) * flows_.tensor(t).words(flows_.tile(l, loops)), {}, loops, state);
        }
        state.waiting[t] = 0;
    }
    bool slides = false;
    for (Window& window : state.windows) {
        advance(window, level, point, dimension, step);
        slides = slides || (window.state == Window::State::sliding && (window.along >> dimension & 1U) != 0);
    }
    settle_windows(state);
    const FactorBounds& bounds = mapspace_.temporal_bounds(level, dimension);
    const bool bounded = bounds.at_least > 1 || static_cast<double>(bounds.at_most) < flows_.rest()[dimension];
    if (bounded || slides) state.placed |= 1U << dimension;
    return state;
}

bool Follow::is_complete(int level, const State& state) const { return (required_ & ~state.placed) == 0 && level >= 0; }

void Follow::store(int level) {
    placed_ = level;
    std::vector<States> before(at_.size());
    std::swap(before, at_);
    for (int point = 0; point < grid_.size(); ++point) {
        const Box& loops = grid_.loops(point);
        if (!flows_.fits(level, loops) || !flows_.fills(level, loops)) continue;
        if (level == 0 && point + 1 < grid_.size()) continue;
        for (State& state : before[static_cast<std::size_t>(point)]) {
            if (!is_complete(level, state)) continue;
            state.placed = 0;
            open(level, state);
            if (level == 0) settle_all(state);
            finish_memories(level, state);
            put(at_[static_cast<std::size_t>(point)], point, std::move(state));
        }
    }
}

void Follow::open(int level, State& state) const {
    for (int t = 0; t < flows_.tensor_count(); ++t) {
        if (!flows_.delivers(t, level)) continue;
        if (!flows_.tensor(t).overlaps) {
            state.waiting[t] |= 1U << level;
            continue;
        }
        Window window;
        window.tensor = static_cast<std::int8_t>(t);
        window.level = static_cast<std::int8_t>(level);
        state.windows.push_back(window);
    }
}

// No loops are left.
void Follow::settle_all(State& state) {
    const int last = grid_.size() - 1;
    for (int t = 0; t < flows_.tensor_count(); ++t) {
        for (std::uint32_t left = state.waiting[t]; left != 0; left &= left - 1) {
            const int l = std::countr_zero(left);
            settle(t, l, flows_.tensor(t).words(flows_.tile(l, grid_.loops(last))), {}, grid_.loops(last), state);
        }
        state.waiting[t] = 0;
    }
    for (Window& window : state.windows) {
        window.sent = sent_now(window, last);
        window.state = Window::State::whole;
    }
    settle_windows(state);
}

// ---------------------------------------------------------------- open deliveries

void Follow::settle(int t, int level, double sent, const Sharing& sharing, const Box& loops, State& state) const {
    const double distinct = flows_.distinct(t, level, loops);
    state.pj += flows_.energy_pj(t, level, sent, distinct, sharing);
    if (!timed_) return;
    Loads loads{};
    flows_.add_loads(t, level, sent, distinct, sharing, loads);
    for (std::size_t i = 0; i < state.loads.size(); ++i) state.loads[i] += loads[i];
}

// If the next loop moved it.
double Follow::waiting_now_pj(int point, int t, int level) {
    double& known = now_[entry(point, t, level)];
    if (known == kUnknown) {
        const Box& loops = grid_.loops(point);
        known = flows_.energy_pj(t, level, grid_.around(point) * flows_.tensor(t).words(flows_.tile(level, loops)),
                                 flows_.distinct(t, level, loops));
    }
    return known;
}

double Follow::waiting_least_pj(int point, int t, int level) {
    double& known = least_[entry(point, t, level)];
    if (known == kUnknown) {
        const Box& loops = grid_.loops(point);
        known = flows_.energy_pj(t, level, least_sent(flows_, t, level, loops), flows_.distinct(t, level, loops));
    }
    return known;
}

double Follow::sent_now(const Window& window, int point) const {
    if (window.state != Window::State::unmoved) return window.sent;
    return grid_.around(point) * flows_.tensor(window.tensor).words(flows_.tile(window.level, grid_.loops(point)));
}

// Of a sliding tile, advances along its rank may still save words: at most as many as these dimensions have left when
// their loops come next.
double Follow::sent_least(const Window& window, int point) const {
    const Addresses& tensor = flows_.tensor(window.tensor);
    switch (window.state) {
        case Window::State::whole: return window.sent;
        case Window::State::unmoved: return least_sent(flows_, window.tensor, window.level, grid_.loops(point));
        case Window::State::sliding: break;
    }
    if (!tensor.steady) return window.tile;
    double left = 1.0;
    for (std::uint32_t dims = window.along; dims != 0; dims &= dims - 1) {
        const int d = std::countr_zero(dims);
        left *= flows_.rest()[d] / grid_.loops(point)[d];
    }
    return std::max(window.tile, window.sent - window.tile * grid_.around(point) * (1.0 - 1.0 / left));
}

// Of results only a bound: their tiles overlap.
double Follow::window_pj(const Window& window, double sent) const {
    return flows_.energy_pj(window.tensor, window.level, sent,
                            flows_.distinct(window.tensor, window.level, grid_.loops(0)), window.sharing);
}

double Follow::window_least_pj(const Window& window, int point) const {
    return window_pj(window, sent_least(window, point));
}

void Follow::start_sliding(Window& window, int point, int dimension, double stride) const {
    const Addresses& tensor = flows_.tensor(window.tensor);
    const Box tile = flows_.tile(window.level, grid_.loops(point));
    window.state = Window::State::sliding;
    window.tile = tensor.words(tile);
    window.kept = tensor.kept(tile, dimension, stride);
    window.slide = tensor.step(dimension, stride);
    window.along = tensor.beside(dimension);
    window.sent = grid_.around(point) * window.tile;
    // Nothing else moves this rank, and what does not overlap saves nothing.
    if (tensor.steady && std::popcount(window.along) == 1 && window.kept == 0.0) window.state = Window::State::whole;
}

// docs/model.md, "Perfect nests": a loop that advances by its own move less what all loops inside fall back.
void Follow::advance(Window& window, int level, int point, int dimension, const Step& step) const {
    if (window.state == Window::State::whole) return;
    const Addresses& tensor = flows_.tensor(window.tensor);
    const double stride = flows_.inside(level)[dimension] * grid_.loops(point)[dimension];
    const Move own = tensor.step(dimension, stride);
    const double advances = (step.factor - 1.0) * grid_.around(step.to);
    if (window.state == Window::State::unmoved) {
        if (!tensor.moves(dimension)) return;
        start_sliding(window, point, dimension, stride);
        window.sent -= advances * window.kept;
    } else {
        Move by{};
        for (std::size_t r = 0; r < tensor.ranks.size(); ++r) by[r] = own[r] - window.reset[r];
        if (by == window.slide)
            window.sent -= advances * window.kept;
        else if (by == Move{})
            window.sent -= advances * window.tile;
        const bool elsewhere = tensor.moves(dimension) && (window.along >> dimension & 1U) == 0;
        if (tensor.steady && elsewhere) window.state = Window::State::whole;
    }
    for (std::size_t r = 0; r < tensor.ranks.size(); ++r) window.reset[r] += (step.factor - 1.0) * own[r];
}

void Follow::settle_windows(State& state) const {
    const auto is_settled = [this](const Window& window) {
        return window.state == Window::State::whole && is_crossed(window);
    };
    for (const Window& window : state.windows)
        if (is_settled(window)) settle(window.tensor, window.level, window.sent, window.sharing, grid_.loops(0), state);
    std::erase_if(state.windows, is_settled);
}

// ---------------------------------------------------------------- which states are needed

bool Follow::replaces(int point, const State& a, const State& b) {
    if ((a.placed & ~b.placed) != 0 || ((a.placed ^ b.placed) & required_) != 0) return false;
    double ours = a.pj;
    double theirs = b.pj;
    for (int t = 0; t < flows_.tensor_count(); ++t) {
        for (std::uint32_t left = a.waiting[t] & ~b.waiting[t]; left != 0; left &= left - 1)
            ours += waiting_now_pj(point, t, std::countr_zero(left));
        for (std::uint32_t left = b.waiting[t] & ~a.waiting[t]; left != 0; left &= left - 1)
            theirs += waiting_least_pj(point, t, std::countr_zero(left));
    }
    for (const Window& window : a.windows)
        if (!goes_on_in(window, b)) ours += is_crossed(window) ? window_pj(window, sent_now(window, point)) : kInfinite;
    for (const Window& window : b.windows)
        if (!went_on_from(window, a)) theirs += window_least_pj(window, point);
    return ours <= theirs && (!timed_ || replaces_loads(point, a, b));
}

// Whatever is open only in b counts as nothing.
bool Follow::replaces_loads(int point, const State& a, const State& b) const {
    if (a.cycles > b.cycles) return false;
    Loads loads{};
    const Box& loops = grid_.loops(point);
    for (int t = 0; t < flows_.tensor_count(); ++t)
        for (std::uint32_t left = a.waiting[t] & ~b.waiting[t]; left != 0; left &= left - 1) {
            const int l = std::countr_zero(left);
            flows_.add_loads(t, l, grid_.around(point) * flows_.tensor(t).words(flows_.tile(l, loops)),
                             flows_.distinct(t, l, loops), {}, loads);
        }
    for (const Window& window : a.windows) {
        if (!goes_on_in(window, b))
            flows_.add_loads(window.tensor, window.level, sent_now(window, point),
                             flows_.distinct(window.tensor, window.level, loops), window.sharing, loads);
    }
    for (std::size_t i = 0; i < a.loads.size(); ++i)
        if (a.loads[i] + loads[i] > b.loads[i]) return false;
    return true;
}

// The accesses of memories that no open delivery will add to turn into cycles.
void Follow::finish_memories(int level, State& state) const {
    if (!timed_) return;
    std::uint32_t pending = 0;
    const auto mark = [&](int t, int l) {
        if (flows_.keeps(t, l)) pending |= 1U << l | 1U << flows_.parent(t, l);
    };
    for (int t = 0; t < flows_.tensor_count(); ++t)
        for (std::uint32_t left = state.waiting[t]; left != 0; left &= left - 1) mark(t, std::countr_zero(left));
    for (const Window& window : state.windows) mark(window.tensor, window.level);
    Loads loads{};
    std::copy(state.loads.begin(), state.loads.end(), loads.begin());
    for (int l = level; l < flows_.level_count(); ++l) {
        if ((pending >> l & 1U) != 0 || (l == level && level > 0)) continue;
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

double Follow::open_least_pj(int point, const State& state) {
    double pj = 0.0;
    for (int t = 0; t < flows_.tensor_count(); ++t)
        for (std::uint32_t left = state.waiting[t]; left != 0; left &= left - 1)
            pj += waiting_least_pj(point, t, std::countr_zero(left));
    for (const Window& window : state.windows) pj += window_least_pj(window, point);
    return pj;
}

void Follow::put(States& states, int point, State&& state) {
    state.least_pj = state.pj + open_least_pj(point, state);
    const double outside = outside_pj_[static_cast<std::size_t>(placed_)];
    if (goal_.is_out_of_reach(cost_of(flows_, state.least_pj + outside, cycles_of(state)))) return;
    for (const State& other : states)
        if (replaces(point, other, state)) return;
    std::erase_if(states, [&](const State& other) { return replaces(point, state, other); });
    states.push_back(std::move(state));
}

}  // namespace

Cost cost_of(const Flows& flows, double pj, double cycles) {
    constexpr double kRounding = 1.0 - 1e-12;
    const double whole = std::ceil(cycles * kRounding);
    return {pj + flows.leak_pj_per_cycle() * whole, whole + static_cast<double>(flows.ground().link_latency_cycles)};
}

std::optional<Cost> follow(const Mapspace& mapspace, const Flows& flows, const Grid& grid,
                           const std::vector<double>& outside_pj, const Goal& goal) {
    const std::optional<Cost> frugal = Follow(mapspace, flows, grid, outside_pj, goal, false).run();
    if (!frugal || !flows.ground().throttles) return frugal;
    return Follow(mapspace, flows, grid, outside_pj, goal, true).run();
}

}  // namespace tilewright::certificate
