#include "certificate/perfect/nests.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "certificate/perfect/label.hpp"
#include "certificate/perfect/open.hpp"

namespace tilewright::certificate {
namespace {

class Follow {
   public:
    Follow(const Mapspace& mapspace, const Charges& charges, TileNumbers& tiles, const ToCome& to_come,
           const Goal& goal, bool timed)
        : mapspace_(mapspace),
          charges_(charges),
          lattice_(tiles.lattice()),
          stages_(to_come.completion.stages),
          to_come_(to_come),
          least_pj_(tiles.inside_pj(charges) + to_come.completion.pj.front().front()),
          least_cycles_(std::max(to_come.least_cycles, charges.compute_cycles())),
          goal_(goal),
          timed_(timed),
          open_(charges, tiles, timed),
          dominance_(charges, open_, timed),
          waiting_(stages_.size()),
          fits_(static_cast<std::size_t>(lattice_.size())) {
        for (int d = 0; d < charges.dimension_count(); ++d)
            if (is_bounded(0, d)) last_loops_are_free_ = false;
        if (static_cast<int>(mapspace.movable(0).size()) < charges.dimension_count()) last_loops_are_free_ = false;
    }

    std::optional<Cost> run();

   private:
    using LabelsByPoint = std::vector<Labels>;

    void start();
    void enter(std::size_t stage);
    bool fits(const Stage& stage, int point);
    bool has_room(const Stage& stage, int point, const Label& label);
    double room_for(int point, int t, int level) { return charges_.room(t, level, open_.words(point, t, level)); }
    bool rest_is_free(const Stage& stage, const Label& label) const;
    void loops(const Stage& stage);
    void loops_of(const Stage& stage, std::uint32_t dimensions, int turn);
    void extend(const Stage& stage, int point, const Label& from, int dimension, int turn);
    std::uint32_t slid_along() const;
    bool is_bounded(int level, int dimension) const;
    bool may_run(int level, int dimension, std::int32_t factor) const;
    Label after(const Label& from, int level, int point, int dimension, const LatticeEdge& edge);

    void store(const Stage& from, const Storing& storing, const LabelsByPoint& before);
    bool is_complete(const Stage& from, const Stage& to, const Label& label) const;
    bool takes_room(const Storing& storing, const Stage& to, int point, Label& label);
    void finish_memories(const Stage& stage, Label& label) const;
    double cycles_of(const Label& label) const;
    double least_cycles_of(int point, const Label& label);
    bool is_out_of_reach(const Label& label, int point, double cycles) const;
    void put(Labels& labels, int point, Label&& label);

