// Mapper: a strategy searching a mapspace for the best mapping. One strategy a file; by_name/ lists their names.
//
// Searches are deterministic: one seed gives one result on any number of threads. Work is cut into numbered chunks with
// their own random streams, and every stopping rule but time and interruption sees the chunks in order.
// Front: the mappings undominated in energy and latency. Of equals the first stays, so the result depends on the order
// of offers only. Internal to mapper/.
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

/// Limits of a search; the first reached ends it.
struct Budget {
    std::optional<std::int64_t> evaluations;            ///< full evaluations, i.e. valid mappings
    std::optional<std::chrono::duration<double>> time;  ///< wall clock; its end is not reproducible
    /// Valid mappings in a row without improvement before the search ends; 0: no limit.
    std::int64_t victory = 0;
    /// Draws in a row without a valid mapping before the search gives up.
    std::int64_t fruitless = 2'000'000;
    /// `exhaustive` refuses a space of more mappings; 0: none is too large.
    std::int64_t largest_space = 100'000'000;
    std::uint64_t seed = 1;
    int threads = 1;                   ///< 0: all hardware threads
    const StopSource* stop = nullptr;  ///< Ctrl-C; the best so far is kept
};

inline constexpr int kViolationKinds = 9;

struct SearchStatistics {
    std::int64_t sampled = 0;      ///< mappings proposed
    std::int64_t valid = 0;        ///< legal ones
    std::int64_t evaluations = 0;  ///< costed: every legal one
    std::int64_t dead_ends = 0;    ///< draws without completion: a constraint or mesh ruled it out
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
    finished,   ///< every candidate of the search was tried, perhaps not the whole space
    exhausted,  ///< every mapping of the space was seen or ruled out
    empty_mapspace,
    too_large,
    proven,  ///< no mapping of the space is better (Pareto search: none is undominated by the front)
    bounded,
    solved  ///< its program is solved: no search
};

/// The reason in words, such as "victory".
std::string_view stop_reason_text(StopReason reason);

/// One improvement of a search.
struct Improvement {
    std::int64_t evaluations = 0;  ///< so far, with this one
    double seconds = 0.0;          ///< wall clock; the only part that differs between runs
    LeanCost cost;
    Score score;
};

/// A mapping found. An uneven search sets `uneven`; its point has the spatial loops and kept tensors alone.
struct FoundMapping {
    TilingPoint point;
    std::optional<Mapping> uneven = std::nullopt;

    bool operator==(const FoundMapping&) const = default;
};

/// The mapping; nothing for a point of another einsum.
inline std::optional<Mapping> mapping_of(const FoundMapping& found, const Einsum& einsum) {
    return found.uneven ? found.uneven : mapping_of(found.point, einsum);
}

/// One point of a Pareto front in energy and latency.
struct FrontPoint {
    FoundMapping mapping;
    LeanCost cost;
    std::int64_t age = 0;  ///< internal: time of its discovery
};

struct SearchResult {
    /// Empty if nothing valid was found. Pareto search: least energy-delay product.
    std::optional<FoundMapping> best;
    LeanCost cost;
    Score score;
    std::vector<FrontPoint> front;          ///< Pareto search only, by energy
    std::vector<Improvement> improvements;  ///< other searches
    std::optional<double> space;            ///< mappings in the whole space, if the mapper counts them
    /// Lower bound of the space's scores, if the mapper has one: equality with score.value is a proof.
    std::optional<double> lower_bound;
    SearchStatistics statistics;
    StopReason stopped = StopReason::finished;
    std::string remark;  ///< further remarks on the answer, or the reason for its absence; usually empty
};

/// The answer is optimal: the rest was seen, ruled out or bounded. The only such test.
inline bool is_proven(const SearchResult& found) {
    return found.best && (found.stopped == StopReason::proven || found.stopped == StopReason::exhausted);
}

/// A report during the search; calls are sequential, but from any thread.
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
    /// Its method, in one sentence.
    virtual std::string_view description() const = 0;
    /// Victory condition without a user's.
    virtual std::int64_t default_victory() const = 0;
    /// It searches uneven mappings too.
    virtual bool is_uneven() const { return false; }

    /// The evaluator and the mapspace belong to the same layer and machine. The best mapping found satisfies check().
    virtual SearchResult search(const Mapspace& mapspace, const LeanEvaluator& evaluator, const Objective& objective,
                                const Budget& budget, const ProgressCallback& progress = {}) const = 0;
};

class Front {
   public:
    /// Inserts a valid mapping unless one here is as good in both; drops the mappings it dominates. `age`: any number
    /// of the caller's. True if inserted.
    bool offer(const FoundMapping& mapping, const LeanCost& cost, std::int64_t age);

    /// By ascending energy, thus by descending latency.
    const std::vector<FrontPoint>& points() const { return points_; }
    std::vector<FrontPoint> take() { return std::move(points_); }

   private:
    std::vector<FrontPoint> points_;
};

}  // namespace tilewright
