#include "certificate/imperfect/nests.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "certificate/imperfect/backtracking.hpp"
#include "certificate/imperfect/completion_bound.hpp"

namespace tilewright::certificate {
namespace {

constexpr std::size_t kMostLabels = 1'000'000;
constexpr std::size_t kMostEdges = 5'000'000;
constexpr std::int64_t kMostPoints = 2'000'000;  ///< of the completion bound
constexpr int kNone = ImperfectEdge::kNone;

using Open = std::array<int, kMaxTensors>;

/// Deliveries of one tensor to some boundaries, without overlap, first moved by a loop.
struct Moved {
    std::int8_t tensor = 0;
    std::int8_t innermost = 0;
    std::int8_t outermost = 0;
    std::int8_t dimension = 0;
    std::int32_t factor = 1;  ///< the loop's iterations; 1: all later loops move everything
    /// Share of the tiles held by idle instances that is not sent again.
    double saved = 1.0;
    Where at;

    auto operator<=>(const Moved& other) const = default;
};

/// The state all completions depend on.
struct NestLabel {
    Where at;
    std::uint32_t placed = 0;  ///< dimensions without another loop at this memory
    Open open;  ///< by tensor: the innermost boundary not moved by any loop; those outside up to the last store are
                ///< open, too. kNone: none
    std::vector<ImperfectWindowDelivery> windows;
    std::vector<Moved> idled;  ///< later loops decide whether instances resume with other tiles

    auto key() const { return std::tie(at.node, placed, at.repacking, at.deep, at.wires, open, windows, idled); }
    bool operator<(const NestLabel& other) const { return key() < other.key(); }
};

/// Known costs of a label's open deliveries if moved by the next loop without savings.
struct OpenCosts {
    std::array<PartialCost, kMaxTensors> partial_costs;
    std::uint32_t known = 0;    ///< bit t: the partial cost of tensor t
    PartialCost least;          ///< of the way to the label and all open deliveries, for any completion
    double steps = 1.0;         ///< lower bound of the nest
    double passed_by_pj = 0.0;  ///< lower bound of the distinguished bypassing delivery, if open
    bool passed_by = false;     ///< it is open
};

struct Deliveries {
    std::array<Sent, kMaxMemories + 1> sent;
    std::uint32_t known = 0;  ///< bit l: to memory l
};

/// Before any outer loop: no certain savings.
Moved without_savings(Moved moved) {
    moved.saved = 0.0;
    return moved;
}

class Graph {
   public:
    Graph(const Mapspace& mapspace, ImperfectCharges& charges, const Goal& goal, const std::function<bool()>& stop)
        : mapspace_(mapspace),
          charges_(charges),
          completion_bound_(charges, goal, kMostPoints),
          goal_(goal),
          stop_(stop) {}

    /// Whether there are any ways to list; if so they are in ways().
    ImperfectFinding build();
    const ImperfectGraph& ways() const { return ways_; }

   private:
    using Front = std::map<NestLabel, std::int32_t>;  ///< and their numbers; by tiles first: loops lead onwards

    int dimensions() const { return charges_.dimension_count(); }
    void cross(int level);
    void loops(int level);
    void loops_of(int level, std::uint32_t dimensions);
    void extend(int level, const NestLabel& from, std::int32_t number, int dimension, OpenCosts& open_costs);
    bool is_worth_extending(int level, const NestLabel& label, std::int32_t number, OpenCosts& open_costs);
    bool leads_too_far(int level, const Where& next, int dimension, const OpenCosts& open_costs) const;
    /// The distinguished bypassing delivery, if open.
    const PassedBy* passed_by(const NestLabel& label, int level) const;
    double next_pj(const NestLabel& label, int level, OpenCosts& open_costs) const;
    void store(int level);
    void finish(NestLabel& label, PartialCost& partial_cost) const;

    bool has_windows(int t) const { return charges_.tensor(t).overlaps && charges_.tensor(t).steady; }
    bool moves_all(int t, const NestLabel& label, int dimension, double factor) const;
    PartialCost moved(int t, const NestLabel& label, int dimension, double factor, OpenCosts& open_costs) const;
    void resume(const NestLabel& from, int dimension, double factor, NestLabel& next, PartialCost& partial_cost) const;
    Moved first_moved(int t, const NestLabel& label, int dimension, double factor) const;
    PartialCost partial_cost(const Moved& moved) const;
    PartialCost held(const Moved& idled) const;
    void open_windows(int t, const Where& at, const Where& after, int dimension, double factor, NestLabel& label) const;
    void settle_windows(NestLabel& label, PartialCost& partial_cost) const;
    double share_outside(int t, int level, const Deliveries& deliveries) const;

