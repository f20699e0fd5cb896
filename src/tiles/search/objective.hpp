// What makes a point better: its time, the counts of `minimize`, the words that its `map` moves, or several of these in
// the order that was asked for. A pure function of point and question.
//
// A time is what the rules' `time` says, times the measured quality of the code where the machine knows one. Where
// points are ranked, code that was seen to win often counts as a little faster (Machine::prior).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "tiles/search/problem.hpp"
#include "tiles/search/words.hpp"

namespace tilewright::tiles {

enum class Measure : std::uint8_t { time, count, words };

/// "time", "count", "words", or several with commas between them; "" is the time where the rules have one, else the
/// counts. Throws InputError(usage) for what the rules do not have, and for more numbers than kMostScores.
std::vector<Measure> measures_of(const Rules& rules, std::string_view text);
const char* name_of(Measure measure);
/// Numbers of one measure.
std::size_t score_count(const Rules& rules, Measure measure);

inline constexpr std::size_t kMostScores = 5;
using Score = std::array<double, kMostScores>;  ///< the first before the second; unused ones are 0

class Scorer {
   public:
    Scorer(const Problem& problem, std::vector<Measure> measures);

    /// `slots` with lets. `changed`: choices before that one are those of the last point scored (PointWalk::changed()).
    /// Throws InputError where an objective has no value.
    Score score(const std::int64_t* slots, std::size_t changed = 0);
    /// Microseconds, of the point that was scored last; without rules of time: 0.
    double time_us() const { return time_us_; }
    /// The parts of that time, by the rules' order.
    std::vector<double> parts() const;
    /// No point of this question scores less in the first measure; nothing where none is declared.
    std::optional<double> bound(const std::int64_t* slots);

   private:
    double time_of(const std::int64_t* slots, std::size_t changed);
    const std::vector<double>& words_of(const std::int64_t* slots);
    void load_given(const std::int64_t* slots);
    CodeWeight weight_of(const std::int64_t* slots) const;

    const Problem& problem_;
    std::vector<Measure> measures_;
    std::vector<double> reals_;
    CodeWeight weight_;
    double time_us_ = 0.0;
    TileChain chain_;  ///< of words_
    std::vector<double> words_;
};

}  // namespace tilewright::tiles
