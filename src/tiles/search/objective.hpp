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

#include "tiles/rules/rules.hpp"
#include "tiles/search/problem.hpp"

namespace tilewright::tiles {

// Words of a product O[m, n] += A[m, k] * B[k, n] that cross from one level of the rules' `map` to the next.
//
//     map: {m: [tile, herd, M], ...}   three levels: tiles lie in herds, herds in the whole
//
// Each level holds one tile of A, B and O. The loops from a level's tile to the next inner ones run in one of six
// orders; a tile moves inwards when it is another one than before. Sums go out when another tile comes, and come back
// for more, but for their first visit. Tiles at the end of an extent are smaller. The counts are those of the exact
// model (docs/model.md), which property_tile_words holds them to.

/// Levels of a `map` whose words are an objective.
inline constexpr std::size_t kMostMapLevels = 5;

/// Extents of the tiles along m, n and k, by level: the whole first. Each at most that of the level before.
using TileChain = std::vector<std::array<std::int64_t, 3>>;

/// The tiles of a point; larger ones than their surroundings are cut. Throws InputError: a tile below 1.
TileChain chain_of(const Rules& rules, const std::int64_t* slots);

/// Words across each boundary, the outermost first: fewest across the first, of these fewest across the second, and so
/// on. Throws InputError(overflow): 2^53 or more.
std::vector<double> fewest_words(const TileChain& chain);

/// "", or why the rules' map is not that of such a product.
std::string problem_with_map(const Rules& rules);

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
