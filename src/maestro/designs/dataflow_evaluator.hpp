// Measures designs of MAESTRO's kind: a data-centric dataflow with open sizes on a two-level machine whose units and
// bandwidth vary; buffers are as large as the dataflow asks for (MAESTRO, section 5).
//
// Knobs: `units`, `noc` (bytes per cycle), `vector_width`, and the sizes that the dataflow leaves open. Where area or
// power are limited, whole ranges of points are skipped: area and power grow with every knob of the machine and with
// what a unit's buffer holds, which grows with tile sizes. What the innermost knobs do not change is not counted anew.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "explore/engine.hpp"
#include "maestro/cost/cost.hpp"
#include "maestro/designs/accelerator_cost.hpp"

namespace tilewright::explore {

/// What is mapped, and all that no knob says.
struct DataflowSubject {
    std::vector<dataflow::Layer> layers;  ///< each with its dataflow; run one after the other
    dataflow::Parameters parameters;
    dataflow::Hardware hardware;
    CostTable cost = maestro_2019();
};

/// What is measured: sums over the layers; buffers are the largest that any of them needs.
std::vector<Metric> dataflow_metrics();

/// Throws InputError(unknown_name), naming the nearest, for a knob that is none of the above, and bad_value for a value
/// that is no whole number of at least 1.
void check_dataflow_knobs(const DataflowSubject& subject, const Space& space);

class DataflowEvaluator : public Evaluator {
   public:
    struct Options {
        bool prune = true;
        bool keep_all = false;  ///< rows of designs over a limit too, and of those that are no design
        std::int64_t evaluated_together = 65'536;  ///< designs of one batch: what is kept at once, and takes memory
    };

    /// Both outlive the evaluator; check_dataflow_knobs() has passed. With pruning, what is skipped is over a limit.
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
