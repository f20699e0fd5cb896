#include "mapper/optimal/wires/hops.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/numbers/factors.hpp"
#include "model/exact/costs.hpp"

namespace tilewright::optimal {
namespace {

double price_of(const LinkRates& rates) { return rates.kind == NetworkKind::legacy ? rates.hop_pj : 0.0; }

}  // namespace

double pj_per_hop(const lean::Setup& setup, int tensor, int level) {
    const lean::LevelForm& form = setup.levels[level];
    double pj = price_of(form.link) * form.link_share[tensor];
    if (setup.tensors[tensor].written && form.has_update_link)
        pj += price_of(form.update_link) * form.update_link_share[tensor];
    return pj;
}

// Words enter in the middle of the first column; a word for several neighbours goes up and down their columns
// (group_hops, model/exact/costs.hpp).
Hops::Hops(const Mapspace& mapspace, const lean::Setup& setup, int level) : hop_pj_(setup.tensors.size(), 0.0) {
    const lean::LevelForm& form = setup.levels[level];
    const Mesh room = mapspace.room(level);
    constexpr std::int64_t kMost = 1 << 20;
    const bool is_known = room.x <= form.fanout.x && room.y <= form.fanout.y && room.size() <= kMost;
    if (form.link_is_free || !form.spreads || !is_known) return;
    for (std::size_t t = 0; t < hop_pj_.size(); ++t) hop_pj_[t] = pj_per_hop(setup, static_cast<int>(t), level);
    one_each_ = together_ = {0.0};
    nearest_ = {std::numeric_limits<double>::infinity()};
    const double centre = static_cast<double>(form.fanout.y - 1) / 2.0;
    for (std::int64_t place = 0; place < room.size(); ++place) {
        const auto x = static_cast<double>(place % form.fanout.x);
        const std::int64_t row = place / form.fanout.x;
        const auto y = static_cast<double>(row);
        const double alone = x + std::abs(y - centre);
        one_each_.push_back(one_each_.back() + alone);
        nearest_.push_back(std::min(nearest_.back(), alone));
        const double before = y > 0.0 ? std::max(0.0, y - 1.0 - centre) : 0.0;
        const double more = y > 0.0 ? std::max(0.0, y - centre) - before : centre + (place > 0 ? 1.0 : 0.0);
        together_.push_back(together_.back() + more);
    }
}

double Hops::mean_apart(std::span<const SpreadDimension> dimensions) const {
    std::vector<std::int64_t> chunks;
    return least_with(dimensions, chunks);
}

// The loops inside take any divisor of a dimension.
double Hops::least_with(std::span<const SpreadDimension> dimensions, std::vector<std::int64_t>& chunks) const {
    if (chunks.size() == dimensions.size()) return mean_with(dimensions, chunks);
    double least = std::numeric_limits<double>::infinity();
    const SpreadDimension& dimension = dimensions[chunks.size()];
    for (const std::int64_t count : divisors(dimension.extent)) {
        if (count < dimension.factor) continue;
        chunks.push_back(count);
        least = std::min(least, least_with(dimensions, chunks));
        chunks.pop_back();
    }
    return least;
}

// All combinations of full steps and the last one. Each chunk belongs to one neighbour in one step.
double Hops::mean_with(std::span<const SpreadDimension> dimensions, std::span<const std::int64_t> chunks) const {
    double hops = 0.0;
    for (std::size_t last = 0; last < std::size_t{1} << dimensions.size(); ++last) {
        double steps = 1.0;
        std::int64_t neighbours = 1;
        for (std::size_t i = 0; i < dimensions.size(); ++i) {
            const bool is_last = (last >> i & 1U) != 0;
            const std::int64_t rest = chunks[i] % dimensions[i].factor;
            if (is_last && rest == 0) steps = 0.0;
            const std::int64_t full = chunks[i] / dimensions[i].factor;
            if (!is_last) steps *= static_cast<double>(full);
            neighbours *= is_last ? rest : dimensions[i].factor;
        }
        if (steps > 0.0) hops += steps * one_each_[neighbours];
    }
    for (const std::int64_t count : chunks) hops /= static_cast<double>(count);
    return hops;
}

namespace {

double sum_below(double count) { return count * (count - 1.0) / 2.0; }  // 0 + 1 + ... + count - 1

double middle(const Mesh& grid) { return static_cast<double>(grid.y - 1) / 2.0; }

// Rows 0 to `rows` - 1, one word each: up to the middle, and beyond it.
double along_column(double rows, double centre) {
    const double above = std::min(rows, std::floor(centre) + 1.0);
    const double below = rows - above;
    return above * centre - sum_below(above) + sum_below(rows) - sum_below(above) - below * centre;
}

/// The loops of a step: those with groups as indices, and the others.
struct Dealt {
    struct Moving {
        std::int64_t stride = 1;  ///< in places
        std::int64_t first = 0;
        std::int64_t end = 1;
    };
    explicit Dealt(std::span<const StepLoop> loops) {
        std::int64_t stride = 1;
        for (const StepLoop& loop : loops) {
            if (loop.tells_apart) {
                moving.push_back({stride, loop.first, loop.end});
            } else {
                nearest += stride * loop.first;
                furthest += stride * (loop.end - 1);
            }
            stride *= loop.trips;
        }
    }

