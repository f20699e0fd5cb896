// `tilewright evaluate --fused-mapping FILE`: what a fused mapping of a cascade costs (docs/fusion.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "inputs/inputs.hpp"
#include "mapping/fused/text.hpp"
#include "model/objective.hpp"
#include "options/verb.hpp"
#include "output/output.hpp"

namespace tilewright::cli {

struct FusedOptions {
    std::string file;   ///< "": none is asked for
    std::string found;  ///< the mapping that TileFlow printed, for factors that its file leaves open

    void declare(Options& options);
    bool given() const { return !file.empty(); }
};

/// A fused mapping in our own notations, text or YAML. Throws InputError at its place.
PlacedFusedMapping read_fused(const std::string& file, const Cascade& cascade, const Architecture& architecture);

/// Throws InputError; a mapping that breaks a rule is told on standard error, at its place.
ExitStatus evaluate_fused(const InputOptions& options, const FusedOptions& fused, const OutputOptions& output);

// `tilewright map --fuse --fused-mapping FILES`: the best mappings of the leaves that fused mappings leave open.

/// Of one tree all that `evaluate --fused-mapping` says, as text or JSON, report and mapping in the -o directory; of
/// several one line each, side by side, and a directory for each in the -o directory. Trees that do not fit are told on
/// standard error, at their place. Throws InputError.
ExitStatus fill_trees(Inputs& inputs, const std::vector<std::string>& files, const Objective& objective,
                      std::optional<double> time_limit_seconds, const OutputOptions& output);

}  // namespace tilewright::cli
