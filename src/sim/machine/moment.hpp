// A moment of a run, to find out that the run repeats itself. Internal to sim/machine.
//
// What the next cycles depend on is written exactly. Amounts that only count down (words to be sent, say), and moments
// and steps that lie ahead, are written exactly when they are near; when they are far, the next cycles are the same
// whatever they are, and only their trend counts. A moment that is like an earlier one, all far things on their way,
// will come again and again until one of these is near: so many times the run may jump ahead at once.
//
// One traversal of the run (ReplayRun::visit) serves two purposes: it writes a moment, or it moves the far things of
// the present one by what so many repetitions change.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "sim/noc/link.hpp"
#include "sim/noc/state.hpp"

namespace tilewright::sim {

/// How a far thing changes from one moment to the next one like it.
enum class Trend : std::uint8_t {
    amount,  ///< counts down within a step; as much of it in every step
    step,    ///< a step ahead, counted from the first that is not done
    ahead,   ///< cycles until something
    port,    ///< the same of a port, which may be kept at its distance, too; in 2^-20 cycles
    past,    ///< cycles since something
    spent,   ///< cycles of a wait that is not over, by what was waited for: grow within a step, else are the same
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
    /// To move what is far by `changes`, in the order in which they were written, `times` over.
    void shift(std::vector<std::int64_t> changes, std::int64_t times) {
        writer_.clear();
        changes_ = std::move(changes);
        next_ = 0;
        times_ = times;
    }

    void near(std::int64_t value) { writer_.add(value); }
    /// The number to add to what it stands for: 0 where a moment is written.
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

/// What was noted of a moment.
struct NotedMoment {
    Cycle cycle = 0;
    std::int64_t step = 0;   ///< that is not done
    std::int64_t loads = 0;  ///< steps whose loads were issued
    std::vector<Far> far;
    std::vector<std::int64_t> counters;
};

/// From one moment to another that is like it.
struct Period {
    Cycle cycles = 0;
    std::int64_t steps = 0;
    std::int64_t loads = 0;
    std::vector<std::int64_t> changes;   ///< [far]
    std::vector<std::int64_t> counters;  ///< what they count in a period
    std::int64_t most_times = 0;         ///< until something far is near
};

/// Nothing where the far things do not all keep to their trends, or none is ever near.
std::optional<Period> period_between(const NotedMoment& before, const NotedMoment& now);

/// The moments of a run so far, by what was written of them.
class Moments {
   public:
    /// The moment that was noted last of those like it; then the present one is noted in its place.
    std::optional<NotedMoment> exchange(std::span<const std::int64_t> words, NotedMoment now);
    /// There are as many as memory should be spent on.
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
