// `tilewright map --fuse`: the best fused mapping of a cascade (docs/fusion.md).
#pragma once

#include <string>
#include <vector>

#include "inputs/inputs.hpp"
#include "options/options.hpp"
#include "options/search.hpp"
#include "options/verb.hpp"
#include "output/output.hpp"

namespace tilewright::cli {

struct FusionOptions {
    bool fuse = false;
    std::vector<std::string> buffers;  ///< sizes in words: the fewest DRAM words at each
    std::vector<std::string> trees;    ///< files of fused mappings whose open leaves are to be mapped

    void declare(Options& options);
};

/// Names of the options of `map` that --fuse takes, or that the table of capabilities refuses beside it.
const std::vector<std::string>& options_of_fusion();

/// The one cascade that was given. Throws InputError(usage) where none was.
Cascade cascade_to_fuse(const std::string& verb, Inputs& inputs);

/// Answers as every verb does: groups and costs as text or JSON, report and mapping in the -o directory. `certificate`:
/// a file for it, or "". Throws InputError.
ExitStatus search_fused(InputOptions input, const SearchPlan& plan, const FusionOptions& fusion,
                        const std::string& certificate, const OutputOptions& output);

}  // namespace tilewright::cli
