// Walks a mapspace point by point: factors dimension by dimension, then kept tensors, then orders.
// Copies factors from another point.

#include <algorithm>

#include "mapspace/mapspace.hpp"

namespace tilewright {

using Visit = std::function<bool(const TilingPoint&)>;

TilingPoint Mapspace::first_point() const {
    TilingPoint point(level_count_, dimension_count_);
    for (int l = 0; l < level_count_; ++l) {
        point[l].keep = keep_[l];
        write_order(temporal_[l], point[l].order);
    }
    return point;
}

bool Mapspace::enumerate(const Visit& visit) const {
    if (!problem_.empty()) return true;
    TilingPoint point = first_point();
    if (has_remainders()) return enumerate_chains(point, 0, visit);
    return enumerate_factors(point, 0, 0, dimensions_[0].whole(), visit);
}

bool Mapspace::enumerate_spatial(const Visit& visit, const std::function<bool()>& stop) const {
    if (!problem_.empty()) return true;
    TilingPoint point = first_point();
    if (has_remainders()) {
        std::vector<std::vector<Chain>> chains;
        for (int d = 0; d < dimension_count_; ++d) {
            std::optional<std::vector<Chain>> some = spatial_chains(d, stop);
            if (!some) return false;
            chains.push_back(std::move(*some));
        }
        return enumerate_spatial_chains(point, 0, chains, visit);
    }
    return enumerate_spatial(point, 0, 0, dimensions_[0].whole(), visit);
}

bool Mapspace::enumerate_spatial(TilingPoint& point, int d, int slot, int rest, const Visit& visit) const {
    if (!slots_[slot].spatial) {
        if (d + 1 < dimension_count_) return enumerate_spatial(point, d + 1, 0, dimensions_[d + 1].whole(), visit);
        if (!parallel_enough(point)) return true;
        for (int l = 0; l < level_count_; ++l) order_spatial(point, l);
        return visit(point);
    }
    const SpatialVisit next = [&](int left) { return enumerate_spatial(point, d, slot + 1, left, visit); };
    return enumerate_spatial_factor(point, d, slot, rest, next);
}

// One dimension's factor in one spatial slot, within the room of the mesh.
bool Mapspace::enumerate_spatial_factor(TilingPoint& point, int d, int slot, int rest, const SpatialVisit& next) const {
    const Factorizations& dimension = dimensions_[d];
    const int l = slots_[slot].level;
    bool go_on = true;
    for (const int factor : dimension.allowed(slot)) {
        const int left = dimension.without(rest, factor);
        if (left < 0 || dimension.ways(slot + 1, left) == 0.0) continue;
        const std::int64_t value = dimension.value(factor);
        if (value > spatial_[l].room.size()) break;
        point[l].spatial[d] = static_cast<std::int32_t>(value);
        if (!choose_axes(point, l, Cover::as_it_is)) continue;
        go_on = next(left);
        if (!go_on) break;
    }
    point[l].spatial[d] = 1;
    choose_axes(point, l, Cover::as_it_is);
    return go_on;
}

std::vector<std::vector<std::int32_t>> Mapspace::spatial_factors(int dimension) const {
    std::vector<std::vector<std::int32_t>> all;
    std::vector<std::int32_t> factors;
    if (problem_.empty()) add_spatial_factors(dimension, 0, dimensions_[dimension].whole(), factors, all);
    return all;
}

void Mapspace::add_spatial_factors(int d, int slot, int rest, std::vector<std::int32_t>& factors,
                                   std::vector<std::vector<std::int32_t>>& all) const {
    if (!slots_[slot].spatial) {
        all.push_back(factors);
        return;
    }
    const Factorizations& dimension = dimensions_[d];
    for (const int factor : dimension.allowed(slot)) {
        const int left = dimension.without(rest, factor);
        if (left < 0 || dimension.ways(slot + 1, left) == 0.0) continue;
        const std::int64_t value = dimension.value(factor);
        if (value > spatial_[slots_[slot].level].room.size()) break;
        factors.push_back(static_cast<std::int32_t>(value));
        add_spatial_factors(d, slot + 1, left, factors, all);
        factors.pop_back();
    }
}

bool Mapspace::enumerate_factors(TilingPoint& point, int d, int slot, int rest, const Visit& visit) const {
    const Factorizations& dimension = dimensions_[d];
    if (slot == static_cast<int>(slots_.size())) {
        if (d + 1 < dimension_count_) return enumerate_factors(point, d + 1, 0, dimensions_[d + 1].whole(), visit);
        if (!parallel_enough(point)) return true;
        return visit_layouts(point, Cover::as_it_is, [&] { return enumerate_keeps(point, 0, visit); });
    }
    if (slots_[slot].spatial) {
        const SpatialVisit next = [&](int left) { return enumerate_factors(point, d, slot + 1, left, visit); };
        return enumerate_spatial_factor(point, d, slot, rest, next);
    }
    std::int32_t& loop = point[slots_[slot].level].temporal[d];
    for (const int factor : dimension.allowed(slot)) {
        const int left = dimension.without(rest, factor);
        if (left < 0 || dimension.ways(slot + 1, left) == 0.0) continue;
        loop = static_cast<std::int32_t>(dimension.value(factor));
        const bool go_on = enumerate_factors(point, d, slot + 1, left, visit);
        loop = 1;
        if (!go_on) return false;
    }
    return true;
}

bool Mapspace::enumerate_keeps(TilingPoint& point, int level, const Visit& visit) const {
    if (level == level_count_) {
        std::uint32_t kept = 0;
        for (int l = 0; l < level_count_; ++l) kept |= point[l].keep.bits();
        return kept != all_tensors_.bits() || enumerate_orders(point, 0, visit);
    }
    const std::uint32_t free = free_[level].bits();
    std::uint32_t chosen = 0;
    do {  // all subsets of the free tensors
        point[level].keep = TensorSet::from_bits(keep_[level].bits() | chosen);
        if (!enumerate_keeps(point, level + 1, visit)) return false;
        chosen = (chosen - free) & free;
    } while (chosen != 0);
    return true;
}

bool Mapspace::enumerate_orders(TilingPoint& point, int level, const Visit& visit) const {
    if (level == level_count_) return visit(point);
    TilingLevel& l = point[level];
    write_order(temporal_[level], l.order);
    const auto first = l.order.begin() + first_movable(level);
    const auto last = first + static_cast<std::ptrdiff_t>(temporal_[level].middle.size());
    const auto loops_end = std::stable_partition(first, last, [&l](int d) { return l.temporal[d] > 1; });
    std::sort(first, loops_end);
    do {
        if (!enumerate_orders(point, level + 1, visit)) return false;
    } while (std::next_permutation(first, loops_end));
    return true;
}

bool Mapspace::copy_factors(TilingPoint& point, const TilingPoint& from, int dimension) const {
    if (has_remainders()) return put_chain(point, dimension, chain_of(from, dimension));
    const TilingPoint before = point;
    bool fits = true;
    for (int l = 0; l < level_count_ && fits; ++l) {
        point[l].temporal[dimension] = from[l].temporal[dimension];
        point[l].spatial[dimension] = from[l].spatial[dimension];
        fits = lay_out(point, l);
    }
    if (!fits) point = before;
    return fits;
}

}  // namespace tilewright
