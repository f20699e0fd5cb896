#include "certificate/imperfect/completion_bound.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace tilewright::certificate {

ImperfectCompletionBound::ImperfectCompletionBound(const ImperfectCharges& charges, const Goal& goal,
                                                   std::int64_t most_points)
    : charges_(charges),
      goal_(goal),
      start_(charges.start()),
      levels_(static_cast<std::size_t>(charges.level_count())) {
    find_nodes();
    cross_fan_outs();
    find_passed_by();
    std::int64_t points = 0;
    for (std::size_t l = 1; l < levels_.size(); ++l) points += levels_[l].points;
    known_ = points <= most_points;
    for (int l = 1; l < charges_.level_count() && known_; ++l) fill(l);
}

void ImperfectCompletionBound::find_nodes() {
    for (int d = 0; d < charges_.dimension_count(); ++d) {
        const Chain& chain = charges_.chain(d);
        std::vector<char> inside(static_cast<std::size_t>(chain.size()), 0);
        inside.front() = 1;
        for (int l = charges_.level_count() - 1; l >= 0; --l) {
            std::vector<char> here(inside.size(), 0);
            for (int n = 0; n < chain.size(); ++n)
                if (inside[n] != 0)
                    if (const int to = chain.across(l, n); to >= 0) here[to] = 1;
            for (int n = 0; n < chain.size(); ++n)
                if (here[n] != 0)
                    for (const Chain::Edge& edge : chain.edges(l, n)) here[edge.to] = 1;
            Level& level = levels_[l];
            Axis& axis = level.axes[d];
            std::vector<int>& nodes = level.nodes[d];
            axis.stride = level.points;
            axis.places.assign(inside.size(), -1);
            for (int n = 0; n < chain.size(); ++n) {
                if (here[n] == 0) continue;
                axis.places[n] = static_cast<int>(nodes.size());
                nodes.push_back(n);
            }
            level.points *= static_cast<std::int64_t>(nodes.size());
            inside = std::move(here);
        }
    }
}

void ImperfectCompletionBound::cross_fan_outs() {
    for (int l = 1; l < charges_.level_count(); ++l)
        for (int d = 0; d < charges_.dimension_count(); ++d) {
            const Axis& next = level(l - 1).axes[d];
            for (const int node : level(l).nodes[d]) {
                const int to = charges_.chain(d).across(l - 1, node);
                const int place = to < 0 ? -1 : next.places[to];
                levels_[l].axes[d].outside.push_back(place < 0 ? kNowhere : place * next.stride);
            }
        }
}

// Of memories 0 to level - 1; all words are sent once to those inside.
bool ImperfectCompletionBound::is_out_of_reach(int level, double outside_pj) const {
    if (outside_pj >= Chain::kNever) return true;
    PartialCost least = start_;
    least.pj += outside_pj + charges_.outside_pj().back() - charges_.outside_pj()[level];
    return goal_.is_out_of_reach(charges_.cost_of(least, charges_.least_steps()));
}

// The least energy out of reach, by bisection.
double ImperfectCompletionBound::out_of_reach_pj(int level) const {
    if (is_out_of_reach(level, 0.0)) return 0.0;
    if (!is_out_of_reach(level, Chain::kNever / 2.0)) return Chain::kNever;
    double within = 0.0;
    double beyond = 1.0;
    while (!is_out_of_reach(level, beyond)) within = std::exchange(beyond, 2.0 * beyond);
    for (int i = 0; i < 50; ++i) {
        const double middle = (within + beyond) / 2.0;
        (is_out_of_reach(level, middle) ? beyond : within) = middle;
    }
    return beyond;
}

