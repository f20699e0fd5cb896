// `tilewright evaluate --fused-mapping FILE`: what a fused mapping of a cascade costs (docs/fusion.md).
#pragma once

#include <string>

#include "inputs/inputs.hpp"
#include "mapping/fused/text.hpp"
#include "options/exit_status.hpp"
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

}  // namespace tilewright::cli
