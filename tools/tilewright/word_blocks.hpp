// Layers whose words lie in blocks that share a scale on the command line: --bits Weights=4/32:8.
#pragma once

#include <string>
#include <vector>

#include "run/word_blocks/word_blocks.hpp"
#include "search.hpp"

namespace tilewright::cli {

/// Refuses settings whose answer nothing here stands behind; throws InputError(usage).
void check_for_blocks(const MapOptions& options);

/// Maps as map_blocks() does, with a line of progress and Ctrl-C. `network`: whose formats `blocks` has.
report::Report map_in_blocks(const Network& network, const Architecture& architecture, const BlockSearch& blocks,
                             const MapOptions& options, AnswerCache& cache, bool quiet);

/// What was searched, as certificates speak of it: layers and machine in parts of a bit. Requires `blocks.machine`.
report::Report searched_report(const report::Report& report, const BlockSearch& blocks);

/// The layers of the network in the same parts. Requires `blocks.machine`.
Network searched_network(const Network& network, const BlockSearch& blocks);

}  // namespace tilewright::cli
