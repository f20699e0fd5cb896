#include "certificate/imperfect/wires.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "base/numbers/checked.hpp"
#include "model/exact/costs.hpp"

namespace tilewright::certificate {
namespace {

double ceil_ratio(double a, double b) {
    return static_cast<double>(ceil_div(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b)));
}

}  // namespace

ImperfectWires::ImperfectWires(const Ground& ground, const Mapspace& mapspace, const TilingPoint& assignment)
    : ground_(ground), assignment_(assignment) {
    if (!ground.wires_cost) return;
    for (int l = 0; l < assignment.level_count(); ++l) {
        const WireCosts& costs = ground.wires[l];
        Mesh mapped;
        for (int d = 0; d < assignment.dimension_count(); ++d) {
            blocks_[l] |= (assignment[l].spatial[d] > 1 ? 1U : 0U) << d;
            mapped.x *= assignment[l].along_x[d];
            mapped.y *= assignment[l].along_y[d];
        }
        lattices_[l] = {std::max(costs.lattice.x, mapped.x), std::max(costs.lattice.y, mapped.y)};
        sorted_[l] = mapspace.keeps_remainders_outside(l);
        list_layouts(mapspace, l);
        set_range(l);
        for (std::size_t t = 0; t < ground.tensors.size(); ++t) hop_pj_[t][l] = costs.hop_pj[t];
    }
}

void ImperfectWires::list_layouts(const Mapspace& mapspace, int level) {
    constexpr double kMost = 100.0;
    TilingPoint point = assignment_;
    if (mapspace.orders_at_most(point, level) > kMost) return;
    mapspace.visit_layouts(point, level, Mapspace::Cover::as_it_may_be, [&] {
        Layout layout{{}, point[level].along_x, point[level].along_y};
        visit_spatial_loops(point[level], point.dimension_count(),
                            [&](const SpatialLoop& loop, std::int32_t) { layout.loops.push_back(loop); });
        layouts_[level].push_back(std::move(layout));
        return true;
    });
}

void ImperfectWires::set_range(int level) {
    if (ground_.wires[level].is_free()) return;
    std::int64_t neighbours = 1;
    for (int d = 0; d < assignment_.dimension_count(); ++d) neighbours *= assignment_[level].spatial[d];
    std::vector<std::int64_t> places(static_cast<std::size_t>(neighbours));
    std::iota(places.begin(), places.end(), 0);
    std::vector<ColumnSpan> columns(static_cast<std::size_t>(lattices_[level].x));
    most_[level] = least_[level] = group_hops(places, lattices_[level], columns);
    for (const std::int64_t& place : places)
        least_[level] = std::min(least_[level], group_hops({&place, 1}, lattices_[level], columns));
}

// Dimensions whose loop leaves a remainder.
std::uint32_t ImperfectWires::imperfect(int level, const Box& tiles) const {
    std::uint32_t imperfect = 0;
    for (std::uint32_t left = blocks_[level]; left != 0; left &= left - 1) {
        const int d = std::countr_zero(left);
        const double chunks = ceil_ratio(ground_.extents[d], tiles[d]);
        if (std::fmod(chunks, assignment_[level].spatial[d]) != 0.0) imperfect |= 1U << d;
    }
    return imperfect;
}

// Every relevant dimension of the fan-out has its own rank, or all its tiles are alike.
bool ImperfectWires::is_regular(int t, int level, const Box& tiles) const {
    const Addresses& tensor = ground_.tensors[t];
    if (!tensor.steady) return false;
    for (std::uint32_t left = blocks_[level] & tensor.moving; left != 0; left &= left - 1) {
        const int d = std::countr_zero(left);
        const std::uint32_t beside = tensor.beside(d);
        if (std::popcount(beside & blocks_[level]) > 1) return false;
        if (beside != 1U << d && std::fmod(ground_.extents[d], tiles[d] * assignment_[level].spatial[d]) != 0.0)
            return false;
    }
    return true;
}

// Of the words of a relevant dimension, or the steps of another: all chunks of the loop but the last are full.
ImperfectWires::Parts ImperfectWires::parts_of(int t, int level, int dimension, double tile) const {
    const Addresses& tensor = ground_.tensors[t];
    const std::int32_t extent = assignment_[level].spatial[dimension];
    const double chunks = ceil_ratio(ground_.extents[dimension], tile);
    const double rounds = ceil_ratio(chunks, extent);
    const auto trips = static_cast<std::int32_t>(chunks - (rounds - 1.0) * extent);
    if (!tensor.moves(dimension)) {
        if (trips == extent) return {{1.0, extent, 0, extent}};
        return {{rounds - 1.0, extent, 0, extent}, {1.0, trips, 0, trips}};
    }
    const auto width = [&](double iterations) {
        double words = 1.0;
        for (std::size_t r = 0; r < tensor.ranks.size(); ++r)
            words += std::abs(tensor.ranks[r][dimension]) * (iterations - 1.0);
        return words;
    };
    Parts parts;
    const double rest = ground_.extents[dimension] - (chunks - 1.0) * tile;
    if (rounds > 1.0) parts.push_back({(rounds - 1.0) * width(tile), extent, 0, extent});
    if (trips > 1) parts.push_back({width(tile), trips, 0, trips - 1});
    parts.push_back({width(rest), trips, trips - 1, trips});
    double all = 0.0;
    for (const Part& part : parts) all += part.weight * (part.end - part.first);
    for (Part& part : parts) part.weight /= all;
    return parts;
}

namespace {

/// A neighbour in some step, by the indices of its dimensions.
using Indices = std::array<std::int32_t, kMaxDimensions>;

}  // namespace

