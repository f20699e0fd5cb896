#include "mapspace/tilings.hpp"

#include <algorithm>

namespace tilewright {

// Dimensions with few ways come first: they are redone least often.
TilingWalk::TilingWalk(const Mapspace& mapspace) : space_(mapspace), point_(mapspace.point()) {
    for (int l = 0; l < space_.level_count_; ++l) {
        point_[l].keep = space_.keep_[l];
        space_.write_order(space_.temporal_[l], point_[l].order);
    }
    std::vector<std::pair<double, int>> dimensions;
    for (int d = 0; d < space_.dimension_count_; ++d) dimensions.emplace_back(space_.tilings_of(d), d);
    std::sort(dimensions.begin(), dimensions.end());
    for (const auto& [ways, d] : dimensions)
        for (int place = 0; place < static_cast<int>(space_.slots_.size()); ++place) {
            const int slot = space_.has_remainders() ? space_.chain_slots_[place] : place;
            frames_.push_back({d, place, space_.slots_[slot]});
        }
    done_ = !space_.problem().empty();
}

bool TilingWalk::next(const std::function<bool()>& stop) {
    constexpr std::int64_t kPollEvery = 4096;
    if (!layouts_.empty()) {
        point_ = layouts_.back();
        layouts_.pop_back();
        return true;
    }
    if (done_) return false;
    std::size_t depth = frames_.size() - 1;
    if (!started_) enter(depth = 0);
    started_ = true;
    while (true) {
        if (stop && ++steps_ % kPollEvery == 0 && stop()) return false;
        if (!advance(frames_[depth])) {
            if (depth == 0) break;
            --depth;
        } else if (depth + 1 < frames_.size()) {
            enter(++depth);
        } else if (space_.parallel_enough(point_) && lay_out()) {
            return true;
        }
    }
    done_ = true;
    return false;
}

// The first layout now, the others later.
bool TilingWalk::lay_out() {
    bool many = false;
    for (int l = 0; l < space_.level_count_; ++l) {
        space_.order_spatial(point_, l);
        many = many || space_.has_layouts(l);
    }
    if (!many) return true;
    TilingPoint point = point_;
    space_.visit_layouts(point, Mapspace::Cover::as_it_is, [&] {
        layouts_.push_back(point);
        return true;
    });
    if (layouts_.empty()) return false;
    std::reverse(layouts_.begin(), layouts_.end());
    point_ = layouts_.back();
    layouts_.pop_back();
    return true;
}

void TilingWalk::enter(std::size_t frame) {
    Frame& f = frames_[frame];
    f.cursor = 0;
    f.value = 1;
    if (f.place > 0)
        f.before = frames_[frame - 1].after;
    else
        f.before =
            space_.has_remainders() ? space_.chains_[f.dimension].extent() : space_.dimensions_[f.dimension].whole();
}

std::int32_t& TilingWalk::factor_of(const Frame& frame) {
    TilingLevel& level = point_[frame.slot.level];
    return frame.slot.spatial ? level.spatial[frame.dimension] : level.temporal[frame.dimension];
}

// Values ascend: if one exceeds the whole mesh, so do all later ones.
bool TilingWalk::advance(Frame& frame) {
    const int level = frame.slot.level;
    factor_of(frame) = 1;
    while (next_value(frame)) {
        if (frame.slot.spatial && frame.value > space_.spatial_[level].room.size()) break;
        factor_of(frame) = static_cast<std::int32_t>(frame.value);
        if (!frame.slot.spatial || space_.choose_axes(point_, level, Mapspace::Cover::as_it_is)) return true;
        factor_of(frame) = 1;
    }
    if (frame.slot.spatial) space_.choose_axes(point_, level, Mapspace::Cover::as_it_is);
    return false;
}

bool TilingWalk::next_value(Frame& frame) const {
    return space_.has_remainders() ? next_extent(frame) : next_divisor(frame);
}

// Spatial factors ascend; temporal ones descend, since they are dealt from the outermost memory inwards.
bool TilingWalk::next_divisor(Frame& frame) const {
    const Factorizations& dimension = space_.dimensions_[frame.dimension];
    const std::vector<std::int16_t>& allowed = dimension.allowed(frame.place);
    const auto count = static_cast<std::int64_t>(allowed.size());
    while (frame.cursor < count) {
        const int factor = allowed[frame.slot.spatial ? frame.cursor : count - 1 - frame.cursor];
        ++frame.cursor;
        const int left = dimension.without(static_cast<int>(frame.before), factor);
        if (left < 0 || dimension.ways(frame.place + 1, left) == 0.0) continue;
        frame.value = dimension.value(factor);
        frame.after = left;
        return true;
    }
    return false;
}

bool TilingWalk::next_extent(Frame& frame) const {
    const ChainSpace& chains = space_.chains_[frame.dimension];
    ChainSlot slot = chains.slot(frame.place);
    slot.at_least = std::max(slot.at_least, frame.cursor + 1);
    return !visit_runs(slot, frame.before, [&](const ExtentRun& run) {
        if (chains.ways(frame.place + 1, run.chunks) == 0) return true;
        frame.cursor = frame.value = run.first;
        frame.after = run.chunks;
        return false;
    });
}

}  // namespace tilewright
