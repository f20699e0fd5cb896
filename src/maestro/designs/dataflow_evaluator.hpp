// Evaluates MAESTRO-style designs: a data-centric dataflow with free sizes on a two-level machine with variable units
// and bandwidth; buffers as required by the dataflow (MAESTRO, section 5).
//
// Knobs: `units`, `noc` (bytes per cycle), `vector_width`, and the dataflow's free sizes. Under area or power limits
// whole ranges of points are skipped: both grow with every machine knob and with a unit's buffer, which grows with tile
// sizes. Counts independent of the innermost knobs are reused.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "explore/engine.hpp"
#include "maestro/cost/cost.hpp"
#include "maestro/designs/accelerator_cost.hpp"

namespace tilewright::explore {

/// The mapped layers and all fixed data.
struct DataflowSubject {
    std::vector<dataflow::Layer> layers;  ///< each with its dataflow; run in sequence
    dataflow::Parameters parameters;
    dataflow::Hardware hardware;
    CostTable cost = maestro_2019();
};

/// Metrics: sums over the layers; buffers are maxima over them.
std::vector<Metric> dataflow_metrics();

/// Throws InputError(unknown_name), naming the nearest, for an unknown knob, and bad_value for a value other than an
/// integer of at least 1.
void check_dataflow_knobs(const DataflowSubject& subject, const Space& space);

class DataflowEvaluator : public Evaluator {
   public:
    struct Options {
        bool prune = true;
        bool keep_all = false;                     ///< also rows of designs over a limit and of invalid ones
        std::int64_t evaluated_together = 65'536;  ///< designs per batch, held in memory together
    };

    /// Both outlive the evaluator; check_dataflow_knobs() has passed. With pruning, skipped designs are over a limit.
    DataflowEvaluator(const DataflowSubject& subject, const Specification& specification, Options options);
    ~DataflowEvaluator() override;

    std::optional<Batch> evaluate(const Chunk& chunk, const StopSource& stop) override;

   private:
    class Walk;
    const DataflowSubject& subject_;
    const Specification& specification_;
    Options options_;
};

}  // namespace tilewright::explore
