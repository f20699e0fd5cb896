// Stream: one thread of a Timeloop search: judges the mappings of its walk, keeps the best, and stops by itself.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/stop.hpp"
#include "mapper/timeloop/walk.hpp"
#include "model/lean/lean.hpp"

namespace tilewright::timeloop_search {

enum class Metric { energy, delay, product, weighted };

struct Judgement {
    double energy_pj = 0.0;
    std::int64_t cycles = 0;
};

/// The objective as Timeloop's list of metrics, most important first.
struct Contest {
    std::vector<Metric> metrics;
    Objective objective;  ///< of Metric::weighted

    /// Costs within 0.1 % are equal unless it is the last metric. Of equals the incumbent stays.
    bool is_better(const Judgement& candidate, const Judgement& incumbent) const;
};

Contest contest_of(const Objective& objective);

/// Limits of a stream; 0: none.
struct StreamLimits {
    std::int64_t search_size = 0;  ///< valid mappings
    std::int64_t victory = 500;    ///< valid mappings in a row without improvement
    std::int64_t timeout = 1000;   ///< invalid ones since the last valid one
    std::int64_t tried = 0;        ///< mappings of any kind, for tests: Timeloop has no such limit
};

enum class StreamEnd { search_size, victory, timeout, exhausted, tried, cut };

/// An improvement, in mappings of this stream.
struct StreamImprovement {
    std::int64_t valid = 0;
    double seconds = 0.0;
    LeanCost cost;  ///< by the exact model
};

struct StreamResult {
    std::int64_t tried = 0;
    std::int64_t valid = 0;
    std::int64_t without_fanout = 0;
    std::int64_t without_room = 0;
    std::optional<TilingPoint> best;
    Judgement judged;
    std::vector<StreamImprovement> improvements;
    StreamEnd end = StreamEnd::cut;
};

class Stream {
   public:
    Stream(const Space& space, const LeanEvaluator& evaluator, const Contest& contest, const WalkPlan& plan,
           const StreamLimits& limits);

    /// Tries up to `count` mappings; false once ended.
    bool run(std::int64_t count);
    const StreamResult& result() const { return result_; }

   private:
    std::optional<StreamEnd> ends() const;
    void pass_doomed();
    void look();
    Outcome judge(const TilingPoint& point);
    void compete(const TilingPoint& point, const Judgement& judged);
    bool only_bypass_changed() const;
    void note(Outcome outcome, bool only_bypass);

    const Space& space_;
    const LeanEvaluator& evaluator_;
    const Contest& contest_;
    StreamLimits limits_;
    std::unique_ptr<Walk> walk_;
    TilingPoint point_;
    Choice before_;
    std::int64_t since_best_ = 0;
    std::int64_t invalid_in_a_row_ = 0;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    StreamResult result_;
};

}  // namespace tilewright::timeloop_search