    /// visit(place of a group's first neighbour relative to the first group's).
    template <class Visit>
    void visit_groups(std::size_t loops_left, std::int64_t place, const Visit& visit) const {
        if (loops_left == 0) return visit(place);
        const Moving& loop = moving[loops_left - 1];
        for (std::int64_t i = loop.first; i < loop.end; ++i)
            visit_groups(loops_left - 1, place + i * loop.stride, visit);
    }

    std::vector<Moving> moving;
    std::int64_t nearest = 0;   ///< offset of a group's first neighbour
    std::int64_t furthest = 0;  ///< of its last
};

// Every group goes as far as its last neighbour.
double along_row(const Dealt& dealt) {
    double groups = 1.0;
    for (const Dealt::Moving& loop : dealt.moving) groups *= static_cast<double>(loop.end - loop.first);
    double places = groups * static_cast<double>(dealt.furthest);
    for (const Dealt::Moving& loop : dealt.moving) {
        const double mean = static_cast<double>(loop.first + loop.end - 1) / 2.0;
        places += groups * mean * static_cast<double>(loop.stride);
    }
    return places;
}

double along_one_column(const Mesh& grid, const Dealt& dealt) {
    const double centre = middle(grid);
    double hops = 0.0;
    dealt.visit_groups(dealt.moving.size(), 0, [&](std::int64_t place) {
        hops += std::max(0.0, centre - static_cast<double>(dealt.nearest + place)) +
                std::max(0.0, static_cast<double>(dealt.furthest + place) - centre);
    });
    return hops;
}

std::vector<std::int64_t> places_of_group(std::span<const StepLoop> loops) {
    std::vector<std::int64_t> places{0};
    std::int64_t stride = 1;
    for (const StepLoop& loop : loops) {
        const std::size_t inside = places.size();
        for (std::int64_t i = loop.first; i < loop.end && !loop.tells_apart; ++i)
            for (std::size_t place = 0; place < inside; ++place) places.push_back(places[place] + i * stride);
        if (!loop.tells_apart) places.erase(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(inside));
        stride *= loop.trips;
    }
    return places;
}

double group_by_group(const Mesh& grid, std::span<const StepLoop> loops, const Dealt& dealt) {
    const std::vector<std::int64_t> group = places_of_group(loops);
    std::vector<std::int64_t> places(group.size());
    std::vector<ColumnSpan> columns(static_cast<std::size_t>(grid.x));
    double hops = 0.0;
    dealt.visit_groups(dealt.moving.size(), 0, [&](std::int64_t place) {
        for (std::size_t i = 0; i < group.size(); ++i) places[i] = group[i] + place;
        hops += group_hops(places, grid, columns);
    });
    return hops;
}

double last_row(const Mesh& grid, std::int64_t count) {
    const std::int64_t row = (count - 1) / grid.x;
    return static_cast<double>(row);
}

}  // namespace

double hops_one_each(const Mesh& grid, std::int64_t count) {
    const std::int64_t full_rows = count / grid.x;
    const auto rows = static_cast<double>(full_rows);
    const auto rest = static_cast<double>(count % grid.x);
    const auto width = static_cast<double>(grid.x);
    const double centre = middle(grid);
    return rows * sum_below(width) + sum_below(rest) + width * along_column(rows, centre) +
           rest * std::abs(rows - centre);
}

double hops_together(const Mesh& grid, std::int64_t count) {
    const double centre = middle(grid);
    const auto width = static_cast<double>(std::min(count, grid.x));
    const double last = last_row(grid, count);
    const auto longer = static_cast<double>((count - 1) % grid.x + 1);  // columns extending to the last row
    const double shorter = width - longer;
    return width - 1.0 + width * centre + longer * std::max(0.0, last - centre) +
           shorter * std::max(0.0, last - 1.0 - centre);
}

double hops_to_nearest(const Mesh& grid, std::int64_t count) {
    const double centre = middle(grid);
    const double last = last_row(grid, count);
    return last >= centre ? centre - std::floor(centre) : centre - last;
}

double step_hops(const Mesh& grid, std::span<const StepLoop> loops) {
    const bool all_sent =
        std::ranges::all_of(loops, [](const StepLoop& loop) { return loop.first == 0 && loop.end == loop.trips; });
    if (all_sent || loops.size() == 1) {
        std::int64_t first = 0;
        std::int64_t end = 1;
        for (const StepLoop& loop : loops) {
            first = loop.first;
            end *= loop.end;
        }
        if (std::ranges::all_of(loops, &StepLoop::tells_apart))
            return hops_one_each(grid, end) - hops_one_each(grid, first);
        if (first == 0 && std::ranges::none_of(loops, &StepLoop::tells_apart)) return hops_together(grid, end);
    }
    const Dealt dealt(loops);
    if (grid.y == 1) return along_row(dealt);
    return grid.x == 1 ? along_one_column(grid, dealt) : group_by_group(grid, loops, dealt);
}

}  // namespace tilewright::optimal
