// A server on any machine whose layers are mapped: steps from the costs of `map`, between points of a grid.
//
// A step's products have as many rows as tokens, so their time is that of as many decodes, or of a prompt as long;
// attention is added for the decodes by number and context, and for every chunk by its tokens and those before. Points
// lie at powers; between them times are linear in each size. Layouts: tensor parallel groups.
#pragma once

#include <functional>
#include <vector>

#include "llm/server/best.hpp"
#include "run/llm/serve.hpp"

namespace tilewright {

/// Largest sizes of a server's steps.
struct StepRange {
    std::int64_t requests = 1;   ///< at once
    std::int64_t tokens = 2048;  ///< of a step
    std::int64_t context = 4096;
};

/// Points for devices `tensor`: of all of them the plan is made at once.
std::vector<llm::Point> step_points(const StepRange& range, std::int64_t tensor);

/// Requires costs of step_points() for every layout asked. Throws InputError(unsupported) for other layouts, and for
/// points without costs.
llm::ServerOf mapped_server(const std::vector<llm::PhaseCosts>& costs, const llm::Engine& engine);

}  // namespace tilewright