    const Mapspace& mapspace_;
    const Charges& charges_;
    const Lattice& lattice_;
    const std::vector<Stage>& stages_;
    const ToCome& to_come_;
    const double least_pj_;
    const double least_cycles_;
    const Goal& goal_;
    const bool timed_;
    OpenDeliveries open_;
    Dominance dominance_;
    std::vector<LabelsByPoint> waiting_;  ///< by stage: labels without a loop of it
    std::size_t stage_ = 0;               ///< of new labels
    LabelsByPoint at_;
    std::uint32_t slid_along_ = slid_along();  ///< dimensions some tile may slide along
    static constexpr std::int8_t kUnknown = -1;
    std::vector<std::int8_t> fits_;                         ///< by point: memories have room for the rest
    std::array<std::vector<double>, kMaxMemories> needed_;  ///< by memory stored in part and point: words of the rest
    bool last_loops_are_free_ = true;                       ///< no constraint on those of the outermost memory
};

std::optional<Cost> Follow::run() {
    start();
    for (std::size_t i = 0; i + 1 < stages_.size(); ++i) {
        if (waiting_[i].empty()) continue;  // no label arrived
        const Stage& stage = stages_[i];
        at_ = std::move(waiting_[i]);
        enter(i);
        fits_.assign(fits_.size(), kUnknown);
        for (int l = 0; l < charges_.level_count(); ++l)
            if ((stage.begun >> l & 1U) != 0) needed_[l].resize(fits_.size());
        loops(stage);
        const LabelsByPoint built = std::move(at_);
        for (const Storing& storing : stage.next) store(stage, storing, built);
        if (open_.gave_up()) break;
    }
    if (open_.gave_up()) return cost_of(charges_, least_pj_, least_cycles_);
    std::optional<Cost> least;
    if (waiting_.back().empty()) return least;
    for (const Label& label : waiting_.back().back()) {
        const Cost cost = cost_of(charges_, label.pj, cycles_of(label));
        if (goal_.is_out_of_reach(cost)) continue;
        if (!least) least = cost;
        least = {std::min(least->energy_pj, cost.energy_pj), std::min(least->cycles, cost.cycles)};
    }
    return least;
}

void Follow::start() {
    enter(0);
    Label label;
    label.pj = charges_.compute_pj();
    open_.start(label);
    for (int fanout = charges_.level_count() - 1; fanout >= stages_.front().crossed; --fanout)
        open_.cross(fanout, 0, label);
    open_.settle_windows(label);
    waiting_.front().resize(static_cast<std::size_t>(lattice_.size()));
    put(waiting_.front().front(), 0, std::move(label));
}

void Follow::enter(std::size_t stage) {
    stage_ = stage;
    std::uint32_t required = 0;
    const int owner = stages_[stage].owner;
    for (int d = 0; owner >= 0 && d < charges_.dimension_count(); ++d)
        if (mapspace_.temporal_bounds(owner, d).at_least > 1) required |= 1U << d;
    open_.enter(stages_[stage]);
    dominance_.enter(stages_[stage], required);
}

// ---------------------------------------------------------------- loops between two stores

// A memory has room for its remaining tensors, if they are all it stores.
bool Follow::fits(const Stage& stage, int point) {
    const auto at = static_cast<std::size_t>(point);
    if (fits_[at] != kUnknown) return fits_[at] != 0;
    bool fits = true;
    for (int l = 0; l < charges_.level_count() && fits; ++l) {
        if (stage.missing[l] == 0) continue;
        double room = 0.0;
        for (std::uint32_t left = stage.missing[l]; left != 0; left &= left - 1)
            room += room_for(point, std::countr_zero(left), l);
        fits = charges_.has_room(l, room);
        if ((stage.begun >> l & 1U) != 0) needed_[l][at] = room;
    }
    fits_[at] = fits ? 1 : 0;
    return fits;
}

// With the words already stored.
bool Follow::has_room(const Stage& stage, int point, const Label& label) {
    const auto at = static_cast<std::size_t>(point);
    if (!fits(stage, point)) return false;
    for (std::uint32_t left = stage.begun; left != 0; left &= left - 1) {
        const int l = std::countr_zero(left);
        if (!charges_.has_room(l, label.room[l] + needed_[l][at])) return false;
    }
    return true;
}

// Only loops of the outermost memory are left, in any order, at no cost.
bool Follow::rest_is_free(const Stage& stage, const Label& label) const {
    const bool last = stages_[stage.next.front().to].owner < 0;
    if (!last || !last_loops_are_free_ || label.placed != 0 || !label.windows.empty()) return false;
    return std::all_of(label.waiting.begin(), label.waiting.end(), [](std::uint32_t open) { return open == 0; });
}

void Follow::loops(const Stage& stage) {
    const TilingLevel& order = charges_.assignment()[stage.owner];
    const int first = mapspace_.first_movable(stage.owner);
    const int movable = static_cast<int>(mapspace_.movable(stage.owner).size());
    int turn = 0;
    for (int k = 0; k < first; ++k) loops_of(stage, 1U << order.order[k], turn++);
    std::uint32_t any_order = 0;
    for (const std::uint8_t d : mapspace_.movable(stage.owner)) any_order |= 1U << d;
    loops_of(stage, any_order, turn++);
    for (int k = first + movable; k < charges_.dimension_count(); ++k) loops_of(stage, 1U << order.order[k], turn++);
}

// Steps lead to later points only: a point is complete at its turn.
void Follow::loops_of(const Stage& stage, std::uint32_t dimensions, int turn) {
    for (int point = 0; point < lattice_.size(); ++point) {
        Labels& labels = at_[point];
        if (labels.empty()) continue;
        if (!fits(stage, point)) labels.clear();
        for (const Label& label : labels)
            for (std::uint32_t left = dimensions; left != 0; left &= left - 1)
                extend(stage, point, label, std::countr_zero(left), turn);
    }
}

bool Follow::is_bounded(int level, int dimension) const {
    const FactorBounds& bounds = mapspace_.temporal_bounds(level, dimension);
    return bounds.at_least > 1 || static_cast<double>(bounds.at_most) < charges_.rest()[dimension];
}

std::uint32_t Follow::slid_along() const {
    std::uint32_t dimensions = 0;
    for (int d = 0; d < charges_.dimension_count(); ++d)
        for (int t = 0; t < charges_.tensor_count(); ++t) {
            const Addresses& tensor = charges_.tensor(t);
            if (tensor.overlaps && tensor.moves(d) && (!tensor.steady || std::popcount(tensor.beside(d)) > 1))
                dimensions |= 1U << d;
        }
    return dimensions;
}

bool Follow::may_run(int level, int dimension, std::int32_t factor) const {
    const FactorBounds& bounds = mapspace_.temporal_bounds(level, dimension);
    return factor >= bounds.at_least && factor <= bounds.at_most;
}

// Loops taken as a whole: bounded factors, and sliding dimensions, where two loops differ from one. Others are taken
// prime by prime, a superset of the mapspace.
void Follow::extend(const Stage& stage, int point, const Label& from, int dimension, int turn) {
    if (((from.placed | from.taken) >> dimension & 1U) != 0 || from.turn > turn) return;
    const double cycles = least_cycles_of(point, from);
    const bool bounded = is_bounded(stage.owner, dimension);
    const bool whole = bounded || (slid_along_ >> dimension & 1U) != 0;
    for (const LatticeEdge& edge : lattice_.edges(point, dimension)) {
        if (whole ? !may_run(stage.owner, dimension, edge.factor) : !edge.is_prime) continue;
        const int next = point + edge.by;
        if (!has_room(stage, next, from) || is_out_of_reach(from, next, cycles)) continue;
        Label label = after(from, stage.owner, point, dimension, edge);
        if (stage.owner_goes_on) label.turn = turn;
        const int to = rest_is_free(stage, label) ? lattice_.size() - 1 : next;
        put(at_[to], to, std::move(label));
    }
}

Label Follow::after(const Label& from, int level, int point, int dimension, const LatticeEdge& edge) {
    Label label = from;
    const std::uint32_t bit = 1U << dimension;
    if (open_.move(point, dimension, edge, label)) label.placed |= bit;
    if (is_bounded(level, dimension)) label.taken |= bit;
    return label;
}

// ---------------------------------------------------------------- from stage to stage

void Follow::store(const Stage& from, const Storing& storing, const LabelsByPoint& before) {
    const auto number = static_cast<std::size_t>(storing.to);
    const Stage& to = stages_[number];
    enter(number);
    LabelsByPoint& labels = waiting_[number];
    labels.resize(static_cast<std::size_t>(lattice_.size()));
    const bool last = to.owner < 0;
    for (int point = last ? lattice_.size() - 1 : 0; point < lattice_.size(); ++point) {
        const auto at = static_cast<std::size_t>(point);
        if (before[at].empty()) continue;
        for (const Label& build : before[at]) {
            if (!is_complete(from, to, build)) continue;
            Label label = build;
            if (!takes_room(storing, to, point, label)) continue;
            label.placed = 0;
            if (from.owner != to.owner) {
                label.taken = 0;
                label.turn = 0;
            }
            open_.open(from, to, point, label);
            if (last) open_.settle_all(label);
            finish_memories(to, label);
            put(labels[at], point, std::move(label));
        }
    }
}

// Memories without further loops have all required ones.
bool Follow::is_complete(const Stage& from, const Stage& to, const Label& label) const {
    for (int l = from.owner; l > to.owner; --l)
        for (int d = 0; d < charges_.dimension_count(); ++d) {
            const bool taken = l == from.owner && (label.taken >> d & 1U) != 0;
            if (!taken && mapspace_.temporal_bounds(l, d).at_least > 1) return false;
        }
    return true;
}

// False if the memory has too little room, or is not filled enough.
bool Follow::takes_room(const Storing& storing, const Stage& to, int point, Label& label) {
    const auto memory = static_cast<std::size_t>(storing.memory);
    double room = label.room.empty() ? 0.0 : label.room[memory];
    for (std::uint32_t left = storing.tensors; left != 0; left &= left - 1)
        room += room_for(point, std::countr_zero(left), storing.memory);
    if (!charges_.has_room(storing.memory, room)) return false;
    if (!charges_.allows(storing.memory, storing.tensors, lattice_.loops(point))) return false;
    const bool whole = (to.whole >> storing.memory & 1U) != 0;
    if (whole && !charges_.is_filled(storing.memory, room)) return false;
    if (to.begun == 0) {
        label.room.clear();
        return true;
    }
    label.room.resize(static_cast<std::size_t>(charges_.level_count()), 0.0);
    label.room[memory] = whole ? 0.0 : room;
    return true;
}

// Accesses of memories without further deliveries turn into cycles.
void Follow::finish_memories(const Stage& stage, Label& label) const {
    if (!timed_) return;
    std::uint32_t pending = ~stage.whole;
    const auto mark = [&](int t, int l) { pending |= 1U << l | 1U << charges_.parent(t, l); };
    for (int t = 0; t < charges_.tensor_count(); ++t)
        for (std::uint32_t left = label.waiting[t]; left != 0; left &= left - 1) mark(t, std::countr_zero(left));
    for (const WindowDelivery& window : label.windows) mark(window.tensor, window.level);
    for (int l = 0; l < charges_.level_count(); ++l) {
        if ((pending >> l & 1U) != 0) continue;
        label.cycles = std::max(label.cycles, charges_.cycles_for(l, label.loads));
        label.loads[2 * static_cast<std::size_t>(l)] = label.loads[2 * static_cast<std::size_t>(l) + 1] = 0.0;
    }
}

double Follow::cycles_of(const Label& label) const {
    double cycles = std::max(least_cycles_, label.cycles);
    if (!timed_) return cycles;
    for (int l = 0; l < charges_.level_count(); ++l) cycles = std::max(cycles, charges_.cycles_for(l, label.loads));
    return cycles;
}

double Follow::least_cycles_of(int point, const Label& label) {
    double cycles = std::max(least_cycles_, label.cycles);
    if (!timed_) return cycles;
    Loads loads = label.loads;
    open_.add_least_loads(point, label, loads);
    return std::max(cycles, to_come_.loads->cycles(stage_, point, loads));
}

// For any completion, with the point's loops inside.
bool Follow::is_out_of_reach(const Label& label, int point, double cycles) const {
    const double least_pj = label.least_pj + to_come_.completion.pj[stage_][point];
    return goal_.is_out_of_reach(cost_of(charges_, least_pj, cycles));
}

// Labels are sorted by least cost: no dearer one replaces a cheaper one.
void Follow::put(Labels& labels, int point, Label&& label) {
    open_.price(point, label);
    if (is_out_of_reach(label, point, least_cycles_of(point, label))) return;
    const auto dearer = std::upper_bound(labels.begin(), labels.end(), label.least_pj,
                                         [](double pj, const Label& other) { return pj < other.least_pj; });
    const auto is_better = [&](const Label& other) { return dominance_.replaces(point, other, label); };
    if (std::any_of(labels.begin(), dearer, is_better)) return;
    const auto is_worse = [&](const Label& other) { return dominance_.replaces(point, label, other); };
    const auto end = std::remove_if(dearer, labels.end(), is_worse);
    const auto at = dearer - labels.begin();
    labels.erase(end, labels.end());
    labels.insert(labels.begin() + at, std::move(label));
}

}  // namespace

Cost cost_of(const Charges& charges, double pj, double cycles) {
    constexpr double kRounding = 1.0 - 1e-12;
    const double whole = std::ceil(cycles * kRounding);
    return {pj + charges.leak_pj_per_cycle() * whole,
            whole + static_cast<double>(charges.ground().link_latency_cycles)};
}

bool bandwidth_counts(const Charges& charges, const Goal& goal) {
    return charges.ground().throttles &&
           (goal.objective.kind != ObjectiveKind::energy || charges.leak_pj_per_cycle() > 0.0);
}

std::optional<Cost> follow(const Mapspace& mapspace, const Charges& charges, TileNumbers& tiles, const ToCome& to_come,
                           const Goal& goal) {
    const auto run = [&](bool timed) { return Follow(mapspace, charges, tiles, to_come, goal, timed).run(); };
    const std::optional<Cost> frugal = run(false);
    return frugal && bandwidth_counts(charges, goal) ? run(true) : frugal;
}

}  // namespace tilewright::certificate
