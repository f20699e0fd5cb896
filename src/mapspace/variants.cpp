#include "mapspace/variants.hpp"

#include <algorithm>

namespace tilewright {

KeepWalk::KeepWalk(const Mapspace& mapspace, TilingPoint& point) : space_(mapspace), point_(point) {
    for (int l = 0; l < space_.level_count(); ++l) point_[l].keep = space_.kept_tensors(l);
    any_ = keeps_all() || next();
}

bool KeepWalk::next() {
    while (step())
        if (keeps_all()) return true;
    if (!keeps_all() && any_)  // back at the beginning, not necessarily one of the ways
        while (step() && !keeps_all()) continue;
    return false;
}

// A counter with one digit per memory, each running through the subsets of its free tensors.
bool KeepWalk::step() {
    for (int l = space_.level_count() - 1; l >= 0; --l) {
        const std::uint32_t free = space_.free_tensors(l).bits();
        const std::uint32_t chosen = ((point_[l].keep.bits() & free) - free) & free;
        point_[l].keep = TensorSet::from_bits(space_.kept_tensors(l).bits() | chosen);
        if (chosen != 0) return true;
    }
    return false;
}

bool KeepWalk::keeps_all() const {
    std::uint32_t kept = 0;
    for (int l = 0; l < space_.level_count(); ++l) kept |= point_[l].keep.bits();
    return kept == space_.all_tensors().bits();
}

double KeepWalk::count(const Mapspace& mapspace) {
    double count = 1.0;
    for (std::uint32_t left = mapspace.all_tensors().bits(); left != 0; left &= left - 1) {
        const std::uint32_t bit = left & -left;
        double ways = 1.0;
        bool kept = false;
        for (int l = 0; l < mapspace.level_count(); ++l) {
            kept = kept || (mapspace.kept_tensors(l).bits() & bit) != 0;
            if ((mapspace.free_tensors(l).bits() & bit) != 0) ways *= 2.0;
        }
        count *= kept ? ways : ways - 1.0;
    }
    return count;
}

OrderWalk::OrderWalk(const Mapspace& mapspace, TilingPoint& point) : point_(point) {
    for (int l = 0; l < mapspace.level_count(); ++l) {
        TilingLevel& level = point[l];
        const int begin = mapspace.first_movable(l);
        const auto first = level.order.begin() + begin;
        const auto last = first + static_cast<std::ptrdiff_t>(mapspace.movable(l).size());
        const auto end = std::stable_partition(first, last, [&level](int d) { return level.temporal[d] > 1; });
        loops_[l] = {begin, begin + static_cast<int>(end - first)};
    }
}

bool OrderWalk::next() {
    for (int l = point_.level_count() - 1; l >= 0; --l) {
        const auto order = point_[l].order.begin();
        if (std::next_permutation(order + loops_[l].first, order + loops_[l].last)) return true;
    }
    return false;
}

double OrderWalk::count(const Mapspace& mapspace, const TilingPoint& point) {
    double count = 1.0;
    for (int l = 0; l < mapspace.level_count(); ++l) {
        int loops = 0;
        for (const std::uint8_t d : mapspace.movable(l))
            if (point[l].temporal[d] > 1) count *= ++loops;
    }
    return count;
}

}  // namespace tilewright
