// Searches all layer shapes of a network, side by side.
#pragma once

#include <vector>

#include "cache.hpp"
#include "report/report.hpp"
#include "search.hpp"

namespace tilewright::cli {

/// Fills in the layers of the report, one per task. Layers share the threads, and so do the parts of each: the answers
/// are the same on any number of them. After Ctrl-C every layer that was begun has its best so far, and
/// report.interrupted is set. A time limit is shared out as layers begin. Throws InputError(overflow).
void search_layers(const std::vector<Task>& tasks, const SearchPlan& plan, ResultCache& cache, bool quiet,
                   report::Report& report);

}  // namespace tilewright::cli