// The most expensive delivery past a memory with loops.
void ImperfectCompletionBound::find_passed_by() {
    const auto has_loops = [this](int l) {
        for (int d = 0; d < charges_.dimension_count(); ++d)
            for (const int node : level(l).nodes[d])
                if (!charges_.chain(d).edges(l, node).empty()) return true;
        return false;
    };
    double most = -1.0;
    for (int t = 0; t < charges_.tensor_count(); ++t)
        for (int l = 2; l < charges_.level_count(); ++l) {
            const int parent = charges_.parent(t, l);
            if (!charges_.is_boundary(t, l) || !charges_.keeps(t, l) || !charges_.tensor(t).steady) continue;
            bool passes = false;
            for (int between = parent + 1; between < l; ++between) passes = passes || has_loops(between);
            if (!passes || charges_.least_pj(t, l) <= most) continue;
            most = charges_.least_pj(t, l);
            passed_by_ = {t, l};
            outermost_ = parent;
        }
}

// Loops lead to points with larger numbers.
void ImperfectCompletionBound::fill(int l) {
    Level& here = levels_[l];
    const PassedBy* const open = passed_by(l);
    const bool is_next = l == outermost_ + 1;  // only its source memories are further out
    const bool comes_here = passed_by_ && passed_by_->level == l;
    const std::uint32_t others_kept = comes_here ? ~(1U << passed_by_->tensor) : ~0U;
    const ImperfectTileCosts costs(charges_, l, here.nodes, others_kept, is_next ? open : nullptr);
    const double most = out_of_reach_pj(l + 1);
    // All words are sent once to inner memories, except the open delivery, counted here.
    const double most_open = open == nullptr ? most : most + charges_.least_pj(open->tensor, open->level);
    visit_tiles(here.nodes, ~0U, [&](const Tile& tile) {
        const std::int64_t point = costs.fits(tile) ? point_outside(l, tile) : kNowhere;
        const auto outside = [&](bool is_open) {
            return point == kNowhere ? Chain::kNever : outside_pj(l, point, is_open);
        };
        const double closed = outside(comes_here);
        const double opened = open == nullptr || is_next ? closed : outside(true);
        const auto least = closed < most ? costs.least_pj(tile) : ImperfectTileCosts::Least{};
        const auto add = [](double pj, double out_of_reach, std::vector<double>& all) {
            all.push_back(pj < out_of_reach ? pj : Chain::kNever);
        };
        add(closed + least.pj, most, here.store_pj[0]);
        if (open != nullptr) add(opened + (is_next ? least.with_open_pj : least.pj), most_open, here.store_pj[1]);
    });
    constexpr std::uint32_t kAll = ~0U;
    here.loops_pj = here.store_pj;
    look_outwards(l, kAll, here.loops_pj[0]);
    if (open == nullptr) return;
    const std::uint32_t others = ~charges_.tensor(open->tensor).moving;
    look_outwards(l, others, here.loops_pj[1]);
    std::vector<double> moved = here.store_pj[0];
    move_passed_by(l, moved);
    for (std::size_t i = 0; i < moved.size(); ++i) here.loops_pj[1][i] = std::min(here.loops_pj[1][i], moved[i]);
}

// Its tile was the point's along relevant dimensions, and some loop of them runs. Irrelevant ones have at least the
// steps outside the tile of memory `l`: a further loop leaves fewer pairs of an instance and a step, and all neighbours
// work while it runs, so savings weigh no more among sharing neighbours.
void ImperfectCompletionBound::move_passed_by(int l, std::vector<double>& pj) const {
    const Level& here = level(l);
    const std::uint32_t moving = charges_.tensor(passed_by_->tensor).moving;
    look_outwards(l, moving, pj);
    const ImperfectDeliveryCosts delivery(charges_, passed_by_->tensor, passed_by_->level, charges_.worst(l),
                                          here.nodes);
    std::size_t point = 0;
    visit_tiles(here.nodes, ~0U, [&](const Tile& tile) {
        double& all = pj[point++];
        if (all >= Chain::kNever) return;
        std::uint32_t first = 0;
        for (std::uint32_t left = moving; left != 0; left &= left - 1) {
            const int d = std::countr_zero(left);
            const int node = here.nodes[d][tile[d]];
            if (!charges_.chain(d).edges(l, node).empty()) first |= 1U << d;
        }
        double least = Chain::kNever;
        delivery.visit_moved_pj(tile, first, [&](std::uint32_t, double moved) { least = std::min(least, moved); });
        all = std::min(Chain::kNever, all + least);
    });
    look_outwards(l, ~moving, pj);
}

