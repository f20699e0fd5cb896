// --bits as text: "Weights=4", "conv2*:Inputs=8", "Outputs=8/32" (final words / partial sums), "Weights=4/32:8" (8 bits
// of scale for every 32 words).
#pragma once

#include <string>
#include <vector>

#include "workload/cascade/cascade.hpp"
#include "workload/widths.hpp"
#include "workload/words.hpp"

namespace tilewright::cli {

struct Widths {
    std::vector<TensorWidth> words;         ///< of final ones, where partial sums differ
    std::vector<TensorWidth> partial_sums;  ///< one for each of `words`; 0 bits: no wider
    bool have_partial_sums = false;
    bool have_blocks = false;
};

/// Throws InputError(usage).
Widths read_widths(const std::string& verb, const std::vector<std::string>& texts);

/// Partial sums of a cascade whose widths are set, by tensor; empty: none is given. Throws InputError(usage).
PartialBits read_partial_sums(const std::string& verb, const std::vector<std::string>& texts, const Cascade& cascade);

}  // namespace tilewright::cli
