#include "mapper/optimal/geometry/travel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tilewright::optimal {

void Travel::add(int dimension, double shift, double steps, double idle, double share) {
    all_ += (steps - 1.0) * shift;
    if (idle == 0.0) return;
    const auto end = late_.begin() + late_count_;
    const auto known = std::find_if(late_.begin(), end, [&](const Late& late) { return late.dimension == dimension; });
    if (known != end) {
        lost_ = lost_ || known->idle != idle;
    } else if (late_count_ == static_cast<int>(late_.size())) {
        lost_ = true;
    } else {
        late_[late_count_++] = {static_cast<std::int8_t>(dimension), shift, idle, share};
    }
}

std::uint32_t Travel::late() const {
    std::uint32_t dimensions = 0;
    for (int i = 0; i < late_count_; ++i) dimensions |= 1U << late_[i].dimension;
    return dimensions;
}

double Travel::overlap(double moved) const { return std::max(0.0, 1.0 - std::abs(moved) / width_); }

template <class Fn>
void Travel::for_each(int without, const Pairs& pairs, Fn fn) const {
    for (unsigned chosen = 1; chosen < 1U << static_cast<unsigned>(late_count_); ++chosen) {
        double way = all_;
        double share = 1.0;
        for (int i = 0; i < late_count_; ++i) {
            const Late& late = late_[i];
            if ((chosen >> static_cast<unsigned>(i) & 1U) == 0) continue;
            way -= late.missed;
            share = late.dimension == without ? 0.0 : std::min(share, late.share_of(pairs));
        }
        if (share > 0.0) fn(way, share);
    }
}

// A loop does not advance into a step with an idle instance by as much as it falls back itself.
Travel::Kept Travel::kept_by_late(int dimension, double shift, const Pairs& pairs, double most_share) const {
    if (lost_) return {most_share, 1.0, most_share};
    Kept kept{0.0, 0.0, most_share};
    for_each(dimension, pairs, [&](double way, double share) {
        const double part = overlap(shift - way);
        kept.on_average += std::min(share, most_share) * part;
        kept.most = std::max(kept.most, part);
        kept.others = std::min(kept.others, 1.0 - share);
    });
    kept.on_average = std::min(kept.on_average, most_share);
    return kept;
}

// Closest distance of steps of at most two loops to `way`.
double Travel::nearest(std::span<const Rest> rest, double way) const {
    const auto few =
        std::min_element(rest.begin(), rest.end(), [](const Rest& a, const Rest& b) { return a.steps < b.steps; });
    const Rest& other = rest.size() == 1 || few != rest.begin() ? rest.front() : rest.back();
    const double most = rest.size() == 1 ? 0.0 : few->steps - 1.0;
    double least = std::numeric_limits<double>::infinity();
    for (double i = -most; i <= most; ++i) {
        const double left = way - i * few->shift;
        const double at = std::clamp(std::round(left / other.shift), 1.0 - other.steps, other.steps - 1.0);
        for (const double k : {at - 1.0, at, at + 1.0})
            if ((i != 0.0 || k != 0.0) && std::abs(k) < other.steps)
                least = std::min(least, std::abs(left - k * other.shift));
    }
    return least;
}

double Travel::most_kept(std::span<const Rest> rest) const {
    constexpr double kMostSteps = 16.0;
    if (rest.empty()) return 0.0;
    const bool few = rest.size() == 1 || (rest.size() == 2 && std::min(rest[0].steps, rest[1].steps) <= kMostSteps);
    if (lost_ || !few) return 1.0;
    double least = nearest(rest, all_);
    Pairs any;
    any.fill(1.0);
    for_each(-1, any, [&](double way, double) { least = std::min(least, nearest(rest, way)); });
    return overlap(least);
}

}  // namespace tilewright::optimal
