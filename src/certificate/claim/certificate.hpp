// Certificate: what a search claims of its answer, with all that is needed to check it.
//
// A plain value; frontend/native writes it as certificate.json and reads it back, check.hpp judges it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "base/required.hpp"
#include "certificate/common/goal.hpp"
#include "certificate/common/proof.hpp"
#include "mapping/mapping.hpp"
#include "mapspace/constraints.hpp"
#include "mapspace/factors/factor_rule.hpp"
#include "mapspace/mapspace.hpp"
#include "sparse/design.hpp"
#include "workload/einsum.hpp"

namespace tilewright::certificate {

/// Of which mappings the claim is made.
struct Space {
    std::string storage = "even";     ///< "even" or "uneven"
    std::string factors = "perfect";  ///< name of a factor rule

    /// "all even mappings with perfect factors that meet the constraints"
    std::string in_words(const Constraints& constraints) const;
    /// The checker can prove something of it.
    bool is_known() const;
    /// Requires is_known().
    FactorRule rule() const { return required(factor_rule_named(factors)); }
    Storage stored() const { return storage == "even" ? Storage::even : Storage::uneven; }
    bool operator==(const Space&) const = default;
};

/// A mapping and what it costs.
struct Answer {
    Mapping mapping;
    Cost cost;

    bool operator==(const Answer&) const = default;
};

/// One layer shape.
struct Claim {
    std::vector<std::string> names;  ///< of the layers that have it
    Einsum einsum;
    Constraints constraints;
    std::optional<sparse::Design> zeros;  ///< what the machine does about them; none: nothing
    Space space;
    std::string objective;        ///< as parse_objective reads it
    std::vector<Answer> answers;  ///< the best mapping, or a Pareto front by energy
    double score = 0.0;           ///< of the best mapping; of a front: of the one of the least energy-delay product
    /// No mapping has a smaller score; equal to it: the mapping is optimal. Of a front it says nothing.
    double bound = 0.0;
    Outline outline;
};

struct Certificate {
    std::string tool_version;
    int model_version = 0;
    std::string network;                 ///< what the layers are of
    std::vector<std::string> unclaimed;  ///< its layers of which nothing is claimed
    std::string mapping_hash;            ///< XXH3-128 of the mapping.yaml that was written with it
    Architecture machine;
    std::vector<Claim> claims;
};

/// The checker knows how to go through the mappings of the space: temporal factors divide, and of uneven mappings all.
bool can_be_proven(const Mapspace& mapspace, const Space& space);

/// What is to be shown of a claim: that nothing beats its answers or, where the bound is less than the score, that
/// nothing has less than the bound. Throws std::invalid_argument for an unknown objective.
Goal goal_of(const Claim& claim);

/// So many are not gone through (prove.hpp).
bool has_too_many_assignments(const Claim& claim, const Architecture& machine);

/// Why what the machine does about zeros cannot be proven to be best, in words, or "": what it saves depends on the
/// tiles of a mapping, wires cost energy, or mappings are uneven or have remainders. Requires a claim with zeros.
std::string problem_with_zeros(const Claim& claim, const Architecture& machine);

/// Lists what has to be shown, for a claim that is complete but for its outline.
Outline outline_of(const Claim& claim, const Architecture& machine);

}  // namespace tilewright::certificate