void ImperfectCompletionBound::look_outwards(int l, std::uint32_t dimensions, std::vector<double>& pj) const {
    for (int d = 0; d < charges_.dimension_count(); ++d)
        if ((dimensions >> d & 1U) != 0) look_outwards(l, d, pj);
}

// Minimum over all points with more loops of the dimension.
void ImperfectCompletionBound::look_outwards(int l, int dimension, std::vector<double>& pj) const {
    const Axis& axis = level(l).axes[dimension];
    const std::vector<int>& nodes = level(l).nodes[dimension];
    const auto row = static_cast<std::size_t>(axis.stride);
    for (std::size_t first = 0; first < pj.size(); first += row * nodes.size())
        for (std::size_t i = nodes.size(); i-- > 0;)
            for (const Chain::Edge& edge : charges_.chain(dimension).edges(l, nodes[i])) {
                const auto to = static_cast<std::size_t>(axis.places[edge.to]);
                double* const here = pj.data() + first + i * row;
                const double* const there = pj.data() + first + to * row;
                for (std::size_t k = 0; k < row; ++k) here[k] = std::min(here[k], there[k]);
            }
}

std::int64_t ImperfectCompletionBound::point_outside(int l, const Tile& tile) const {
    std::int64_t point = 0;
    for (int d = 0; d < charges_.dimension_count(); ++d) {
        const std::int64_t by = level(l).axes[d].outside[tile[d]];
        if (by == kNowhere) return kNowhere;
        point += by;
    }
    return point;
}

// Of all deliveries to memories outside.
double ImperfectCompletionBound::outside_pj(int l, std::int64_t point, bool open) const {
    return l == 1 ? 0.0 : level(l - 1).loops_pj[open ? 1 : 0][point];
}

std::int64_t ImperfectCompletionBound::point_of(int l, const Where& at) const {
    std::int64_t point = 0;
    for (int d = 0; d < charges_.dimension_count(); ++d) {
        const Axis& axis = level(l).axes[d];
        point += axis.places[at.node[d]] * axis.stride;
    }
    return point;
}

// The outermost memory has no delivery. It holds everything: a fan-out leads nowhere else.
double ImperfectCompletionBound::from_loops_pj(int l, const Where& at, bool open) const {
    if (!known_) return charges_.outside_pj()[static_cast<std::size_t>(l) + 1];
    if (l > 0) return level(l).loops_pj[open ? 1 : 0][point_of(l, at)];
    for (int d = 0; d < charges_.dimension_count(); ++d) {
        const Chain& chain = charges_.chain(d);
        const int node = at.node[d];
        if (std::min(chain.least_steps(0, node), chain.least_steps_outside(0, node)) >= Chain::kNever)
            return Chain::kNever;
    }
    return 0.0;
}

double ImperfectCompletionBound::from_store_pj(int l, const Where& at, bool open) const {
    if (!known_) return charges_.outside_pj()[l];
    Where outside;
    for (int d = 0; d < charges_.dimension_count(); ++d) {
        const Chain& chain = charges_.chain(d);
        if (l == 0 && chain.node(at.node[d]).chunks > 1.0) return Chain::kNever;
        if (l == 0) continue;
        outside.node[d] = chain.across(l - 1, at.node[d]);
        if (outside.node[d] < 0) return Chain::kNever;
    }
    return l == 0 ? 0.0 : from_loops_pj(l - 1, outside, open);
}

// With the deliveries to the memory.
double ImperfectCompletionBound::with_store_pj(int l, const Where& at, bool open) const {
    if (l == 0) return from_store_pj(l, at, false);
    return level(l).store_pj[open ? 1 : 0][point_of(l, at)];
}

double ImperfectCompletionBound::from_start_pj() const {
    if (!known_) return charges_.outside_pj().back();
    return from_store_pj(charges_.level_count(), Where{}, false);
}

}  // namespace tilewright::certificate
