#include "certificate/ragged_nests.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "certificate/ragged_window.hpp"

namespace tilewright::certificate {
namespace {

constexpr std::size_t kMostStates = 400'000;
constexpr std::size_t kMostEdges = 2'000'000;
constexpr std::int64_t kMostBackSteps = 4'000'000;
constexpr std::int64_t kMostNests = 100'000;
constexpr std::int64_t kMostNestsWithWires = 20'000;  ///< which the model takes a millisecond for
constexpr int kNone = -1;

using Open = std::array<int, kMaxTensors>;

/// All that what follows depends on.
struct State {
    Where at;
    std::uint32_t placed = 0;  ///< dimensions that may not have another loop at this memory
    Open open;  ///< by tensor: the innermost boundary that no loop has moved yet; those outside up to the
                ///< last store are open, too. kNone: there is none
    std::vector<RaggedWindow> windows;

    auto key() const { return std::tie(at.node, placed, at.closing, at.deep, at.wires, open, windows); }
    bool operator<(const State& other) const { return key() < other.key(); }
};

/// A way to a state: the state before, and the loop in between (none where a store or a fan-out is crossed).
struct Edge {
    std::int32_t from = -1;
    std::int32_t next = -1;  ///< of the same state
    std::int16_t level = kNone;
    std::int16_t dimension = kNone;
    std::int32_t factor = 1;
    std::int32_t bill = -1;  ///< none: free
};

struct Known {
    Bill least;  ///< each of its numbers by itself
    std::int32_t edges = -1;
};

struct Loop {
    int level = 0;
    int dimension = 0;
    std::int32_t factor = 1;
};

/// What the open deliveries of a state cost if the next loop moves them and nothing is saved, where that is known.
struct Now {
    std::array<Bill, kMaxTensors> bills;
    std::uint32_t known = 0;  ///< bit t: the bill of tensor t
};

/// What comes to the boundaries of one tensor, where that is known.
struct Coming {
    std::array<Sent, kMaxMemories + 1> sent;
    std::uint32_t known = 0;  ///< bit l: to memory l
};

class Graph {
   public:
    Graph(const Mapspace& mapspace, RaggedFlows& flows, const LeanEvaluator& evaluator, const Goal& goal,
          const std::function<bool()>& stop)
        : mapspace_(mapspace), flows_(flows), evaluator_(evaluator), goal_(goal), stop_(stop) {}

    RaggedFinding run();

   private:
    using Front = std::map<State, std::int32_t>;  ///< and their numbers; by tiles first: loops lead onwards

    int dimensions() const { return flows_.dimension_count(); }
    void cross(int level);
    void loops(int level);
    void loops_of(int level, std::uint32_t dimensions);
    void extend(int level, const State& from, std::int32_t number, int dimension, Now& now);
    bool is_worth_extending(int level, const State& state, std::int32_t number, Now& now) const;
    double next_pj(const State& state, Now& now) const;
    void store(int level);
    void finish(State& state, Bill& bill) const;

    bool has_windows(int t) const { return flows_.tensor(t).overlaps && flows_.tensor(t).steady; }
    bool moves_all(int t, const State& state, int dimension, double factor) const;
    Bill moved(int t, const State& state, int dimension, double factor, Now& now) const;
    Bill bill(int t, const State& state, int dimension, double factor) const;
    void open_windows(int t, const Where& at, const Where& after, int dimension, double factor, State& state) const;
    void settle_windows(State& state, Bill& bill) const;
    double share_outside(int t, int level, const Coming& coming) const;

    bool leads_on(const State& state, int level) const;
    double steps_to_come(const State& state, int level, bool stored) const;
    double steps_inside(const State& state) const;
    double pending_pj(const State& state) const;
    void put(const State& state, int level, bool stored, std::int32_t from, const Bill* bill, Edge edge, Front& front);
    bool full() const { return known_.size() > kMostStates || edges_.size() > kMostEdges; }

    void go_back(std::int32_t number, const Bill& after, double steps);
    bool continues(const Edge& edge) const;
    void judge();
    std::optional<PerfectPoint> point() const;

