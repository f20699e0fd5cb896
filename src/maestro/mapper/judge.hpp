// Judge: cost of a dataflow for a search: by the exact analysis, or by the public tool's counting.
#pragma once

#include <cstdint>
#include <memory>

#include "maestro/cost/cost.hpp"
#include "maestro/dataflow/dataflow.hpp"

namespace tilewright::dataflow {

struct Verdict {
    bool counted = false;  ///< else nothing below holds
    bool legal = false;    ///< satisfies MAESTRO's section 3.3
    std::int64_t cycles = 0;
    std::int64_t operations = 0;
    double energy = 0.0;        ///< in multiply-accumulates
    std::int64_t l1_bytes = 0;  ///< in the accounting's unit; the public tool's are elements
    std::int64_t l2_bytes = 0;
};

/// One layer on one machine. Not thread-safe: one per thread.
class Judge {
   public:
    virtual ~Judge() = default;
    virtual Verdict judge(const Dataflow& dataflow) = 0;
    virtual std::unique_ptr<Judge> another() const = 0;
};

/// The analysis of src/dataflow. Dataflows beyond its closed forms are not counted.
std::unique_ptr<Judge> exact_judge(const Layer& layer, const Hardware& hardware, const AccessEnergy& energy = {});
/// The public tool's numbers, faults included (docs/maestro.md). Results without an operation or cycle are not counted.
std::unique_ptr<Judge> tool_judge(const Layer& layer, const Hardware& hardware);

}  // namespace tilewright::dataflow
