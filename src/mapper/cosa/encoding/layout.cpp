#include "mapper/cosa/encoding/layout.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "arch/widths.hpp"
#include "base/numbers/factors.hpp"

namespace tilewright::cosa {
namespace {

// A memory keeps optional tensors while there is a word for each.
TensorSet kept_at(const Memory& memory, const Einsum& einsum, TensorSet must, TensorSet free) {
    const Capacity capacity = capacity_of(memory, einsum);
    TensorSet keep = must;
    std::int64_t left = capacity.usable.value_or(std::numeric_limits<std::int64_t>::max());
    for (int t = 0; t < einsum.tensor_count(); ++t)
        if (must.has(t)) left -= capacity.per_word[t];
    for (int t = 0; t < einsum.tensor_count(); ++t) {
        if (!free.has(t) || left < capacity.per_word[t]) continue;
        keep.add(t);
        left -= capacity.per_word[t];
    }
    return keep;
}

}  // namespace

Layout::Layout(const Einsum& einsum, const Architecture& architecture, const Mapspace& mapspace,
               std::vector<std::int64_t> extents, Units units)
    : einsum_(einsum), architecture_(architecture), mapspace_(mapspace), extents_(std::move(extents)) {
    for (int d = 0; d < einsum.dimension_count(); ++d) {
        relevant_.push_back(0);
        for (int t = 0; t < einsum.tensor_count(); ++t)
            if (is_relevant(einsum.tensors[t], d)) relevant_.back() |= 1U << t;
    }
    set_groups(units);
    set_keeps();
    set_places();
    set_allowed();
    set_windows();
}

void Layout::set_groups(Units units) {
    for (int d = 0; d < einsum_.dimension_count(); ++d) {
        const std::vector<PrimePower> powers = prime_factors(extents_[d]);
        for (const PrimePower& power : powers)
            groups_.push_back({d, power.prime, power.power, std::log2(static_cast<double>(power.prime))});
        if (powers.empty() && units == Units::included) groups_.push_back({d, 1, 1, 0.0});
    }
}

void Layout::set_keeps() {
    const int count = architecture_.memory_count();
    for (int m = 0; m < count; ++m)
        keep_.push_back(
            kept_at(architecture_.memories[m], einsum_, mapspace_.kept_tensors(m), mapspace_.free_tensors(m)));
    for (int m = count - 1; m >= 0; --m)
        if (!keep_[m].empty()) storages_.push_back(m);
    for (int m = 0; m < count; ++m) {
        const auto outside = std::find_if(storages_.begin(), storages_.end(), [m](int s) { return s <= m; });
        level_of_.push_back(static_cast<int>(outside - storages_.begin()));
    }
    hub_ = storages_.size() > 1 ? storages_[storages_.size() - 2] : storages_.back();
    for (const int m : storages_)
        if (architecture_.memories[m].usable_words()) hub_ = m;  // innermost first: the last one is the outermost
}

void Layout::set_places() {
    for (int m = architecture_.memory_count() - 1; m >= 0; --m) {
        const Mesh fanout = architecture_.fanout(m);
        if (fanout.x > 1) places_.push_back({m, LoopKind::spatial_x});
        if (fanout.y > 1) places_.push_back({m, LoopKind::spatial_y});
        places_.push_back({m, LoopKind::temporal});
    }
}

// A temporal loop at a memory keeping nothing belongs to the next outer memory, unless there is none, it may not have
// it, or constraints ask for it here.
bool Layout::has_room(const FactorGroup& group, const LoopSlot& place) const {
    if (place.is_spatial()) {
        const Mesh fanout = architecture_.fanout(place.memory);
        const bool on_y = place.kind == LoopKind::spatial_y;
        return mapspace_.may_run(place.memory, group.dimension, on_y) && group.prime <= (on_y ? fanout.y : fanout.x);
    }
    const std::size_t outside = static_cast<std::size_t>(level_of_[place.memory]);
    if (!keep_[place.memory].empty() || outside == storages_.size()) return true;
    const FactorBounds there = mapspace_.factor_bounds({storages_[outside], false}, group.dimension);
    const FactorBounds here = mapspace_.factor_bounds({place.memory, false}, group.dimension);
    return there.at_most < extents_[group.dimension] || here.at_least > 1;
}

void Layout::set_allowed() {
    for (const FactorGroup& group : groups_) {
        allowed_.emplace_back();
        for (const LoopSlot& place : places_) {
            const FactorBounds bounds = mapspace_.factor_bounds({place.memory, place.is_spatial()}, group.dimension);
            allowed_.back().push_back(has_room(group, place) && bounds.at_most >= group.prime);
        }
    }
}

// In a rank of two terms the results' dimension is the position, the other one the kernel.
void Layout::set_windows() {
    std::uint32_t written = 0;
    for (int t = 0; t < einsum_.tensor_count(); ++t)
        if (einsum_.tensors[t].written) written |= 1U << t;
    for (int t = 0; t < einsum_.tensor_count(); ++t) {
        if (einsum_.tensors[t].written) continue;
        for (const Rank& rank : einsum_.tensors[t].ranks) {
            if (rank.terms.size() != 2) continue;
            const bool first = (relevant_[rank.terms[0].dimension] & written) != 0;
            const Term& position = rank.terms[first ? 0 : 1];
            const Term& kernel = rank.terms[first ? 1 : 0];
            windows_.push_back({t, position.dimension, kernel.dimension, std::abs(position.coefficient),
                                std::abs(kernel.coefficient)});
        }
    }
}

}  // namespace tilewright::cosa
