// All legal points of a question, in the order of `choose`: the first name varies slowest. A requirement is tried as
// soon as its names have values.
//
//     PointWalk walk(problem, given, {});
//     const Walked walked = walk.each([](const std::int64_t* slots) { ... });
//
// One walk is for one thread.
#pragma once

#include <cstdint>
#include <functional>
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
    PointWalk(const Problem& problem, std::span<const std::int64_t> given, const WalkLimits& limits)
        : problem_(problem),
          limits_(limits),
          slots_(slots_for(problem, given)),
          values_(problem.rules.choices.size()) {}

    /// `visit` sees the slots of each legal point, and says whether to go on.
    Walked each(const std::function<bool(const std::int64_t*)>& visit);

   private:
    bool go(std::size_t depth, const std::function<bool(const std::int64_t*)>& visit);
    bool is_ready(std::size_t depth);

    const Problem& problem_;
    WalkLimits limits_;
    std::vector<std::int64_t> slots_;
    std::vector<ChoiceValues> values_;
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
