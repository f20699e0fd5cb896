// TimeloopMapper: the searches of timeloop-mapper, for comparison: their order, their draws, their stops, and the best
// by Timeloop's own cost model. Of its own runs it repeats every step (docs/search.md).
//
// Timeloop's threads are streams here: each has a share of the factorisations and stops by itself, so that the answer
// depends on how many streams there are, and not on the threads that run them. Of the budget, `evaluations` is
// Timeloop's search_size, which the streams share, and `victory` holds for each.
#pragma once

#include "mapper/mapper.hpp"
#include "mapper/timeloop/stream.hpp"

namespace tilewright {

class TimeloopMapper final : public Mapper {
   public:
    using Algorithm = timeloop_search::Algorithm;

    struct Options {
        int streams = 1;
        std::int64_t timeout = 1000;         ///< invalid mappings in a row after which a stream gives up; 0: never
        std::int64_t orders_per_visit = 16;  ///< random_pruned: of one factorisation
        /// Metrics in order, where the objective does not say all of them: empty.
        std::vector<timeloop_search::Metric> metrics = {};
        std::vector<std::int64_t> tried = {};  ///< for tests: by stream, so many mappings are looked at
    };

    explicit TimeloopMapper(Algorithm algorithm) : TimeloopMapper(algorithm, Options()) {}
    TimeloopMapper(Algorithm algorithm, Options options);

    std::string_view name() const override;
    std::string_view description() const override;
    std::int64_t default_victory() const override { return 500; }
    SearchResult search(const Mapspace& mapspace, const LeanEvaluator& evaluator, const Objective& objective,
                        const Budget& budget, const ProgressCallback& progress = {}) const override;

    /// What every stream did. Requires a space without a problem; `judge` is made of the objective.
    std::vector<timeloop_search::StreamResult> run(const timeloop_search::Space& space, const LeanEvaluator& evaluator,
                                                   const timeloop_search::Contest& contest, const Budget& budget,
                                                   const ProgressCallback& progress = {}) const;

   private:
    Algorithm algorithm_;
    Options options_;
};

/// "timeloop-hybrid" and the like.
std::vector<std::string_view> timeloop_mapper_names();
/// The mapper of that name, or nothing.
std::unique_ptr<TimeloopMapper> make_timeloop_mapper(std::string_view name, TimeloopMapper::Options options = {});

}  // namespace tilewright
