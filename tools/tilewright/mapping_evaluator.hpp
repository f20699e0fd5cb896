// Measures designs by mapping: every distinct layer of a design's network gets the best mapping on its machine.
#pragma once

#include <string>
#include <vector>

#include "designs.hpp"
#include "explore/engine.hpp"
#include "run/answer_cache.hpp"

namespace tilewright::cli {

/// What is measured of a design, totals over the network.
std::vector<explore::Metric> mapping_metrics();

class MappingEvaluator : public explore::Evaluator {
   public:
    /// All outlive the evaluator.
    MappingEvaluator(Designs& designs, const explore::Specification& specification, AnswerCache& cache);

    std::optional<explore::Batch> evaluate(const explore::Chunk& chunk, const StopSource& stop) override;

   private:
    explore::Row row_of(const Design& design, const StopSource& stop) const;

    Designs& designs_;
    const explore::Specification& specification_;
    AnswerCache& cache_;
};

}  // namespace tilewright::cli
