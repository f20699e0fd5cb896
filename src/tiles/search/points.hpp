// All legal points of a question, in the order of `choose`: the first name varies slowest. A requirement is tried as
// soon as its names have values.
//
//     PointWalk walk(problem, given, {});
//     const Walked walked = walk.each([](const std::int64_t* slots) { ... });
//
// One walk is for one thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/stop.hpp"
#include "tiles/search/problem.hpp"

namespace tilewright::tiles {

struct WalkLimits {
    std::int64_t most_tried = 100'000'000;  ///< values of choices
    Deadline deadline;
};

struct Walked {
    std::int64_t tried = 0;
    std::int64_t legal = 0;
    bool complete = true;
};

/// The values of one choice under what is known before it.
class ChoiceValues {
   public:
    /// Throws InputError where bounds have no value, and for divisors of what is below 1.
    void set(const Choice& choice, const Problem& problem, const std::int64_t* slots);
    std::int64_t count() const { return count_; }
    /// Writes the values of that number to the slots of the choice.
    void put(std::int64_t number, std::int64_t* slots) const {
        if (list_.empty()) {
            *slots = low_ + number * step_;
            return;
        }
        for (std::size_t i = 0; i < width_; ++i) slots[i] = list_[number * width_ + i];
    }
    bool contains(const std::int64_t* values) const;

   private:
    std::span<const std::int64_t> list_;
    std::vector<std::int64_t> own_;
    std::size_t width_ = 1;
    std::int64_t low_ = 0;
    std::int64_t step_ = 1;
    std::int64_t count_ = 0;
};

class PointWalk {
   public:
    PointWalk(const Problem& problem, std::span<const std::int64_t> given, const WalkLimits& limits);

    /// Of each choice that these measures and the rules do not know only the first value; the others count as legal.
    void leave_out_idle(bool for_time, bool for_count);

    /// `visit` sees the slots of each legal point, and says whether to go on.
    template <typename Visit>
    Walked each(Visit&& visit) {
        walked_ = {};
        changed_ = 0;
        if (prepare(0) == Verdict::legal) go(0, visit);
        return walked_;
    }

    /// While a point is visited: choices before this one are those of the point before; 0: none.
    std::size_t changed() const { return changed_; }

   private:
    enum class Verdict : std::uint8_t { legal, illegal, none_further };

    template <typename Visit>
    bool go(std::size_t depth, Visit& visit) {
        if (depth == values_.size()) {
            walked_.legal += weight_;
            const bool goes_on = visit(static_cast<const std::int64_t*>(slots_.data()));
            changed_ = depth + 1;
            return goes_on;
        }
        const std::int64_t count = enter(depth);
        for (std::int64_t i = 0; i < count; ++i) {
            if (!try_one()) return false;
            values_[depth].put(i, slots_.data() + problem_.rules.choices[depth].slot);
            changed_ = std::min(changed_, depth + 1);
            const Verdict verdict = prepare(depth + 1);
            if (verdict == Verdict::none_further) break;
            if (verdict == Verdict::legal && !go(depth + 1, visit)) return false;
        }
        return true;
    }

    std::int64_t enter(std::size_t depth);
    Verdict prepare(std::size_t depth);
    bool try_one();

    const Problem& problem_;
    WalkLimits limits_;
    std::vector<std::int64_t> slots_;
    std::vector<ChoiceValues> values_;
    std::vector<bool> has_values_;
    std::vector<bool> idle_;
    bool stops_early_ = true;  ///< requirements that grow may end the values of a choice
    std::int64_t weight_ = 1;  ///< points for which one stands
    std::size_t changed_ = 0;
    Walked walked_;
};

/// The lets of a point, whether it is legal or not, into the slots that hold it.
void complete(const Rules& rules, std::int64_t* slots);

/// What a point breaks.
struct Broken {
    std::vector<std::string> choices;       ///< "tile_m = 40 is not of 16..64 step 16"
    std::vector<std::size_t> requirements;  ///< by number
};

/// `slots`: of slots_for(), with the values of the point; lets are computed into it. Throws InputError where a let or a
/// requirement has no value.
Broken broken_by(const Problem& problem, std::vector<std::int64_t>& slots);
/// Whether it breaks nothing; stops at the first thing that it does.
bool is_legal(const Problem& problem, std::vector<std::int64_t>& slots, std::vector<ChoiceValues>& scratch);

}  // namespace tilewright::tiles
