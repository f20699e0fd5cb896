#include "fusion/cost/lines.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tilewright::fusion {
namespace {

constexpr double kApart = 1e-9;

// More than 0: a weighs energy more.
double turn(const Line& a, const Line& b) {
    return a.weights.energy * b.weights.cycles - a.weights.cycles * b.weights.energy;
}

double value_of(const Weights& weights, const Cost& cost) { return weights.value(cost.energy_pj, cost.cycles); }

// What the line leaves open by itself.
double slack_of(const Line& line) {
    return line.point ? value_of(line.weights, *line.point) / line.value - 1.0
                      : std::numeric_limits<double>::infinity();
}

}  // namespace

Cost meeting(const Line& a, const Line& b) {
    const double det = turn(a, b);
    return {(a.value * b.weights.cycles - a.weights.cycles * b.value) / det,
            (a.weights.energy * b.value - a.value * b.weights.energy) / det};
}

Lines::Lines(Line energy, Line cycles)
    : unit_{energy.value, cycles.value}, lines_{std::move(energy), std::move(cycles)} {}

void Lines::add(Line line) {
    tried_.push_back(ratio_of(line.weights));
    for (const Line& other : lines_)
        if (other.point && (!line.point || value_of(line.weights, *other.point) < value_of(line.weights, *line.point)))
            line.point = other.point;
    const auto after = std::ranges::find_if(lines_, [&](const Line& other) { return turn(other, line) <= 0.0; });
    if (after != lines_.end() && turn(*after, line) == 0.0) {
        if (after->value <= line.value) *after = std::move(line);
    } else {
        lines_.insert(after, std::move(line));
    }
    drop_needless();
}

// Where floors of leaves were raised in between, a line proven before may lie under where its neighbours meet.
void Lines::drop_needless() {
    for (std::size_t i = 1; i + 1 < lines_.size();) {
        const Cost corner = meeting(lines_[i - 1], lines_[i + 1]);
        if (value_of(lines_[i].weights, corner) > lines_[i].value * (1.0 + kApart)) {
            lines_.erase(lines_.begin() + static_cast<std::ptrdiff_t>(i));
            if (i > 1) --i;
        } else {
            ++i;
        }
    }
}

void Lines::see(const Cost& found) {
    for (Line& line : lines_)
        if (!line.point || value_of(line.weights, found) < value_of(line.weights, *line.point)) line.point = found;
}

Cost Lines::corner(std::size_t i) const { return meeting(lines_[i], lines_[i + 1]); }

bool Lines::is_found(std::size_t i, double tolerance) const {
    const Line& a = lines_[i];
    const Line& b = lines_[i + 1];
    return (a.point && a.has(*a.point, tolerance) && b.has(*a.point, tolerance)) ||
           (b.point && a.has(*b.point, tolerance) && b.has(*b.point, tolerance));
}

// How much more it weighs energy than cycles, both in units.
double Lines::ratio_of(const Weights& weights) const {
    if (weights.cycles == 0.0) return std::numeric_limits<double>::infinity();
    return weights.energy * unit_.energy_pj / (weights.cycles * unit_.cycles);
}

std::optional<Weights> Lines::between(std::size_t i) const {
    const Line& a = lines_[i];
    const Line& b = lines_[i + 1];
    const double units = unit_.energy_pj / unit_.cycles;
    const double above = ratio_of(a.weights);
    const double below = ratio_of(b.weights);
    const auto lies_between = [&](double ratio) {
        return ratio < above * (1.0 - kApart) && ratio > below * (1.0 + kApart);
    };
    if (a.point && b.point) {
        const double ratio = (a.point->cycles - b.point->cycles) / (b.point->energy_pj - a.point->energy_pj) * units;
        if (lies_between(ratio)) return weights_of(ratio);
    }
    const Cost at = corner(i);
    const double tangent = at.cycles / at.energy_pj * units;
    if (lies_between(tangent)) return weights_of(tangent);
    constexpr double kFurther = 4.0;
    const double middle = std::isinf(above) ? below * kFurther
                          : below == 0.0    ? above / kFurther
                                            : std::sqrt(above * below);
    return lies_between(middle) ? std::optional(weights_of(middle)) : std::nullopt;
}

// The share by which the corner has to grow to reach the hull: what is cheapest there lies on one of its sides.
double Lines::gap(std::size_t i, const Hull& found, double tolerance) const {
    if (is_found(i, tolerance)) return 0.0;
    const Cost at = corner(i);
    double most = 1.0;
    const auto look = [&](const Weights& weights, const Cost& cheapest) {
        most = std::max(most, value_of(weights, cheapest) / value_of(weights, at));
    };
    look({1.0, 0.0}, found.front());
    look({0.0, 1.0}, found.back());
    for (std::size_t k = 0; k + 1 < found.size(); ++k)
        look({found[k].cycles - found[k + 1].cycles, found[k + 1].energy_pj - found[k].energy_pj}, found[k]);
    return most - 1.0;
}

double Lines::gap(const Hull& found, double tolerance) const {
    double most = 0.0;
    for (std::size_t i = 0; i < corners(); ++i) most = std::max(most, gap(i, found, tolerance));
    return most <= tolerance ? 0.0 : most;
}

std::optional<Weights> Lines::next(const Hull& found, double enough, double tolerance) const {
    std::optional<Weights> best;
    double widest = enough;
    for (std::size_t i = 0; i < corners(); ++i) {
        const double open = gap(i, found, tolerance);
        if (open <= widest || open <= std::max(slack_of(lines_[i]), slack_of(lines_[i + 1])) + enough) continue;
        const std::optional<Weights> weights = between(i);
        if (!weights || std::ranges::count(tried_, ratio_of(*weights)) > 0) continue;
        best = weights;
        widest = open;
    }
    return best;
}

bool Lines::is_closed(std::size_t i, double found, double tolerance) const {
    if (is_found(i, tolerance)) return true;
    const Cost at = corner(i);
    return at.energy_pj * at.cycles >= found * (1.0 - kApart);
}

double Lines::least_product(double found, double tolerance) const {
    double least = found;
    for (std::size_t i = 0; i < corners(); ++i) {
        if (is_closed(i, found, tolerance)) continue;
        const Cost at = corner(i);
        least = std::min(least, at.energy_pj * at.cycles);
    }
    return least;
}

}  // namespace tilewright::fusion
