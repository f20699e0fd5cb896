// The best way to go through one run of einsums: steps and teams in the order of their floors, then stage by stage:
// energy alone by dynamic programming (pipeline.hpp), else by slots (slot_search.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/stop.hpp"
#include "multicore/evaluate.hpp"
#include "multicore/search/pipeline.hpp"
#include "multicore/search/slot_search.hpp"

namespace tilewright::multicore {

struct FoundRun {
    package::Run run;
    Cost cost;
    double value = 0.0;
};

/// A run that was evaluated with trusted leaves, with leaves as they are. Distrusts einsums whose floors were below.
FoundRun verified(const Evaluators& evaluators, const Weights& weights, const Made& made, bool disjoint,
                  const package::Run& run, const Cost& cost);

/// Of the einsums first .. last in one step. Keeps a reference to `made`.
RunFrame run_frame(const Problem& problem, int first, int last, const Step& step, const Made& made, bool disjoint);

/// Of a run of one einsum, quickly: the first that fits, in few steps, on a team of the size that has the least floor.
/// `is_cheap`: the cheapest of those of all sizes, in more steps until some in a row better nothing. Adds the ways
/// looked at. Throws Stopped.
std::optional<FoundRun> first_way(const Evaluators& evaluators, KnownShapes& shapes, const Weights& weights, int einsum,
                                  bool is_cheap, std::int64_t& looked_at);

/// Of a run of several einsums, quickly (fused_way.cpp): steps of several sizes along each axis, turns on all cores and
/// a pipeline with teams by operations. Of each a beam of few prefixes of stages, evaluated exactly, then bettered
/// stage by stage. Nothing: none was found below `cut`. Adds prefixes looked at. Throws Stopped.
std::optional<FoundRun> fused_way(const Evaluators& evaluators, KnownShapes& shapes, const Weights& weights, int first,
                                  int last, double cut, std::int64_t& looked_at);

/// One run, searched in rounds: each looks at so many prefixes of stages, those of the step and teams of the least
/// floor first.
class RunSearch {
   public:
    RunSearch(const Evaluators& evaluators, KnownShapes& shapes, const Weights& weights, int first, int last,
              const StopSource* stop);

    /// No way costs less; rises with the rounds.
    double bound() const;
    /// The best so far.
    const std::optional<FoundRun>& best() const { return best_; }
    /// Nothing better is open.
    bool is_done() const { return bound() >= value(); }
    double value() const;
    /// A way that is known already: an upper bound.
    void learn(const FoundRun& known);
    /// Looks at some more than so many prefixes, and only at what costs less than `limit`. Returns prefixes looked at.
    /// Throws Stopped.
    std::int64_t round(std::int64_t prefixes, double limit);

   private:
    struct Open : Way {
        std::int64_t depth = 16;                       ///< prefixes of its next look
        std::unique_ptr<EnergyRest> rest = nullptr;    ///< of energy alone
        std::unique_ptr<Pipeline> pipeline = nullptr;  ///< likewise
        std::unique_ptr<SlotSearch> slots = nullptr;   ///< of all else
    };
    void add_ways(const Step& step);
    void add_way(const RunFrame& frame, int size, const std::vector<std::shared_ptr<const Shapes>>& shapes);
    void look(Open& way, std::int64_t prefixes);
    void raise(Open& way);
    Floor least_of(const Open& way, int stage, int cores) const;
    double floor_of(const Open& way) const;
    void found(const Way& way, const package::Run& run, const Cost& cost);
    double cut() const;
    Open* next();

    Evaluators evaluators_;
    const Evaluator& evaluator_;
    KnownShapes& shapes_;
    Weights weights_;
    int first_;
    int last_;
    const StopSource* stop_;
    std::map<Step, Made> made_;
    std::vector<std::unique_ptr<Open>> ways_;
    std::optional<FoundRun> best_;
    double limit_ = 0.0;
    std::int64_t looked_at_ = 0;
};

}  // namespace tilewright::multicore
