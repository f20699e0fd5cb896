// Identifiers for an einsum's dimensions and tensors: legal in C++, distinct, and close to their names.
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

/// For a // comment: one line without a continuation.
std::string comment(const std::string& text);

}  // namespace tilewright::cuda
