// The --cosa-* options: how `--mapper cosa` formulates its program.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "mapper/cosa/schedule.hpp"
#include "options.hpp"
#include "workload/einsum.hpp"

namespace tilewright::cli {

struct CosaPlan {
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
    cosa::Options options() const;

    /// `bits` by the names of tensors. Throws InputError(usage) for what is no number of bits.
    std::vector<std::pair<std::string, std::int64_t>> tensor_bits() const;

    /// Throws InputError(usage) where `bits` names a tensor that a layer does not have.
    void check(const Einsum& einsum) const;

    /// Those that were given, for the report.
    std::vector<std::pair<std::string, std::string>> for_the_report() const;
};

}  // namespace tilewright::cli
