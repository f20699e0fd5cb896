// Checks the claims of a certificate: evaluates its mappings with the exact model and proves its bounds.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "certificate/claim/certificate.hpp"
#include "certificate/common/proof.hpp"
#include "mapping/mapping.hpp"
#include "mapspace/mapspace.hpp"

namespace tilewright::certificate {

/// A fault of a claim, or a part not confirmed.
struct Finding {
    std::string field;  ///< "score", "answers.0.mapping": path inside the claim
    std::string message;
};

struct Verdict {
    std::vector<Finding> findings;  ///< all faults; none: the claim is confirmed
    std::string proof;              ///< the theorem proven, in words
};

/// `stop`: polled; the rest then counts as not confirmed. Throws OverflowError for layers too large to count.
Verdict check(const Claim& claim, const Architecture& machine, const std::function<bool()>& stop = {});

// Membership of a legal mapping in a claim's space. Internal to certificate/.

/// Requires a legal mapping (mapping/validity.hpp).
bool is_in(const Mapspace& mapspace, Storage storage, const Einsum& einsum, const Architecture& machine,
           const Mapping& mapping);

}  // namespace tilewright::certificate
