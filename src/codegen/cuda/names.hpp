// Identifiers for the dimensions and tensors of an einsum: legal in C++, distinct, and as near to their names as that
// allows.
#pragma once

#include <string>
#include <vector>

#include "workload/einsum.hpp"

namespace tilewright::cuda {

struct Names {
    std::vector<std::string> dimensions;  ///< "k"
    std::vector<std::string> tensors;     ///< "weights"
};

Names names_for(const Einsum& einsum);

/// `text` in small letters, digits and underscores, starting with a letter: "layer1.0/conv" -> "layer1_0_conv".
std::string identifier(const std::string& text);

/// For a // comment: one line, nothing that could continue it.
std::string comment(const std::string& text);

}  // namespace tilewright::cuda
