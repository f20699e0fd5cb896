// Mapper: a strategy that searches a mapspace for the best mapping. One strategy a file; by_name/ knows their names.
//
// Searches are deterministic: the same seed gives the same result on any number of threads. The work is cut into
// numbered chunks with their own random streams, and every stopping rule but time and interruption looks at the chunks
// in order.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/stop.hpp"
#include "mapping/tiling_point.hpp"
#include "mapspace/mapspace.hpp"
#include "model/lean/lean.hpp"
#include "model/objective.hpp"

namespace tilewright {

/// What a search may spend; it ends when the first of these is used up.
struct Budget {
    std::optional<std::int64_t> evaluations;  ///< full evaluations, i.e. valid mappings
    std::optional<std::chrono::duration<double>>
        time;  ///< wall clock; ends the search at a moment that cannot be repeated
    /// The search is content after so many valid mappings in a row without improvement; 0: never.
    std::int64_t victory = 0;
    /// Draws in a row without a valid mapping after which the search gives up.
    std::int64_t fruitless = 2'000'000;
    /// `exhaustive` refuses a space of more mappings; 0: none is too large.
    std::int64_t largest_space = 100'000'000;
    std::uint64_t seed = 1;
    int threads = 1;                   ///< 0: all there are
    const StopSource* stop = nullptr;  ///< Ctrl-C; the best so far is kept
};

inline constexpr int kViolationKinds = 9;

struct SearchStatistics {
    std::int64_t sampled = 0;      ///< mappings proposed
    std::int64_t valid = 0;        ///< of them legal
    std::int64_t evaluations = 0;  ///< costed: every legal one
    std::int64_t dead_ends = 0;    ///< draws that met a constraint or mesh before they were complete
    std::array<std::int64_t, kViolationKinds> invalid{};  ///< by ViolationKind
    std::int64_t chunks = 0;
    double seconds = 0.0;

    void add(const SearchStatistics& other);
};

enum class StopReason {
    victory,
    evaluations,
    time,
    interrupted,
    fruitless,
    finished,   ///< all that the search tries was tried, which need not be all there is
    exhausted,  ///< every mapping of the space was seen, or ruled out
    empty_mapspace,
    too_large,
    proven,  ///< no mapping of the space is better (of a Pareto search: none that the front does not dominate)
    bounded,
    solved  ///< its program is, there is nothing to search
};

/// "victory" and the like, as text for people.
std::string_view stop_reason_text(StopReason reason);

/// A moment at which the search found something better.
struct Improvement {
    std::int64_t evaluations = 0;  ///< so far, this one counted
    double seconds = 0.0;          ///< of wall clock; the only part that differs from run to run
    LeanCost cost;
    Score score;
};

/// A mapping that a search found. Of an uneven search it is `uneven`, and the point has its spatial loops and kept
/// tensors alone.
struct FoundMapping {
    TilingPoint point;
    std::optional<Mapping> uneven = std::nullopt;

    bool operator==(const FoundMapping&) const = default;
};

/// The mapping; nothing for a point that is none of the einsum's.
inline std::optional<Mapping> mapping_of(const FoundMapping& found, const Einsum& einsum) {
    return found.uneven ? found.uneven : mapping_of(found.point, einsum);
}

/// One of a set of mappings of which none is better in energy and latency.
struct FrontPoint {
    FoundMapping mapping;
    LeanCost cost;
    std::int64_t age = 0;  ///< internal: when it was found
};

struct SearchResult {
    /// Empty when nothing valid was found. Of a Pareto search: the one of the least energy-delay product.
    std::optional<FoundMapping> best;
    LeanCost cost;
    Score score;
    std::vector<FrontPoint> front;          ///< of a Pareto search, by energy
    std::vector<Improvement> improvements;  ///< of any other
    std::optional<double> space;            ///< mappings in the whole space, where the mapper had to know
    /// No mapping of the space has a smaller score, where the mapper can tell: equal to score.value is a proof.
    std::optional<double> lower_bound;
    SearchStatistics statistics;
    StopReason stopped = StopReason::finished;
    std::string remark;  ///< what else there is to say of the answer, or why there is none; usually empty
};

/// Nothing is better than the answer: the search saw, ruled out or bounded all the rest. The one place that says so.
inline bool is_proven(const SearchResult& found) {
    return found.best && (found.stopped == StopReason::proven || found.stopped == StopReason::exhausted);
}

/// A report while the search runs; calls come one at a time, but from any thread.
struct Progress {
    SearchStatistics statistics;
    std::int64_t since_improvement = 0;  ///< valid mappings
    LeanCost best;
    Score score;
    bool improved = false;
    std::optional<double> space;        ///< as in SearchResult
    std::optional<double> lower_bound;  ///< as in SearchResult
};
using ProgressCallback = std::function<void(const Progress&)>;

class Mapper {
   public:
    virtual ~Mapper() = default;
    virtual std::string_view name() const = 0;
    /// What it does, in one sentence.
    virtual std::string_view description() const = 0;
    /// The victory condition it is content with when the user gives none.
    virtual std::int64_t default_victory() const = 0;

    /// The evaluator and the mapspace belong to the same layer and machine. The best mapping found satisfies check().
    virtual SearchResult search(const Mapspace& mapspace, const LeanEvaluator& evaluator, const Objective& objective,
                                const Budget& budget, const ProgressCallback& progress = {}) const = 0;
};

}  // namespace tilewright
