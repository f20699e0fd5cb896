// Checks the claims of a certificate: evaluates its mappings with the ordinary model and proves its bounds.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "certificate/claim/certificate.hpp"

namespace tilewright::certificate {

/// What is wrong with a claim, or not confirmed.
struct Finding {
    std::string field;  ///< "score", "answers.0.mapping": path inside the claim
    std::string message;
};

struct Verdict {
    std::vector<Finding> findings;  ///< everything that is wrong; none: the claim is confirmed
    std::string proof;              ///< what was proven, in words, when it was
};

/// `stop`: asked from time to time; when it says so, what is
/// left counts as not confirmed. Throws OverflowError for layers that are too large to count.
Verdict check(const Claim& claim, const Architecture& machine, const std::function<bool()>& stop = {});

}  // namespace tilewright::certificate
