// Dataflow searches: directives, order, tiles and clusters, for one layer on one machine with limited units and
// buffers.
//
//     DataflowSearch search;
//     const FoundDataflow found = search_dataflow(layer, hardware, *exact_judge(layer, hardware), search);
//
// Deterministic: the same seed gives the same answer on any number of threads. Anytime: a stopped search answers with
// the best so far.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/stop.hpp"
#include "maestro/cost/cost.hpp"
#include "maestro/dataflow/dataflow.hpp"
#include "model/objective.hpp"

namespace tilewright::dataflow {

// Judge: cost of a dataflow for a search: by the exact analysis, or by the public tool's counting.

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

enum class DataflowStrategy : std::uint8_t {
    gamma,  ///< GAMMA's genetic algorithm (Kao and Krishna, ICCAD 2020)
    anneal  ///< ours: annealed walks from many starts, each ended by a descent over single changes
};

/// "gamma", "dataflow": values of --mapper.
std::string_view name_of(DataflowStrategy strategy);
std::optional<DataflowStrategy> dataflow_strategy_named(std::string_view name);

/// Stopping conditions besides evaluations.
struct SearchLimits {
    const StopSource* stop = nullptr;
    Deadline deadline;

    bool reached() const { return (stop != nullptr && stop->requested()) || passed(deadline); }
};

struct DataflowSearch {
    DataflowStrategy strategy = DataflowStrategy::anneal;
    Objective objective;  ///< of energy in multiply-accumulates and cycles; no front
    /// False: anything the accounting answers for, as in GAMMA; else MAESTRO's section 3.3.
    bool legal = true;
    std::int64_t evaluations = 20000;
    std::uint64_t seed = 1;
    int threads = 0;               ///< 0: all there are
    std::vector<Dataflow> starts;  ///< known dataflows, tried first; sizes without free parameters
};

struct FoundDataflow {
    std::optional<Dataflow> dataflow;  ///< empty: no fitting one was met
    Verdict verdict;
    Score score;
    std::int64_t evaluations = 0;
    bool cut_short = false;  ///< a limit ended it before all evaluations
};

/// Evaluations so far and the best, serialized, from any thread.
using DataflowProgress = std::function<void(const FoundDataflow&)>;

/// The judge is of the same layer and hardware. The hardware's L1, L2 and units are limits.
FoundDataflow search_dataflow(const Layer& layer, const Hardware& hardware, const Judge& judge,
                              const DataflowSearch& search, const SearchLimits& limits = {},
                              const DataflowProgress& progress = {});

}  // namespace tilewright::dataflow