// The neighbours of the step in order: loops from the outside in. The last index of an outer loop leaves the rest to an
// inner one of the same dimension.
double ImperfectWires::sum_hops(int t, int level, const Layout& layout, std::uint32_t imperfect,
                                const PartOf& part) const {
    std::vector<SpatialLoop> loops = layout.loops;
    if (sorted_[level])
        std::stable_sort(loops.begin(), loops.end(), [&](const SpatialLoop& a, const SpatialLoop& b) {
            const auto place = [&](const SpatialLoop& loop) {
                return std::pair(loop.along_y, (imperfect >> loop.dimension & 1U) != 0);
            };
            return place(a) < place(b);
        });
    std::vector<Indices> neighbours{{}};
    std::uint32_t begun = 0;
    for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
        const int d = loop->dimension;
        const std::int32_t trips = part[d].trips;
        const bool both = layout.along_x[d] > 1 && layout.along_y[d] > 1;
        const bool outer = both && (begun >> d & 1U) == 0;
        const std::int32_t other = both ? layout.extent({loop->dimension, !loop->along_y}) : 1;
        std::vector<Indices> next;
        for (const Indices& before : neighbours) {
            const std::int32_t first = both && !outer ? before[d] * layout.extent(*loop) : 0;
            const std::int32_t last = outer  ? static_cast<std::int32_t>(ceil_div(trips, other))
                                      : both ? std::min(first + layout.extent(*loop), trips)
                                             : trips;
            for (std::int32_t i = first; i < last; ++i) {
                next.push_back(before);
                next.back()[d] = i;
            }
        }
        begun |= 1U << d;
        neighbours = std::move(next);
    }
    std::map<std::int64_t, std::vector<std::int64_t>> groups;  // places by group
    for (std::size_t place = 0; place < neighbours.size(); ++place) {
        bool takes_part = true;
        std::int64_t group = 0;
        for (std::uint32_t left = blocks_[level]; left != 0; left &= left - 1) {
            const int d = std::countr_zero(left);
            const std::int32_t i = neighbours[place][d];
            takes_part = takes_part && part[d].first <= i && i < part[d].end;
            if (ground_.tensors[t].moves(d)) group = group * assignment_[level].spatial[d] + i;
        }
        if (takes_part) groups[group].push_back(static_cast<std::int64_t>(place));
    }
    std::vector<ColumnSpan> columns(static_cast<std::size_t>(lattices_[level].x));
    double hops = 0.0;
    for (const auto& [group, places] : groups) hops += group_hops(places, lattices_[level], columns);
    return hops;
}

// Minimum over layouts; if there are too many, every group is the nearest one.
double ImperfectWires::sum_hops(int t, int level, std::uint32_t imperfect, const PartOf& part) const {
    if (layouts_[level].empty()) {
        double groups = 1.0;
        for (std::uint32_t left = blocks_[level]; left != 0; left &= left - 1)
            if (const int d = std::countr_zero(left); ground_.tensors[t].moves(d))
                groups *= part[d].end - part[d].first;
        return groups * least_[level];
    }
    double least = std::numeric_limits<double>::infinity();
    for (const Layout& layout : layouts_[level]) least = std::min(least, sum_hops(t, level, layout, imperfect, part));
    return least;
}

double ImperfectWires::hops_of(int t, int level, std::uint32_t imperfect,
                               const std::array<Parts, kMaxDimensions>& parts) const {
    std::array<Part, kMaxDimensions> chosen;
    const auto all = [&](const auto& self, std::uint32_t left, double weight) -> double {
        if (left == 0) return weight * sum_hops(t, level, imperfect, chosen);
        const int d = std::countr_zero(left);
        double hops = 0.0;
        for (const Part& part : parts[d]) {
            chosen[d] = part;
            hops += self(self, left & (left - 1), weight * part.weight);
        }
        return hops;
    };
    return all(all, blocks_[level], 1.0);
}

// The number of shorter steps of irrelevant loops with sent words depends on outer loops. Minimum over all choices; the
// compute units' words are sent in every step.
double ImperfectWires::hops(int t, int level, const Box& tiles) const {
    if (!is_regular(t, level, tiles)) return least_[level];
    const bool every_step = level + 1 == assignment_.level_count();
    std::array<Parts, kMaxDimensions> parts;
    std::vector<std::pair<int, Parts>> open;
    for (std::uint32_t left = blocks_[level]; left != 0; left &= left - 1) {
        const int d = std::countr_zero(left);
        Parts& mine = parts[d];
        mine = parts_of(t, level, d, tiles[d]);
        if (ground_.tensors[t].moves(d) || mine.size() == 1) continue;
        if (every_step) {
            const double rounds = mine[0].weight + mine[1].weight;
            for (Part& part : mine) part.weight /= rounds;
        } else {
            for (Part& part : mine) part.weight = 1.0;
            open.emplace_back(d, mine);
        }
    }
    double least = most_[level];
    for (std::uint32_t choice = 0; choice < 1U << open.size(); ++choice) {
        for (std::size_t i = 0; i < open.size(); ++i) parts[open[i].first] = {open[i].second[choice >> i & 1U]};
        least = std::min(least, hops_of(t, level, imperfect(level, tiles), parts));
    }
    return least;
}

HopsByTensor ImperfectWires::hops(int level, const Box& tiles) const {
    HopsByTensor hops{};
    for (int t = 0; t < static_cast<int>(ground_.tensors.size()); ++t)
        if (cost(t, level)) hops[t] = this->hops(t, level, tiles);
    return hops;
}

}  // namespace tilewright::certificate
