// A way to go through a run: a step, and teams that are disjoint (a pipeline) or the same for all stages (turns), with
// the options of its stages as far as they are known.
#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "multicore/search/stage_options.hpp"

namespace tilewright::multicore {

struct Way {
    RunFrame frame;
    int size = 0;  ///< cores of turns; 0: a pipeline
    double floor = 0.0;
    bool done = false;
    std::vector<std::shared_ptr<const Shapes>> shapes = {};  // by stage; shared by alike stages
    std::map<std::pair<int, std::vector<int>>, std::unique_ptr<PlacelessOptions>> floors = {};  // by stage and kinds
    std::map<std::pair<int, Team>, std::unique_ptr<StageOptions>> options =
        {};  // by stage and team; null: none may run

    int stages() const { return frame.last - frame.first + 1; }
    /// Null: not all cores of the team run it.
    StageOptions* options_of(const Evaluators& evaluators, const Weights& weights, int stage, const Team& team);
    /// Of a team, alone, as far as it is known without a look: infinity where it may not run.
    double alone(const Evaluators& evaluators, const Weights& weights, int stage, const Team& team, bool& is_exact);
};

}  // namespace tilewright::multicore
