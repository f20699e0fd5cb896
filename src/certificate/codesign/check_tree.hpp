// Checks that a certificate's machine is the best of its space: the tree covers the space, and each leaf holds.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "certificate/claim/check.hpp"
#include "certificate/codesign/tree.hpp"

namespace tilewright::certificate {

/// Relative difference below which machines count as equal.
inline constexpr double kEqualMachines = 1e-8;

struct TreeVerdict {
    std::vector<Finding> findings;  ///< "tree.12.layers.3": path and fault; none: all is confirmed
    std::string proof;              ///< the theorem proven, in words
};

/// `stop`: polled; the rest then counts as not confirmed. `tell`: boxes done, and their total.
TreeVerdict check(const MachineCertificate& certificate, const std::function<bool()>& stop = {},
                  const std::function<void(std::size_t, std::size_t)>& tell = {});

}  // namespace tilewright::certificate
