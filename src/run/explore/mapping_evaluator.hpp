// Measures designs by mapping: every distinct layer of a design's network gets the best mapping on its machine.
#pragma once

#include <string>
#include <vector>

#include "explore/engine.hpp"
#include "run/answer_cache.hpp"
#include "run/explore/design.hpp"

namespace tilewright {

/// Metrics of a design, totals over the network. If only the front counts, designs are skipped that are dominated even
/// with every layer at its bound (run/floor.hpp).
std::vector<explore::Metric> mapping_metrics();

struct MappedSums {
    double macs = 0.0;
    double energy_pj = 0.0;
    double cycles = 0.0;
    double proven_layers = 0.0;
};

/// Of a network on a machine, by metric.
std::vector<double> mapping_values(const Architecture& architecture, const MappedSums& sums);

/// Layers with a possible proof; a cascade mapped as a whole is one.
std::int64_t layer_count(const Design& design);

/// The row of a design: every layer mapped, or a reason; once `stop` is requested, the best so far.
explore::Row mapped_row(const Design& design, const explore::Specification& specification, AnswerCache& cache,
                        const StopSource& stop);

class MappingEvaluator : public explore::Evaluator {
   public:
    /// All outlive the evaluator. `together`: most points measured in parallel and stored at once.
    MappingEvaluator(DesignSource& designs, const explore::Specification& specification, AnswerCache& cache,
                     std::int64_t together);

    std::optional<explore::Batch> evaluate(const explore::Chunk& chunk, const StopSource& stop) override;
    bool learns() const override { return !specification_.front_only.empty(); }
    void learn(const std::vector<explore::Row>& incumbents) override;

   private:
    struct Found {
        bool known = false;
        std::optional<explore::Row> row;  ///< nothing: it is skipped
    };
    bool is_out_of_question(const Design& design) const;
    void count(const explore::Row& row, explore::Batch& batch) const;

    DesignSource& designs_;
    const explore::Specification& specification_;
    AnswerCache& cache_;
    std::int64_t together_;
    std::vector<explore::Row> front_;  ///< so far, if only the front counts
};

/// A design's floor bounds this metric, so designs may be discarded by it.
bool has_floor(const explore::Metric& metric);

}  // namespace tilewright
