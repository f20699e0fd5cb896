// Whole runs side by side, as their documents tell them: totals first, then memories, then layers, by how they differ.
#pragma once

#include <string>
#include <vector>

#include "views/run.hpp"

namespace tilewright::cli {

/// Words that are documents of Tilewright's own: *.json, or a directory with a report.json.
bool are_runs(const std::vector<std::string>& words);

/// Reads the documents. Throws InputError.
std::vector<views::Run> read_runs(const std::vector<std::string>& words);

/// Requires at least one run.
std::string runs_text(const std::vector<views::Run>& runs);

}  // namespace tilewright::cli
