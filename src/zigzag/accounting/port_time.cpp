#include "zigzag/accounting/port_time.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/numbers/checked.hpp"
#include "zigzag/accounting/spatial.hpp"

namespace tilewright::zigzag {
namespace {

constexpr std::size_t kStreams = 16;  // three operands in four directions, and some room

// Streams by descending period, without doubles. For the streams from k on: `kept[k]` cycles of one period are outside
// all their windows, and `cut[k]` are outside the later ones within the window of k.
class Windows {
   public:
    explicit Windows(std::span<const Activity> activities) {
        if (activities.size() > kStreams) throw OverflowError();
        std::copy(activities.begin(), activities.end(), stream_.begin());
        size_ = activities.size();
        std::sort(stream_.begin(), stream_.begin() + static_cast<std::ptrdiff_t>(size_),
                  [](const Activity& a, const Activity& b) { return a.period_cycles > b.period_cycles; });
        for (std::size_t k = size_; k-- > 0;) {
            cut_[k] = free(stream_[k].allowed_cycles, k + 1);
            kept_[k] = free(stream_[k].period_cycles, k + 1) - cut_[k];
        }
    }

    std::int64_t longest_period() const { return stream_[0].period_cycles; }

    // Of the first `cycles`, those outside all windows of the streams from `k` on.
    std::int64_t free(std::int64_t cycles, std::size_t k) const {
        std::int64_t free = 0;
        for (; k < size_; ++k) {
            free += cycles / stream_[k].period_cycles * kept_[k];
            cycles %= stream_[k].period_cycles;
            if (cycles <= stream_[k].allowed_cycles) return free;
            free -= cut_[k];
        }
        return free + cycles;
    }

   private:
    std::array<Activity, kStreams> stream_;
    std::array<std::int64_t, kStreams> cut_;
    std::array<std::int64_t, kStreams> kept_;
    std::size_t size_ = 0;
};

std::int64_t late_cycles(const Activity& activity) {
    return (activity.real_cycles - activity.allowed_cycles) * (activity.count - 1);
}

}  // namespace

Activity checked_activity(const Activity& activity) {
    constexpr std::int64_t kMostCycles = std::int64_t{1} << 58;
    const std::int64_t longest = std::max({activity.real_cycles, activity.allowed_cycles, activity.period_cycles});
    if (checked_mul(longest, activity.count) > kMostCycles) throw OverflowError();
    return activity;
}

std::int64_t cycles_with_a_window(std::span<const Activity> activities) {
    for (const Activity& activity : activities)
        if (activity.allowed_cycles == activity.period_cycles) return activity.period_cycles * activity.count;
    const Windows windows(activities);
    const std::int64_t period = windows.longest_period();
    const auto longest = std::find_if(activities.begin(), activities.end(),
                                      [&](const Activity& one) { return one.period_cycles == period; });
    return (period - windows.free(period, 0)) * longest->count;
}

std::int64_t port_stall(std::span<const Activity> activities) {
    if (activities.empty()) return 0;
    if (activities.size() == 1) return late_cycles(activities.front());
    std::int64_t late = 0;
    std::int64_t early = 0;
    std::int64_t allowed = 0;
    for (const Activity& activity : activities) {
        const std::int64_t cycles = late_cycles(activity);
        (cycles > 0 ? late : early) += cycles;
        allowed += activity.allowed_cycles * (activity.count - 1);
    }
    return late + std::max<std::int64_t>(0, early + allowed - cycles_with_a_window(activities));
}

void hide_in_surplus(std::span<double> remaining, std::span<const double> least, double surplus) {
    if (surplus <= 0.0 || remaining.empty()) return;
    if (remaining.size() > kStreams) throw OverflowError();
    std::array<std::size_t, kStreams> longest_first;
    for (std::size_t i = 0; i < remaining.size(); ++i) longest_first[i] = i;
    // Insertion sort, stable as Python's.
    for (std::size_t i = 1; i < remaining.size(); ++i)
        for (std::size_t j = i; j > 0 && remaining[longest_first[j - 1]] < remaining[longest_first[j]]; --j)
            std::swap(longest_first[j - 1], longest_first[j]);
    for (std::size_t i = 0; i < remaining.size(); ++i) {
        const double here = remaining[longest_first[i]] - least[longest_first[i]];
        const double together = here * static_cast<double>(i + 1);
        const bool enough = surplus >= together;
        const double each = enough ? here : surplus / static_cast<double>(i + 1);
        for (std::size_t j = 0; j <= i; ++j) remaining[longest_first[j]] -= each;
        if (!enough) return;
        surplus -= together;
    }
}

void Onloading::add_boundary(double cycles, bool upper_shared, bool lower_shared) {
    if (upper_shared && lower_shared)
        shared += cycles;
    else if (upper_shared || lower_shared)
        half_shared = cycles;
    else
        separate += cycles;
}

double onloading_cycles(const Onloading& one, const Onloading& other) {
    const auto after = [](const Onloading& first, const Onloading& second) {
        return first.shared +
               std::max(second.shared + second.half_shared + second.separate, first.half_shared + first.separate);
    };
    return std::min(after(one, other), after(other, one));
}

// Splitting loops inside sliding windows (ZigZag 3.8.5, mapping_assist_funcs.py: decouple_pr_loop).

namespace {

/// Extent of the loops so far in each window.
class WindowWalk {
   public:
    explicit WindowWalk(const Layer& layer)
        : layer_(layer), tile_(unit_tile()), reached_(layer.windows.size(), 1.0), reused_(layer.windows.size(), 1.0) {}

    /// Multiplies a loop's parts into `split`; false for a dimension outside every window.
    bool step(const ParallelLoop& loop, Split& split) {
        bool inside = false;
        for (std::size_t w = 0; w < layer_.windows.size(); ++w) {
            const DimensionRelation& window = layer_.windows[w];
            if (loop.dimension != window.first && loop.dimension != window.second) continue;
            if (!inside) tile_[loop.dimension] *= loop.size;
            inside = true;
            const auto reached = static_cast<double>(positions(window, tile_));
            const double reused = tile_[window.first] * tile_[window.second] / reached;
            split.relevant *= reached / reached_[w];
            split.irrelevant *= reused / reused_[w];
            reached_[w] = reached;
            reused_[w] = reused;
        }
        return inside;
    }

   private:
    const Layer& layer_;
    TileSizes tile_;
    std::vector<double> reached_;  ///< positions
    std::vector<double> reused_;   ///< iterations per position
};

}  // namespace

std::vector<Split> split_windows(const Layer& layer, const Operand& operand,
                                 const std::vector<std::vector<ParallelLoop>>& levels) {
    WindowWalk walk(layer);
    std::vector<Split> splits;
    for (const std::vector<ParallelLoop>& loops : levels) {
        Split& split = splits.emplace_back();
        for (const ParallelLoop& loop : loops) {
            if (operand.relevant.has(loop.dimension)) {
                split.relevant *= loop.size;
            } else if (operand.irrelevant.has(loop.dimension)) {
                split.irrelevant *= loop.size;
            } else if (operand.windowed) {
                walk.step(loop, split);
            }
        }
    }
    return splits;
}

}  // namespace tilewright::zigzag
