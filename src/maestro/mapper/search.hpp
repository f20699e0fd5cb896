// Searches over dataflows: which directives, in which order, with which tiles and clusters, for one layer on one
// machine whose units and buffers are limits.
//
//     DataflowSearch search;
//     const FoundDataflow found = search_dataflow(layer, hardware, *exact_judge(layer, hardware), search);
//
// Deterministic: the same seed gives the same answer on any number of threads. Anytime: stopped, a search answers with
// the best dataflow so far.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "base/stop.hpp"
#include "maestro/mapper/judge.hpp"
#include "model/objective.hpp"

namespace tilewright::dataflow {

enum class DataflowStrategy : std::uint8_t {
    gamma,  ///< the genetic algorithm of GAMMA (Kao and Krishna, ICCAD 2020)
    anneal  ///< ours: annealed walks from many starts, each ended by a descent over one change at a time
};

/// "gamma", "dataflow": as --mapper has them.
std::string_view name_of(DataflowStrategy strategy);
std::optional<DataflowStrategy> dataflow_strategy_named(std::string_view name);

/// Ends of a search that no number of evaluations sets.
struct SearchLimits {
    const StopSource* stop = nullptr;
    Deadline deadline;

    bool reached() const { return (stop != nullptr && stop->requested()) || passed(deadline); }
};

struct DataflowSearch {
    DataflowStrategy strategy = DataflowStrategy::anneal;
    Objective objective;  ///< of energy in multiply-accumulates and cycles; no front
    /// False: whatever the accounting answers for, as GAMMA has it; else what MAESTRO's section 3.3 calls legal.
    bool legal = true;
    std::int64_t evaluations = 20000;
    std::uint64_t seed = 1;
    int threads = 0;               ///< 0: all there are
    std::vector<Dataflow> starts;  ///< known dataflows that take part first; sizes without free parameters
};

struct FoundDataflow {
    std::optional<Dataflow> dataflow;  ///< nothing: none that fits the machine was met
    Verdict verdict;
    Score score;
    std::int64_t evaluations = 0;
    bool cut_short = false;  ///< a limit was reached before all evaluations were spent
};

/// Evaluations so far and the best, one call at a time, from any thread.
using DataflowProgress = std::function<void(const FoundDataflow&)>;

/// The judge is of the same layer and hardware. L1, L2 and units of the hardware are limits.
FoundDataflow search_dataflow(const Layer& layer, const Hardware& hardware, const Judge& judge,
                              const DataflowSearch& search, const SearchLimits& limits = {},
                              const DataflowProgress& progress = {});

}  // namespace tilewright::dataflow
