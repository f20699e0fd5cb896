#include "certificate/imperfect/completion_bound.hpp"

#include <algorithm>
#include <bit>

namespace tilewright::certificate {

ImperfectCompletionBound::ImperfectCompletionBound(const ImperfectCharges& charges, const Goal& goal,
                                                   std::int64_t most_points)
    : charges_(charges),
      goal_(goal),
      start_(charges.start()),
      levels_(static_cast<std::size_t>(charges.level_count())) {
    find_nodes();
    std::int64_t points = 0;
    for (const Level& level : levels_) points += level.points;
    known_ = points <= most_points;
    for (int l = 0; l < charges_.level_count() && known_; ++l) fill(l);
}

void ImperfectCompletionBound::find_nodes() {
    for (int d = 0; d < charges_.dimension_count(); ++d) {
        const Chain& chain = charges_.chain(d);
        std::vector<char> inside(static_cast<std::size_t>(chain.size()), 0);
        inside.front() = 1;
        for (int l = charges_.level_count() - 1; l >= 0; --l) {
            std::vector<char> here(inside.size(), 0);
            for (int n = 0; n < chain.size(); ++n)
                if (inside[static_cast<std::size_t>(n)] != 0)
                    if (const int to = chain.across(l, n); to >= 0) here[static_cast<std::size_t>(to)] = 1;
            for (int n = 0; n < chain.size(); ++n)
                if (here[static_cast<std::size_t>(n)] != 0)
                    for (const Chain::Step& step : chain.steps(l, n)) here[static_cast<std::size_t>(step.to)] = 1;
            Level& level = levels_[static_cast<std::size_t>(l)];
            Axis& axis = level.axes[static_cast<std::size_t>(d)];
            axis.stride = level.points;
            axis.places.assign(inside.size(), -1);
            for (int n = 0; n < chain.size(); ++n) {
                if (here[static_cast<std::size_t>(n)] == 0) continue;
                axis.places[static_cast<std::size_t>(n)] = static_cast<int>(axis.nodes.size());
                axis.nodes.push_back(n);
            }
            level.points *= static_cast<std::int64_t>(axis.nodes.size());
            inside = std::move(here);
        }
    }
}

// Whatever may close up does.
Where ImperfectCompletionBound::worst(int crossed) const {
    Where at;
    at.crossed = crossed;
    at.closing = charges_.may_close() & (~0U << crossed);
    at.deep = (1U << charges_.dimension_count()) - 1U;
    return at;
}

bool ImperfectCompletionBound::is_done(const Where& at) const {
    for (int d = 0; d < charges_.dimension_count(); ++d)
        if (charges_.chain(d).node(at.node[d]).chunks > 1.0) return false;
    return true;
}

// Of memories 0 to level - 1; all words are sent once to those inside.
bool ImperfectCompletionBound::is_out_of_reach(int level, double outside_pj) const {
    if (outside_pj >= Chain::kNever) return true;
    Bill least = start_;
    least.pj += outside_pj + charges_.outside_pj().back() - charges_.outside_pj()[static_cast<std::size_t>(level)];
    return goal_.is_out_of_reach(charges_.cost_of(least, charges_.least_steps()));
}

// When the fan-out outside memory `level` is crossed, by the dimension of the first loop that follows.
double ImperfectCompletionBound::deliveries_pj(int level, const Where& at) const {
    std::uint32_t first = 0;
    bool is_known = true;
    for (int d = 0; d < charges_.dimension_count(); ++d) {
        if (charges_.chain(d).node(at.node[d]).chunks == 1.0) continue;
        first |= 1U << d;
        is_known = is_known && !charges_.is_spread_outside(d, at.crossed);
    }
    std::array<double, kMaxDimensions> along{};
    double unmoved = 0.0;
    for (int t = 0; t < charges_.tensor_count(); ++t) {
        if (!charges_.is_boundary(t, level) || !charges_.keeps(t, level)) continue;
        if (first == 0 || !is_known) {
            unmoved += charges_.unmoved_pj(t, level, at);
            continue;
        }
        const std::array<double, kMaxDimensions> moved = charges_.first_moved_pj(t, level, at);
        for (int d = 0; d < charges_.dimension_count(); ++d) along[static_cast<std::size_t>(d)] += moved[d];
    }
    if (first == 0 || !is_known) return unmoved;
    double least = Chain::kNever;
    for (std::uint32_t left = first; left != 0; left &= left - 1)
        least = std::min(least, along[static_cast<std::size_t>(std::countr_zero(left))]);
    return least;
}

// Loops lead to points with larger numbers.
void ImperfectCompletionBound::fill(int level) {
    Level& here = levels_[static_cast<std::size_t>(level)];
    here.least_pj.assign(static_cast<std::size_t>(here.points), Chain::kNever);
    const int dimensions = charges_.dimension_count();
    Where at = worst(level);
    std::array<int, kMaxDimensions> place{};
    for (int d = 0; d < dimensions; ++d)
        place[d] = static_cast<int>(here.axes[static_cast<std::size_t>(d)].nodes.size()) - 1;
    for (std::int64_t point = here.points - 1; point >= 0; --point) {
        for (int d = 0; d < dimensions; ++d)
            at.node[d] = here.axes[static_cast<std::size_t>(d)].nodes[static_cast<std::size_t>(place[d])];
        double& least = here.least_pj[static_cast<std::size_t>(point)];
        if (charges_.fits(level, at)) {
            least = with_store_pj(level, at);
            for (int d = 0; d < dimensions; ++d) {
                const Axis& axis = here.axes[static_cast<std::size_t>(d)];
                for (const Chain::Step& step : charges_.chain(d).steps(level, at.node[d])) {
                    const int to = axis.places[static_cast<std::size_t>(step.to)];
                    least =
                        std::min(least, here.least_pj[static_cast<std::size_t>(point + (to - place[d]) * axis.stride)]);
                }
            }
        }
        for (int d = 0; d < dimensions && --place[d] < 0; ++d)
            place[d] = static_cast<int>(here.axes[static_cast<std::size_t>(d)].nodes.size()) - 1;
    }
}

std::int64_t ImperfectCompletionBound::point_of(const Level& level, const Where& at) const {
    std::int64_t point = 0;
    for (int d = 0; d < charges_.dimension_count(); ++d) {
        const Axis& axis = level.axes[static_cast<std::size_t>(d)];
        point += axis.places[static_cast<std::size_t>(at.node[d])] * axis.stride;
    }
    return point;
}

double ImperfectCompletionBound::from_loops_pj(int level, const Where& at) const {
    if (!known_) return charges_.outside_pj()[static_cast<std::size_t>(level) + 1];
    const Level& here = levels_[static_cast<std::size_t>(level)];
    return here.least_pj[static_cast<std::size_t>(point_of(here, at))];
}

std::optional<Where> ImperfectCompletionBound::across(int level, const Where& at) const {
    Where outside = worst(level);
    for (int d = 0; d < charges_.dimension_count(); ++d) {
        outside.node[d] = charges_.chain(d).across(level, at.node[d]);
        if (outside.node[d] < 0) return std::nullopt;
    }
    return outside;
}

double ImperfectCompletionBound::from_store_pj(int level, const Where& at) const {
    if (!known_) return charges_.outside_pj()[static_cast<std::size_t>(level)];
    if (level == 0) return is_done(at) ? 0.0 : Chain::kNever;
    const std::optional<Where> outside = across(level - 1, at);
    return outside ? from_loops_pj(level - 1, *outside) : Chain::kNever;
}

// Of the deliveries to the memory, too.
double ImperfectCompletionBound::with_store_pj(int level, const Where& at) const {
    if (level == 0) return is_done(at) ? 0.0 : Chain::kNever;
    const std::optional<Where> outside = across(level - 1, at);
    if (!outside) return Chain::kNever;
    const double further = from_loops_pj(level - 1, *outside);
    if (is_out_of_reach(level, further)) return Chain::kNever;
    const double all = further + deliveries_pj(level, *outside);
    return is_out_of_reach(level + 1, all) ? Chain::kNever : all;
}

double ImperfectCompletionBound::from_start_pj() const {
    if (!known_) return charges_.outside_pj().back();
    Where start;
    return from_store_pj(charges_.level_count(), start);
}

}  // namespace tilewright::certificate
