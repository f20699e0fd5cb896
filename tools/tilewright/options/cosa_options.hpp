// The --cosa-* options: how `--mapper cosa` formulates its program.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mapper/cosa/schedule.hpp"
#include "options/options.hpp"
#include "workload/einsum.hpp"

namespace tilewright::cli {

struct CosaPlan {
    std::string machine;  ///< its name in the zoo, of which weights may be known (calibrated_weights); else anything
    std::string formulation;
    std::string variant;
    std::string goal;
    std::string orders;
    std::vector<std::string> weights;  ///< "utilization=0.1" and the like
    std::vector<std::string> bits;     ///< "Weights=8"
    bool pad = false;

    void declare(Options& options);

    /// True when the user gave any of them.
    bool given() const;

    /// Throws InputError(usage) for weights that make no sense.
    cosa::ProgramOptions options() const;

    /// The same for one layer, whose tensors `bits` names. Throws InputError(usage) for a tensor that it does not have.
    cosa::ProgramOptions options(const Einsum& einsum) const;

    /// Those that were given, for the report; and the weights, where they were not given and the machine has its own.
    std::vector<std::pair<std::string, std::string>> for_the_report() const;

   private:
    std::vector<std::pair<std::string, std::string>> given_words() const;
    std::optional<cosa::Weights> own_weights() const;
};

/// What `tilewright calibrate` finds for a GPU of the zoo, in place of the released weights; nothing where it finds
/// none that are better.
std::optional<cosa::Weights> calibrated_weights(const std::string& machine);

}  // namespace tilewright::cli