    bool leads_on(const NestLabel& label, int level) const;
    double steps_to_come(const NestLabel& label, int level, bool stored) const;
    double steps_inside(const NestLabel& label) const;
    PartialCost pending(const NestLabel& label, int level, bool stored) const;
    void put(const NestLabel& label, int level, bool stored, std::int32_t from, const PartialCost* partial_cost,
             ImperfectEdge edge, Front& front);
    bool full() const { return ways_.known.size() > kMostLabels || ways_.edges.size() > kMostEdges; }

    const Mapspace& mapspace_;
    ImperfectCharges& charges_;
    const ImperfectCompletionBound completion_bound_;
    const Goal& goal_;
    const std::function<bool()>& stop_;
    int crossed_ = 0;
    int stored_ = 0;
    Front front_;
    ImperfectGraph ways_;
};

ImperfectFinding Graph::build() {
    ImperfectFinding finding;
    PartialCost alone = charges_.start();
    alone.pj += completion_bound_.from_start_pj();
    for (std::size_t i = 0; i < alone.loads.size(); ++i)
        alone.loads[i] += charges_.outside_loads(charges_.level_count())[i];
    finding.alone = goal_.is_out_of_reach(charges_.cost_of(alone, charges_.least_steps()));
    if (finding.alone) return finding;
    NestLabel start;
    start.open.fill(kNone);
    start.at.crossed = crossed_ = stored_ = charges_.level_count();
    ways_.known.push_back({charges_.start(), completion_bound_.from_start_pj(), 0.0, kNone});
    front_.emplace(start, 0);
    for (int l = charges_.level_count() - 1; l >= 0 && !finding.too_many; --l) {
        cross(l);
        loops(l);
        store(l);
        finding.too_many = full() || (stop_ && stop_());
    }
    if (finding.too_many) finding.open = charges_.cost_of(alone, charges_.least_steps());
    for (const auto& [label, number] : front_) ways_.ends.push_back({number, steps_inside(label)});
    return finding;
}

// ---------------------------------------------------------------- from memory to memory

void Graph::cross(int level) {
    crossed_ = level;
    const Front before = std::exchange(front_, {});
    for (const auto& [label, number] : before) {
        NestLabel next = label;
        std::uint32_t imperfect = 0;
        std::uint32_t inside = 0;
        bool leads = true;
        for (int d = 0; d < dimensions() && leads; ++d) {
            const Chain& chain = charges_.chain(d);
            const Chain::Node& node = chain.node(label.at.node[d]);
            next.at.node[d] = chain.across(level, label.at.node[d]);
            leads = next.at.node[d] >= 0;
            if (charges_.spread(level, d) == 1.0) continue;
            inside |= (node.is_imperfect() ? 1U : 0U) << d;
            imperfect |=
                (static_cast<std::int64_t>(node.chunks) % static_cast<std::int64_t>(charges_.spread(level, d)) != 0
                     ? 1U
                     : 0U)
                << d;
        }
        if (!leads) continue;
        next.at.crossed = level;
        next.at.wires[level] = charges_.wires_below(level, label.at);
        next.placed = 0;
        if (charges_.repacks(level, imperfect)) {
            next.at.repacking |= 1U << level;
            next.at.deep |= inside;
        }
        put(next, level, false, number, nullptr, {}, front_);
    }
}

void Graph::loops(int level) {
    const TilingLevel& order = charges_.assignment()[level];
    const int first = mapspace_.first_movable(level);
    const int movable = static_cast<int>(mapspace_.movable(level).size());
    for (int k = 0; k < first; ++k) loops_of(level, 1U << order.order[k]);
    std::uint32_t any_order = 0;
    for (const std::uint8_t d : mapspace_.movable(level)) any_order |= 1U << d;
    loops_of(level, any_order);
    for (int k = first + movable; k < dimensions(); ++k) loops_of(level, 1U << order.order[k]);
}

// Labels in an order in which loops lead onwards only. With a given order of dimensions, labels are passed once for
// each: some are then followed by loops in another order, too, harmless for a bound and no nest of ours (point()).
void Graph::loops_of(int level, std::uint32_t dimensions) {
    std::uint32_t some = 0;
    for (std::uint32_t left = dimensions; left != 0; left &= left - 1) {
        const int d = std::countr_zero(left);
        if (mapspace_.chain_slot({level, false}, d).at_most > 1) some |= 1U << d;
    }
    if (some == 0) return;
    for (auto at = front_.begin(); at != front_.end() && !full(); ++at)
        if (OpenCosts open_costs; is_worth_extending(level, at->first, at->second, open_costs))
            for (std::uint32_t left = some; left != 0; left &= left - 1)
                extend(level, at->first, at->second, std::countr_zero(left), open_costs);
}

bool Graph::is_worth_extending(int level, const NestLabel& label, std::int32_t number, OpenCosts& open_costs) {
    ImperfectKnown& known = ways_.known[number];
    PartialCost least = pending(label, level, false);
    const PassedBy* const open = passed_by(label, level);
    open_costs.passed_by = open != nullptr;
    if (open != nullptr) open_costs.passed_by_pj = charges_.unmoved_pj(open->tensor, open->level, label.at);
    open_costs.least = least;
    open_costs.least.pj -= completion_bound_.from_loops_pj(level, label.at, open_costs.passed_by);
    open_costs.least += known.least;
    open_costs.steps = steps_inside(label) * steps_to_come(label, level, false);
    least.pj = known.completion_pj = std::max(known.completion_pj, least.pj + next_pj(label, level, open_costs));
    least += known.least;
    return !goal_.is_out_of_reach(charges_.cost_of(least, open_costs.steps));
}

// Checked before any other work on the next label.
bool Graph::leads_too_far(int level, const Where& next, int dimension, const OpenCosts& open_costs) const {
    PartialCost least = open_costs.least;
    const bool moves =
        open_costs.passed_by && charges_.tensor(completion_bound_.passed_by(level)->tensor).moves(dimension);
    least.pj += completion_bound_.from_loops_pj(level, next, open_costs.passed_by && !moves) +
                (moves ? open_costs.passed_by_pj : 0.0);
    return goal_.is_out_of_reach(charges_.cost_of(least, open_costs.steps));
}

// The next loop, of any memory, moves some of the open deliveries: its additional cost over their minimum.
double Graph::next_pj(const NestLabel& label, int level, OpenCosts& open_costs) const {
    const PassedBy* const passed = passed_by(label, level);
    const double passed_pj = passed == nullptr ? 0.0
                                               : completion_bound_.from_loops_pj(level, label.at, true) -
                                                     completion_bound_.from_loops_pj(level, label.at, false);
    double least = Chain::kNever;
    for (int d = 0; d < dimensions(); ++d) {
        if (charges_.chain(d).node(label.at.node[d]).chunks == 1.0) continue;
        if (charges_.is_spread_outside(d, crossed_)) return 0.0;
        double more = 0.0;
        for (int t = 0; t < charges_.tensor_count(); ++t) {
            if (label.open[t] == kNone || !charges_.tensor(t).moves(d)) continue;
            if (has_windows(t)) continue;
            double pj = moved(t, label, d, 2.0, open_costs).pj;
            for (int l = label.open[t]; l >= stored_; --l)
                if (passed != nullptr && passed->tensor == t && passed->level == l)
                    pj -= passed_pj;
                else if (charges_.is_boundary(t, l) && charges_.keeps(t, l))
                    pj -= charges_.unmoved_pj(t, l, label.at);
            more += std::max(0.0, pj);
        }
        least = std::min(least, more);
        if (least == 0.0) return 0.0;
    }
    return least == Chain::kNever ? 0.0 : least;
}

void Graph::extend(int level, const NestLabel& from, std::int32_t number, int dimension, OpenCosts& open_costs) {
    if ((from.placed >> dimension & 1U) != 0) return;
    const Chain& chain = charges_.chain(dimension);
    for (const Chain::Edge& edge : chain.edges(level, from.at.node[dimension])) {
        if (std::min(chain.least_steps(level, edge.to), chain.least_steps_outside(level, edge.to)) >= Chain::kNever)
            continue;
        Where to = from.at;
        to.node[dimension] = edge.to;
        if (leads_too_far(level, to, dimension, open_costs) || !charges_.fits(level, to)) continue;
        NestLabel next = from;
        next.at = to;
        const bool more = chain.node(edge.to).chunks > 1.0 || chain.needs_loop(level);
        if (chain.takes_whole_loops(level) && more) next.placed |= 1U << dimension;
        PartialCost partial_cost;
        for (ImperfectWindowDelivery& window : next.windows)
            slide_on(charges_, from.at, next.at, dimension, edge.factor, window);
        resume(from, dimension, edge.factor, next, partial_cost);
        for (int t = 0; t < charges_.tensor_count(); ++t) {
            if (from.open[t] == kNone || !charges_.tensor(t).moves(dimension)) continue;
            if (has_windows(t)) {
                open_windows(t, from.at, next.at, dimension, edge.factor, next);
            } else {
                partial_cost += moved(t, from, dimension, edge.factor, open_costs);
                if (!moves_all(t, from, dimension, edge.factor))
                    next.idled.push_back(without_savings(first_moved(t, from, dimension, edge.factor)));
            }
            next.open[t] = kNone;
        }
        settle_windows(next, partial_cost);
        put(next, level, false, number, &partial_cost,
            {-1, -1, static_cast<std::int16_t>(level), static_cast<std::int16_t>(dimension), edge.factor, -1}, front_);
    }
}

void Graph::store(int level) {
    stored_ = level;
    std::uint32_t needed = 0;
    for (int d = 0; d < dimensions(); ++d) needed |= (charges_.chain(d).needs_loop(level) ? 1U : 0U) << d;
    const Front before = std::exchange(front_, {});
    for (const auto& [label, number] : before) {
        if ((needed & ~label.placed) != 0) continue;
        if (!charges_.fits(level, label.at) || !charges_.fills(level, label.at)) continue;
        if (!charges_.allows(level, label.at)) continue;
        NestLabel next = label;
        next.placed = 0;
        for (int t = 0; t < charges_.tensor_count(); ++t)
            if (charges_.is_boundary(t, level) && next.open[t] == kNone) next.open[t] = level;
        PartialCost partial_cost;
        if (level == 0) finish(next, partial_cost);
        put(next, level, true, number, &partial_cost, {}, front_);
    }
}

// ---------------------------------------------------------------- deliveries

// Requests at the boundaries between the parent and `level`.
double Graph::share_outside(int t, int level, const Deliveries& deliveries) const {
    double share = 1.0;
    for (int l = level - 1; l > charges_.parent(t, level); --l)
        if (charges_.is_boundary(t, l))
            share *= charges_.handed_on(t, l, (deliveries.known >> l & 1U) != 0 ? &deliveries.sent[l] : nullptr);
    return share;
}

bool Graph::moves_all(int t, const NestLabel& label, int dimension, double factor) const {
    for (int l = label.open[t]; l >= stored_; --l)
        if (charges_.is_boundary(t, l) && !charges_.moves_all(t, l, label.at, dimension, factor)) return false;
    return true;
}

Moved Graph::first_moved(int t, const NestLabel& label, int dimension, double factor) const {
    return {static_cast<std::int8_t>(t),
            static_cast<std::int8_t>(label.open[t]),
            static_cast<std::int8_t>(stored_),
            static_cast<std::int8_t>(dimension),
            static_cast<std::int32_t>(factor),
            1.0,
            label.at};
}

PartialCost Graph::moved(int t, const NestLabel& label, int dimension, double factor, OpenCosts& open_costs) const {
    if (!moves_all(t, label, dimension, factor)) return partial_cost(first_moved(t, label, dimension, factor));
    if ((open_costs.known >> t & 1U) == 0)
        open_costs.partial_costs[t] = partial_cost(first_moved(t, label, dimension, 1.0));
    open_costs.known |= 1U << t;
    return open_costs.partial_costs[t];
}

PartialCost Graph::partial_cost(const Moved& moved) const {
    const int t = moved.tensor;
    Deliveries deliveries;
    for (int l = moved.innermost; l >= moved.outermost; --l) {
        if (!charges_.is_boundary(t, l)) continue;
        Sent& sent = deliveries.sent[l];
        sent = moved.factor > 1 ? charges_.moved(t, l, moved.at, moved.dimension, moved.factor, moved.saved)
                                : charges_.whole(t, l, moved.at);
        const double overlap = charges_.overlap_of_neighbours(t, l);
        sent.accesses /= overlap;
        sent.hops /= overlap;
        deliveries.known |= 1U << l;
    }
    PartialCost all;
    for (int l = moved.innermost; l >= moved.outermost; --l) {
        if (!charges_.is_boundary(t, l)) continue;
        if (charges_.keeps(t, l))
            all += charges_.partial_cost(t, l, deliveries.sent[l], share_outside(t, l, deliveries), moved.at);
        else if (charges_.pays_as_if_kept(t, l))
            all.pj += charges_.wire_pj(t, l, deliveries.sent[l]);
    }
    return all;
}

// Words sent to instances resuming with other tiles.
PartialCost Graph::held(const Moved& idled) const {
    Moved least = idled;
    least.saved = 1.0;
    PartialCost held = partial_cost(idled);
    held -= partial_cost(least);
    return held;
}

// Every step but the first of an irrelevant loop may find the tiles still there.
void Graph::resume(const NestLabel& from, int dimension, double factor, NestLabel& next,
                   PartialCost& partial_cost) const {
    for (Moved& idled : next.idled)
        if (!charges_.tensor(idled.tensor).moves(dimension)) idled.saved = 1.0 - (1.0 - idled.saved) / factor;
    const auto is_settled = [&](const Moved& idled) {
        if (!charges_.tensor(idled.tensor).moves(dimension)) return false;
        for (int l = idled.innermost; l >= idled.outermost; --l)
            if (charges_.is_boundary(idled.tensor, l) &&
                !charges_.resumes_all(idled.tensor, l, from.at, dimension, factor, idled.dimension))
                return false;
        partial_cost += held(idled);
        return true;
    };
    std::erase_if(next.idled, is_settled);
}

void Graph::open_windows(int t, const Where& at, const Where& after, int dimension, double factor,
                         NestLabel& label) const {
    for (int l = label.open[t]; l >= stored_; --l)
        if (charges_.is_boundary(t, l) && charges_.keeps(t, l))
            label.windows.push_back(first_slide(charges_, t, l, at, after, dimension, factor));
}

void Graph::settle_windows(NestLabel& label, PartialCost& partial_cost) const {
    const auto settle = [&](ImperfectWindowDelivery& window) {
        if (!window.settled) return false;
        window.sent.accesses /= charges_.overlap_of_neighbours(window.tensor, window.level);
        charges_.set_hops(window.tensor, window.level, label.at, window.sent);
        partial_cost += charges_.partial_cost(window.tensor, window.level, window.sent,
                                              charges_.handed_to_parent(window.tensor, window.level), label.at);
        return true;
    };
    std::erase_if(label.windows, settle);
}

void Graph::finish(NestLabel& label, PartialCost& partial_cost) const {
    for (ImperfectWindowDelivery& window : label.windows) window.settled = true;
    settle_windows(label, partial_cost);
    for (const Moved& idled : label.idled) partial_cost += held(idled);
    label.idled.clear();
    for (int t = 0; t < charges_.tensor_count(); ++t) {
        if (label.open[t] != kNone) partial_cost += this->partial_cost(first_moved(t, label, 0, 1.0));
        label.open[t] = kNone;
    }
}

// ---------------------------------------------------------------- labels

bool Graph::leads_on(const NestLabel& label, int level) const {
    for (int d = 0; d < dimensions(); ++d)
        if (charges_.chain(d).least_steps_outside(level, label.at.node[d]) >= Chain::kNever) return false;
    return true;
}

double Graph::steps_inside(const NestLabel& label) const {
    double steps = 1.0;
    for (int d = 0; d < dimensions(); ++d) {
        steps *= charges_.chain(d).node(label.at.node[d]).product;
        for (int l = label.at.crossed; l < charges_.level_count(); ++l) steps /= charges_.spread(l, d);
    }
    return steps;
}

double Graph::steps_to_come(const NestLabel& label, int level, bool stored) const {
    double steps = 1.0;
    for (int d = 0; d < dimensions(); ++d) {
        const Chain& chain = charges_.chain(d);
        const double outside = chain.least_steps_outside(level, label.at.node[d]);
        steps *= stored ? outside : std::min(outside, chain.least_steps(level, label.at.node[d]));
    }
    return steps;
}

const PassedBy* Graph::passed_by(const NestLabel& label, int level) const {
    const PassedBy* const passed = completion_bound_.passed_by(level);
    if (passed == nullptr || label.open[passed->tensor] == kNone) return nullptr;
    return label.open[passed->tensor] >= passed->level ? passed : nullptr;
}

// `stored`: the tile of memory `level` is known; else its loops may be next.
PartialCost Graph::pending(const NestLabel& label, int level, bool stored) const {
    const bool knows_store = stored && completion_bound_.is_known();
    const PassedBy* const passed = passed_by(label, level);
    const bool open = passed != nullptr;
    PartialCost all;
    all.loads = charges_.outside_loads(stored_);
    if (knows_store)
        all.pj = completion_bound_.with_store_pj(level, label.at, open);
    else
        all.pj = stored ? completion_bound_.from_store_pj(level, label.at, open)
                        : completion_bound_.from_loops_pj(level, label.at, open);
    for (const ImperfectWindowDelivery& window : label.windows) {
        all.pj += charges_.at_least_pj(window.tensor, window.level, window.least, label.at);
        charges_.add_least_loads(window.tensor, window.level, window.least, label.at, all.loads);
    }
    for (int t = 0; t < charges_.tensor_count(); ++t)
        for (int l = label.open[t]; l >= stored_; --l) {
            if (!charges_.is_boundary(t, l) || !charges_.keeps(t, l)) continue;
            const Sent sent = charges_.unmoved(t, l, label.at);
            charges_.add_least_loads(t, l, sent, label.at, all.loads);
            const bool is_bounded = (knows_store && l == level) || (open && t == passed->tensor && l == passed->level);
            if (!is_bounded) all.pj += charges_.at_least_pj(t, l, sent, label.at);
        }
    return all;
}

void Graph::put(const NestLabel& label, int level, bool stored, std::int32_t from, const PartialCost* partial_cost,
                ImperfectEdge edge, Front& front) {
    if (stored && !leads_on(label, level)) return;
    if (!charges_.fits(level, label.at)) return;
    PartialCost all = ways_.known[from].least;
    const bool costs = partial_cost != nullptr && (partial_cost->pj != 0.0 || partial_cost->loads != Loads{});
    if (costs) all += *partial_cost;
    PartialCost least = pending(label, level, stored);
    const double completion_pj = least.pj;
    least += all;
    const Cost cost = charges_.cost_of(least, steps_inside(label) * steps_to_come(label, level, stored));
    if (goal_.is_out_of_reach(cost)) return;
    const auto [found, is_new] = front.try_emplace(label, static_cast<std::int32_t>(ways_.known.size()));
    if (is_new) {
        ways_.known.push_back({all, completion_pj, cost.cycles, -1});
    } else {
        ImperfectKnown& known = ways_.known[found->second];
        known.least_cycles = std::min(known.least_cycles, cost.cycles);
        PartialCost& mine = known.least;
        mine.pj = std::min(mine.pj, all.pj);
        for (std::size_t i = 0; i < all.loads.size(); ++i) mine.loads[i] = std::min(mine.loads[i], all.loads[i]);
    }
    edge.from = from;
    edge.next = ways_.known[found->second].edges;
    if (costs) {
        edge.partial_cost = static_cast<std::int32_t>(ways_.partial_costs.size());
        ways_.partial_costs.push_back(*partial_cost);
    }
    ways_.known[found->second].edges = static_cast<std::int32_t>(ways_.edges.size());
    ways_.edges.push_back(edge);
}

ImperfectFinding follow(const Mapspace& mapspace, ImperfectCharges& charges, const LeanEvaluator& evaluator,
                        const Goal& goal, const std::function<bool()>& stop, const NestSink& sink) {
    Graph graph(mapspace, charges, goal, stop);
    const ImperfectFinding finding = graph.build();
    if (finding.alone || finding.open) return finding;
    return Backtracking(graph.ways(), mapspace, charges, evaluator, goal, stop, sink).run();
}

}  // namespace

ImperfectFinding follow_imperfect(const Mapspace& mapspace, ImperfectCharges& charges, const LeanEvaluator& evaluator,
                                  const Goal& goal, const std::function<bool()>& stop) {
    return follow(mapspace, charges, evaluator, goal, stop, {});
}

bool list_imperfect(const Mapspace& mapspace, ImperfectCharges& charges, const LeanEvaluator& evaluator,
                    const NestSink& sink) {
    Goal none;
    none.value = std::numeric_limits<double>::infinity();
    return !follow(mapspace, charges, evaluator, none, {}, sink).too_many;
}

}  // namespace tilewright::certificate
