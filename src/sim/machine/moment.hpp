// Snapshot of a run, for detecting repetition. Internal to sim/machine.
//
// State of the near future is written exactly. Counters running down (e.g. words left to send) and distant moments and
// steps are exact only when near; far ones do not influence the next cycles, and only their trend counts. A snapshot
// equal to an earlier one, with all far values on trend, recurs until one of them becomes near: the run jumps ahead by
// this number of periods at once.
//
// One traversal of the run (ReplayRun::visit) either writes a snapshot, or moves the present far values by a number of
// periods.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "sim/noc/link.hpp"
#include "sim/noc/state.hpp"

namespace tilewright::sim {

/// Change of a far value over a period.
enum class Trend : std::uint8_t {
    amount,  ///< runs down within a step; equal in every step
    step,    ///< a future step, relative to the first unfinished one
    ahead,   ///< cycles until something
    port,    ///< the same for a port, possibly at constant distance; in 2^-20 cycles
    past,    ///< cycles since something
    spent,   ///< cycles of an unfinished wait, by cause: grow within a step, else constant
};

inline constexpr std::int64_t kNear = 8;
inline constexpr std::int64_t kPortUnit = std::int64_t{1} << 20;

struct Far {
    Trend trend = Trend::amount;
    std::int64_t value = 0;
};

class Moment {
   public:
    void write() {
        writer_.clear();
        far_.clear();
        times_ = 0;
    }
    /// Moves far values by `changes`, in writing order, `times` over.
    void shift(std::vector<std::int64_t> changes, std::int64_t times) {
        writer_.clear();
        changes_ = std::move(changes);
        next_ = 0;
        times_ = times;
    }

    void near(std::int64_t value) { writer_.add(value); }
    /// Offset for the value: 0 when writing.
    std::int64_t far(Trend trend, std::int64_t value) {
        writer_.add(kMark + static_cast<std::int64_t>(trend));
        if (times_ > 0) return times_ * changes_[next_++];
        far_.push_back({trend, value});
        return 0;
    }
    void amount(std::int64_t& value) {
        if (value <= kNear) return near(value);
        value += far(Trend::amount, value);
    }
    /// `is_new` as of StateWriter.
    bool mention(StateWriter::Kind kind, std::size_t id) { return writer_.mention(kind, id); }

    StateWriter& writer() { return writer_; }
    const std::vector<Far>& far() const { return far_; }
    bool shifts() const { return times_ > 0; }

   private:
    static constexpr std::int64_t kMark = std::int64_t{1} << 62;
    StateWriter writer_;
    std::vector<Far> far_;
    std::vector<std::int64_t> changes_;
    std::size_t next_ = 0;
    std::int64_t times_ = 0;  ///< 0: it is written
};

/// Notes on a snapshot.
struct NotedMoment {
    Cycle cycle = 0;
    std::int64_t step = 0;   ///< first unfinished
    std::int64_t loads = 0;  ///< steps with issued loads
    std::vector<Far> far;
    std::vector<std::int64_t> counters;
};

/// From one snapshot to an equal one.
struct Period {
    Cycle cycles = 0;
    std::int64_t steps = 0;
    std::int64_t loads = 0;
    std::vector<std::int64_t> changes;   ///< [far]
    std::vector<std::int64_t> counters;  ///< increments per period
    std::int64_t most_times = 0;         ///< until a far value becomes near
};

/// Empty if some far value leaves its trend, or none ever becomes near.
std::optional<Period> period_between(const NotedMoment& before, const NotedMoment& now);

/// Snapshots of a run so far, by contents.
class Moments {
   public:
    /// The last equal snapshot, replaced by the present one.
    std::optional<NotedMoment> exchange(std::span<const std::int64_t> words, NotedMoment now);
    /// Whether the memory budget is used up.
    bool full() const { return noted_.size() >= kMostMoments || numbers_ >= kMostNumbers; }
    void clear() {
        noted_.clear();
        numbers_ = 0;
    }

   private:
    static constexpr std::size_t kMostMoments = 4096;
    static constexpr std::size_t kMostNumbers = std::size_t{1} << 22;  ///< in all of them: large meshes have many
    using Key = std::array<std::uint64_t, 2>;
    struct KeyHash {
        std::size_t operator()(const Key& key) const { return static_cast<std::size_t>(key[0]); }
    };
    std::unordered_map<Key, NotedMoment, KeyHash> noted_;
    std::size_t numbers_ = 0;
};

}  // namespace tilewright::sim
