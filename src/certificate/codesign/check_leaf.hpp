// Checks a leaf: a box not cut any further. Internal to certificate/codesign.
#pragma once

#include <functional>
#include <vector>

#include "certificate/claim/check.hpp"
#include "certificate/codesign/tree.hpp"

namespace tilewright::certificate {

/// All faults; fields are paths inside the node.
std::vector<Finding> check_leaf(const MachineCertificate& certificate, const BoxNode& node,
                                const std::function<bool()>& stop);

}  // namespace tilewright::certificate
