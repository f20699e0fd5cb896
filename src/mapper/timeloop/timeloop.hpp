// TimeloopMapper: the searches of timeloop-mapper, for comparison: their order, draws, stops, and the best by
// Timeloop's own cost model. Its own runs are repeated step by step (docs/search.md).
//
// Timeloop's threads are streams here: each has a share of the factorisations and stops by itself, so the answer
// depends on the number of streams, not of threads. Of the budget, `evaluations` is Timeloop's search_size, shared by
// the streams, and `victory` holds for each.
#pragma once

#include "mapper/mapper.hpp"
#include "mapper/timeloop/stream.hpp"

namespace tilewright {

class TimeloopMapper final : public Mapper {
   public:
    using Algorithm = timeloop_search::Algorithm;

    struct Options {
        int streams = 1;
        std::int64_t timeout = 1000;         ///< invalid mappings in a row before a stream gives up; 0: no limit
        std::int64_t orders_per_visit = 16;  ///< random_pruned: of one factorisation
        /// Metrics in order; empty: the objective's.
        std::vector<timeloop_search::Metric> metrics = {};
        std::vector<std::int64_t> tried = {};  ///< for tests: mappings to try by stream
    };

    explicit TimeloopMapper(Algorithm algorithm) : TimeloopMapper(algorithm, Options()) {}
    TimeloopMapper(Algorithm algorithm, Options options);

    std::string_view name() const override;
    std::string_view description() const override;
    std::int64_t default_victory() const override { return 500; }
    SearchResult search(const Mapspace& mapspace, const LeanEvaluator& evaluator, const Objective& objective,
                        const Budget& budget, const ProgressCallback& progress = {}) const override;

    /// The result of every stream. Requires a space without a problem; `judge` is made of the objective.
    std::vector<timeloop_search::StreamResult> run(const timeloop_search::Space& space, const LeanEvaluator& evaluator,
                                                   const timeloop_search::Contest& contest, const Budget& budget,
                                                   const ProgressCallback& progress = {}) const;

   private:
    Algorithm algorithm_;
    Options options_;
};

/// "timeloop-hybrid" and the like.
std::vector<std::string_view> timeloop_mapper_names();
/// Null for an unknown name.
std::unique_ptr<TimeloopMapper> make_timeloop_mapper(std::string_view name, TimeloopMapper::Options options = {});

}  // namespace tilewright
