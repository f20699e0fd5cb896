// The best plan of a cascade by a weighted sum of energy and cycles.
//
// Runs of einsums have floors; a path through them from the first einsum to the last costs what its runs do. Runs of
// one einsum have a way each before anything else, so that a plan stands early; neighbours on the best path are then
// fused quickly (fused_way.cpp). Rounds look into those runs that a better path may take, longer runs from round to
// round and each deeper than the last, until none is left: then the best plan is proven. A run has no more than a floor
// (run_floors.hpp) until a round comes to it; alike runs are one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/stop.hpp"
#include "multicore/search/optimize.hpp"
#include "multicore/search/run_floors.hpp"
#include "multicore/search/run_search.hpp"

namespace tilewright::multicore {

class WeightedSearch {
   public:
    /// `longest_run`: einsums of a run. Keeps references to all but the weights.
    WeightedSearch(const Evaluators& evaluators, KnownShapes& shapes, const Weights& weights, const StopSource* stop,
                   int longest_run);

    /// `known`: ways of runs that were found for other weights.
    Answer search(const std::vector<FoundRun>& known, const TellProgress& tell);

    /// All ways that were found.
    std::vector<FoundRun> found() const;

   private:
    /// Alike runs: the first of them is searched.
    struct Class {
        int first = 0;
        int last = 0;
        double floor = 0.0;
        std::unique_ptr<RunSearch> search;
        std::optional<FoundRun> first_way;  ///< before it is searched
        std::int64_t prefixes = 16;         ///< of its next look

        double bound() const { return search ? std::max(floor, search->bound()) : floor; }
        const std::optional<FoundRun>& best() const { return search ? search->best() : first_way; }
        double value() const { return best() ? best()->value : kNever; }
    };
    struct Entry {
        int first = 0;
        int last = 0;
        int of = 0;  ///< class
    };

    int count() const { return evaluator_.problem().count(); }
    double repeats(int last) const { return static_cast<double>(evaluator_.problem().repeats(last)); }

    void list_runs();
    void learn(const std::vector<FoundRun>& known);
    void first_ways(Answer& answer, const TellProgress& tell);
    void fuse(Answer& answer, const TellProgress& tell);
    std::vector<int> neighbours() const;
    double known_inside(const Class& of) const;
    void round(int longest, Answer& answer, const TellProgress& tell);
    bool follow_path(Answer& answer, const TellProgress& tell);
    /// Evaluations.
    std::int64_t look(Class& of, Answer& answer, const TellProgress& tell);
    RunSearch& search_of(Class& of);
    /// Long runs have low floors of cycles: none is looked into deeper than others may be.
    bool is_deep(const Class& of) const { return weights_.cycles > 0.0 && of.prefixes > deepest_; }
    void find_paths();
    double through(const Entry& entry) const;
    double limit_of(const Entry& entry) const;
    bool is_done() const;
    void report(const TellProgress& tell);
    std::optional<FoundPlan> plan() const;

    Evaluators evaluators_;
    const Evaluator& evaluator_;
    KnownShapes& shapes_;
    Weights weights_;
    const StopSource* stop_;
    int longest_run_;
    std::vector<Class> classes_;
    std::vector<Entry> entries_;  // by last, then by first from the last on
    std::vector<double> before_{kNever};
    std::vector<double> after_{kNever};
    std::vector<double> known_{kNever};
    std::vector<int> from_;        // by end: entry of the best known plan
    std::vector<int> least_from_;  // likewise of the path of the least floors
    std::int64_t by_rounds_ = 0;   // evaluations
    std::int64_t by_paths_ = 0;
    std::int64_t deepest_ = 4;       // look of a round
    std::optional<FoundPlan> best_;  // that was told
    double told_ = kNever;
};

}  // namespace tilewright::multicore
