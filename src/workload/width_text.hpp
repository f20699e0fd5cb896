// Widths of words as texts: "Weights=4", "conv2*:Inputs=8", "Outputs=8/32" (final words / partial sums),
// "Weights=4/32:8" (8 bits of scale for every 32 words).
//
//     const std::vector<TensorWidth> widths = parse_widths("--bits", {"Weights=4", "Outputs=8/32"});
#pragma once

#include <string>
#include <vector>

#include "workload/widths.hpp"

namespace tilewright {

/// In order. `option` begins messages. Throws InputError(usage).
std::vector<TensorWidth> parse_widths(const std::string& option, const std::vector<std::string>& texts);

/// One of them, of which `text` stands behind "=". Throws InputError(usage).
TensorWidth parse_width(const std::string& option, const std::string& layers, const std::string& tensor,
                        const std::string& text);

}  // namespace tilewright
