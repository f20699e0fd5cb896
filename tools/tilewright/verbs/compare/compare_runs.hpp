// Whole runs side by side, as their documents tell them: totals first, then memories, then layers, by how they differ.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/views/figures.hpp"

namespace tilewright::cli {

/// Words that are documents of Tilewright's own: *.json, or directories.
bool are_runs(const std::vector<std::string>& words);

/// Reads the documents: report.json, simulation.json and the like, none larger than `largest_input_mib` (64). Throws
/// InputError.
std::vector<views::Document> read_documents(const std::vector<std::string>& words,
                                            std::optional<std::int64_t> largest_input_mib);

/// Requires at least one run.
std::string runs_text(const std::vector<views::Run>& runs);

}  // namespace tilewright::cli
