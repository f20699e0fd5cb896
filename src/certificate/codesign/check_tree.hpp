// Checks that no machine of a space is better than the best one of a certificate: that the boxes of its tree leave out
// no machine, and what is said of each.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "certificate/claim/check.hpp"
#include "certificate/codesign/tree.hpp"

namespace tilewright::certificate {

/// How much less than the best a machine may come to and still count as equal.
inline constexpr double kEqualMachines = 1e-8;

struct TreeVerdict {
    std::vector<Finding> findings;  ///< "tree.12.layers.3": what is wrong there; none: all is confirmed
    std::string proof;              ///< what was proven, in words
};

/// `stop`: asked from time to time; what is left then is not confirmed. `tell`: how many boxes are done, of how many.
TreeVerdict check(const MachineCertificate& certificate, const std::function<bool()>& stop = {},
                  const std::function<void(std::size_t, std::size_t)>& tell = {});

}  // namespace tilewright::certificate