    const Mapspace& mapspace_;
    RaggedFlows& flows_;
    const LeanEvaluator& evaluator_;
    const Goal& goal_;
    const std::function<bool()>& stop_;
    int crossed_ = 0;
    int stored_ = 0;
    Front front_;
    std::vector<Known> known_;
    std::vector<Edge> edges_;
    std::vector<Bill> bills_;
    std::vector<Loop> nest_;  ///< on the way back: outermost first
    std::int64_t back_steps_ = 0;
    std::int64_t nests_ = 0;
    RaggedFinding finding_;
};

RaggedFinding Graph::run() {
    State start;
    start.open.fill(kNone);
    start.at.crossed = crossed_ = stored_ = flows_.level_count();
    known_.push_back({flows_.start(), -1});
    front_.emplace(start, 0);
    for (int l = flows_.level_count() - 1; l >= 0 && !finding_.too_many; --l) {
        cross(l);
        loops(l);
        store(l);
        finding_.too_many = full() || (stop_ && stop_());
    }
    if (finding_.too_many) {
        Bill least = flows_.start();
        least.pj += flows_.outside_pj().back();
        finding_.open = flows_.cost_of(least, flows_.least_steps());
        return finding_;
    }
    for (const auto& [state, number] : front_)
        if (!finding_.open) go_back(number, {}, steps_inside(state));
    return finding_;
}

// ---------------------------------------------------------------- from memory to memory

void Graph::cross(int level) {
    crossed_ = level;
    const Front before = std::exchange(front_, {});
    for (const auto& [state, number] : before) {
        State next = state;
        std::uint32_t ragged = 0;
        std::uint32_t inside = 0;
        bool leads = true;
        for (int d = 0; d < dimensions() && leads; ++d) {
            const Chain& chain = flows_.chain(d);
            const Chain::Node& node = chain.node(state.at.node[d]);
            next.at.node[d] = chain.across(level, state.at.node[d]);
            leads = next.at.node[d] >= 0;
            if (flows_.spread(level, d) == 1.0) continue;
            inside |= (node.ragged ? 1U : 0U) << d;
            ragged |=
                (static_cast<std::int64_t>(node.chunks) % static_cast<std::int64_t>(flows_.spread(level, d)) != 0 ? 1U
                                                                                                                  : 0U)
                << d;
        }
        if (!leads) continue;
        next.at.crossed = level;
        next.at.wires[static_cast<std::size_t>(level)] = flows_.wires_below(level, state.at);
        next.placed = 0;
        if (flows_.closes_up(level, ragged)) {
            next.at.closing |= 1U << level;
            next.at.deep |= inside;
        }
        put(next, level, false, number, nullptr, {}, front_);
    }
}

void Graph::loops(int level) {
    const PerfectLevel& order = flows_.assignment()[level];
    const int first = mapspace_.first_movable(level);
    const int movable = static_cast<int>(mapspace_.movable(level).size());
    for (int k = 0; k < first; ++k) loops_of(level, 1U << order.order[k]);
    std::uint32_t any_order = 0;
    for (const std::uint8_t d : mapspace_.movable(level)) any_order |= 1U << d;
    loops_of(level, any_order);
    for (int k = first + movable; k < dimensions(); ++k) loops_of(level, 1U << order.order[k]);
}

// States are taken in an order in which loops lead onwards only. Where the order of dimensions is given, states are
// passed once for each: so some are followed by loops in another order, too, which does no harm to a bound.
void Graph::loops_of(int level, std::uint32_t dimensions) {
    std::uint32_t some = 0;
    for (std::uint32_t left = dimensions; left != 0; left &= left - 1) {
        const int d = std::countr_zero(left);
        if (mapspace_.chain_slot({level, false}, d).at_most > 1) some |= 1U << d;
    }
    if (some == 0) return;
    for (auto at = front_.begin(); at != front_.end() && !full(); ++at)
        if (Now now; is_worth_extending(level, at->first, at->second, now))
            for (std::uint32_t left = some; left != 0; left &= left - 1)
                extend(level, at->first, at->second, std::countr_zero(left), now);
}

bool Graph::is_worth_extending(int level, const State& state, std::int32_t number, Now& now) const {
    Bill least = known_[static_cast<std::size_t>(number)].least;
    least.pj += pending_pj(state) + next_pj(state, now);
    return !goal_.is_out_of_reach(flows_.cost_of(least, steps_inside(state) * steps_to_come(state, level, false)));
}

// The next loop, of whatever memory, moves some of the open deliveries: so much more than the least they cost.
double Graph::next_pj(const State& state, Now& now) const {
    double least = Chain::kNever;
    for (int d = 0; d < dimensions(); ++d) {
        if (flows_.chain(d).node(state.at.node[d]).chunks == 1.0) continue;
        if (flows_.is_spread_outside(d, crossed_)) return 0.0;
        double more = 0.0;
        for (int t = 0; t < flows_.tensor_count(); ++t) {
            if (state.open[t] == kNone || !flows_.tensor(t).moves(d)) continue;
            if (has_windows(t)) continue;
            double pj = moved(t, state, d, 2.0, now).pj;
            for (int l = state.open[t]; l >= stored_; --l)
                if (flows_.is_boundary(t, l) && flows_.keeps(t, l)) pj -= flows_.least_pj(t, l);
            more += std::max(0.0, pj);
        }
        least = std::min(least, more);
        if (least == 0.0) return 0.0;
    }
    return least == Chain::kNever ? 0.0 : least;
}

void Graph::extend(int level, const State& from, std::int32_t number, int dimension, Now& now) {
    if ((from.placed >> dimension & 1U) != 0) return;
    const Chain& chain = flows_.chain(dimension);
    for (const Chain::Step& step : chain.steps(level, from.at.node[dimension])) {
        if (std::min(chain.least_steps(level, step.to), chain.least_steps_outside(level, step.to)) >= Chain::kNever)
            continue;
        State next = from;
        next.at.node[dimension] = step.to;
        if (!flows_.fits(level, next.at)) continue;
        const bool more = chain.node(step.to).chunks > 1.0 || chain.needs_loop(level);
        if (chain.takes_whole_loops(level) && more) next.placed |= 1U << dimension;
        Bill bill;
        for (RaggedWindow& window : next.windows) slide_on(flows_, from.at, next.at, dimension, step.factor, window);
        for (int t = 0; t < flows_.tensor_count(); ++t) {
            if (from.open[t] == kNone || !flows_.tensor(t).moves(dimension)) continue;
            if (has_windows(t))
                open_windows(t, from.at, next.at, dimension, step.factor, next);
            else
                bill += moved(t, from, dimension, step.factor, now);
            next.open[t] = kNone;
        }
        settle_windows(next, bill);
        put(next, level, false, number, &bill,
            {-1, -1, static_cast<std::int16_t>(level), static_cast<std::int16_t>(dimension), step.factor, -1}, front_);
    }
}

void Graph::store(int level) {
    stored_ = level;
    std::uint32_t needed = 0;
    for (int d = 0; d < dimensions(); ++d) needed |= (flows_.chain(d).needs_loop(level) ? 1U : 0U) << d;
    const Front before = std::exchange(front_, {});
    for (const auto& [state, number] : before) {
        if ((needed & ~state.placed) != 0) continue;
        if (!flows_.fits(level, state.at) || !flows_.fills(level, state.at)) continue;
        State next = state;
        next.placed = 0;
        for (int t = 0; t < flows_.tensor_count(); ++t)
            if (flows_.is_boundary(t, level) && next.open[t] == kNone) next.open[t] = level;
        Bill bill;
        if (level == 0) finish(next, bill);
        put(next, level, true, number, &bill, {}, front_);
    }
}

// ---------------------------------------------------------------- deliveries

// What is asked for at the boundaries that the parent of `level` sees it through.
double Graph::share_outside(int t, int level, const Coming& coming) const {
    double share = 1.0;
    for (int l = level - 1; l > flows_.parent(t, level); --l)
        if (flows_.is_boundary(t, l))
            share *= flows_.handed_on(t, l, (coming.known >> l & 1U) != 0 ? &coming.sent[l] : nullptr);
    return share;
}

bool Graph::moves_all(int t, const State& state, int dimension, double factor) const {
    for (int l = state.open[t]; l >= stored_; --l)
        if (flows_.is_boundary(t, l) && !flows_.moves_all(t, l, state.at, dimension, factor)) return false;
    return true;
}

Bill Graph::moved(int t, const State& state, int dimension, double factor, Now& now) const {
    if (!moves_all(t, state, dimension, factor)) return bill(t, state, dimension, factor);
    if ((now.known >> t & 1U) == 0) now.bills[t] = bill(t, state, dimension, 1.0);
    now.known |= 1U << t;
    return now.bills[t];
}

// `factor` 1: everything moves.
Bill Graph::bill(int t, const State& state, int dimension, double factor) const {
    Coming coming;
    for (int l = state.open[t]; l >= stored_; --l) {
        if (!flows_.is_boundary(t, l)) continue;
        Sent& sent = coming.sent[l];
        sent = factor > 1.0 ? flows_.moved(t, l, state.at, dimension, factor) : flows_.whole(t, l, state.at);
        const double overlap = flows_.overlap_of_neighbours(t, l);
        sent.accesses /= overlap;
        sent.hops /= overlap;
        coming.known |= 1U << l;
    }
    Bill all;
    for (int l = state.open[t]; l >= stored_; --l) {
        if (!flows_.is_boundary(t, l)) continue;
        if (flows_.keeps(t, l))
            all += flows_.bill(t, l, coming.sent[l], share_outside(t, l, coming), state.at);
        else
            all.pj += flows_.wire_pj(t, l, coming.sent[l], state.at);
    }
    return all;
}

void Graph::open_windows(int t, const Where& at, const Where& after, int dimension, double factor, State& state) const {
    for (int l = state.open[t]; l >= stored_; --l)
        if (flows_.is_boundary(t, l) && (flows_.keeps(t, l) || flows_.pays_wires(t, l)))
            state.windows.push_back(first_slide(flows_, t, l, at, after, dimension, factor));
}

void Graph::settle_windows(State& state, Bill& bill) const {
    const auto settle = [&](RaggedWindow& window) {
        if (!window.settled) return false;
        window.sent.accesses /= flows_.overlap_of_neighbours(window.tensor, window.level);
        flows_.set_hops(window.tensor, window.level, state.at, window.sent);
        if (!flows_.keeps(window.tensor, window.level)) {
            bill.pj += flows_.wire_pj(window.tensor, window.level, window.sent, state.at);
            return true;
        }
        bill += flows_.bill(window.tensor, window.level, window.sent, share_outside(window.tensor, window.level, {}),
                            state.at);
        return true;
    };
    std::erase_if(state.windows, settle);
}

void Graph::finish(State& state, Bill& bill) const {
    for (RaggedWindow& window : state.windows) window.settled = true;
    settle_windows(state, bill);
    for (int t = 0; t < flows_.tensor_count(); ++t) {
        if (state.open[t] != kNone) bill += this->bill(t, state, 0, 1.0);
        state.open[t] = kNone;
    }
}

// ---------------------------------------------------------------- states

bool Graph::leads_on(const State& state, int level) const {
    for (int d = 0; d < dimensions(); ++d)
        if (flows_.chain(d).least_steps_outside(level, state.at.node[d]) >= Chain::kNever) return false;
    return true;
}

double Graph::steps_inside(const State& state) const {
    double steps = 1.0;
    for (int d = 0; d < dimensions(); ++d) {
        steps *= flows_.chain(d).node(state.at.node[d]).product;
        for (int l = state.at.crossed; l < flows_.level_count(); ++l) steps /= flows_.spread(l, d);
    }
    return steps;
}

double Graph::steps_to_come(const State& state, int level, bool stored) const {
    double steps = 1.0;
    for (int d = 0; d < dimensions(); ++d) {
        const Chain& chain = flows_.chain(d);
        const double outside = chain.least_steps_outside(level, state.at.node[d]);
        steps *= stored ? outside : std::min(outside, chain.least_steps(level, state.at.node[d]));
    }
    return steps;
}

double Graph::pending_pj(const State& state) const {
    double pj = flows_.outside_pj()[static_cast<std::size_t>(stored_)];
    for (const RaggedWindow& window : state.windows)
        if (flows_.keeps(window.tensor, window.level)) pj += flows_.least_pj(window.tensor, window.level);
    for (int t = 0; t < flows_.tensor_count(); ++t)
        for (int l = state.open[t]; l >= stored_; --l)
            if (flows_.is_boundary(t, l) && flows_.keeps(t, l)) pj += flows_.least_pj(t, l);
    return pj;
}

void Graph::put(const State& state, int level, bool stored, std::int32_t from, const Bill* bill, Edge edge,
                Front& front) {
    if (stored && !leads_on(state, level)) return;
    if (!flows_.fits(level, state.at)) return;
    Bill all = known_[static_cast<std::size_t>(from)].least;
    const bool costs = bill != nullptr && (bill->pj != 0.0 || bill->loads != Loads{});
    if (costs) all += *bill;
    Bill least = all;
    least.pj += pending_pj(state);
    if (goal_.is_out_of_reach(flows_.cost_of(least, steps_inside(state) * steps_to_come(state, level, stored)))) return;
    const auto [found, is_new] = front.try_emplace(state, static_cast<std::int32_t>(known_.size()));
    if (is_new) {
        known_.push_back({all, -1});
    } else {
        Bill& mine = known_[static_cast<std::size_t>(found->second)].least;
        mine.pj = std::min(mine.pj, all.pj);
        for (std::size_t i = 0; i < all.loads.size(); ++i) mine.loads[i] = std::min(mine.loads[i], all.loads[i]);
    }
    edge.from = from;
    edge.next = known_[static_cast<std::size_t>(found->second)].edges;
    if (costs) {
        edge.bill = static_cast<std::int32_t>(bills_.size());
        bills_.push_back(*bill);
    }
    known_[static_cast<std::size_t>(found->second)].edges = static_cast<std::int32_t>(edges_.size());
    edges_.push_back(edge);
}

// ---------------------------------------------------------------- the way back

// Primes of one loop follow each other in ascending order; two loops of a dimension at one memory are no mapping of
// ours.
bool Graph::continues(const Edge& edge) const {
    for (auto loop = nest_.rbegin(); loop != nest_.rend() && loop->level == edge.level; ++loop) {
        if (loop->dimension != edge.dimension) continue;
        return loop == nest_.rbegin() && edge.factor <= loop->factor;
    }
    return true;
}

void Graph::go_back(std::int32_t number, const Bill& after, double steps) {
    if (finding_.open) return;
    ++back_steps_;
    if (back_steps_ > kMostBackSteps || (back_steps_ % 256 == 0 && stop_ && stop_())) {
        finding_.too_many = true;
        Bill least = known_[static_cast<std::size_t>(number)].least;
        least += after;
        finding_.open = flows_.cost_of(least, steps);
        return;
    }
    if (number == 0) return judge();
    for (std::int32_t e = known_[static_cast<std::size_t>(number)].edges; e >= 0;
         e = edges_[static_cast<std::size_t>(e)].next) {
        const Edge edge = edges_[static_cast<std::size_t>(e)];
        Bill rest = after;
        if (edge.bill >= 0) rest += bills_[static_cast<std::size_t>(edge.bill)];
        Bill all = known_[static_cast<std::size_t>(edge.from)].least;
        all += rest;
        if (goal_.is_out_of_reach(flows_.cost_of(all, steps))) continue;
        const bool loops = edge.dimension != kNone;
        if (loops && !continues(edge)) continue;
        if (loops) nest_.push_back({edge.level, edge.dimension, edge.factor});
        go_back(edge.from, rest, steps);
        if (loops) nest_.pop_back();
        if (finding_.open) return;
    }
}

std::optional<PerfectPoint> Graph::point() const {
    PerfectPoint point = mapspace_.first_point();
    for (int l = 0; l < point.level_count(); ++l) {
        const PerfectLevel& chosen = flows_.assignment()[l];
        PerfectLevel& level = point[l];
        level.keep = chosen.keep;
        level.on_y = chosen.on_y;
        level.spatial = chosen.spatial;
        int next = 0;
        std::uint32_t placed = 0;
        for (auto loop = nest_.rbegin(); loop != nest_.rend(); ++loop) {
            if (loop->level != l) continue;
            level.temporal[loop->dimension] *= loop->factor;
            if ((placed >> loop->dimension & 1U) == 0) level.order[next++] = static_cast<std::uint8_t>(loop->dimension);
            placed |= 1U << loop->dimension;
        }
        for (int d = 0; d < point.dimension_count(); ++d)
            if ((placed >> d & 1U) == 0) level.order[next++] = static_cast<std::uint8_t>(d);
    }
    mapspace_.arrange(point);
    return mapspace_.contains(point) ? std::optional(point) : std::nullopt;
}

void Graph::judge() {
    const std::optional<PerfectPoint> nest = point();
    if (!nest) return;
    const LeanCost cost = evaluator_.evaluate(*nest);
    if (!cost.valid()) return;
    const Cost real{cost.energy_pj, static_cast<double>(cost.cycles)};
    const bool beats = !goal_.is_out_of_reach(real);
    ++nests_;
    finding_.too_many = !beats && nests_ > (flows_.ground().wires_cost ? kMostNestsWithWires : kMostNests);
    if (beats || finding_.too_many) finding_.open = real;
}

}  // namespace

RaggedFinding follow_ragged(const Mapspace& mapspace, RaggedFlows& flows, const LeanEvaluator& evaluator,
                            const Goal& goal, const std::function<bool()>& stop) {
    return Graph(mapspace, flows, evaluator, goal, stop).run();
}

}  // namespace tilewright::certificate
