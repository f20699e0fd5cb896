// Certificate: a search's claim about its answer, self-contained.
//
// A plain value; frontend/native writes and reads certificate.json, check.hpp judges it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "base/required.hpp"
#include "certificate/common/proof.hpp"
#include "mapping/mapping.hpp"
#include "mapspace/constraints.hpp"
#include "mapspace/factors/factor_rule.hpp"
#include "mapspace/mapspace.hpp"
#include "sparse/design.hpp"
#include "workload/einsum.hpp"

namespace tilewright::certificate {

struct Space {
    std::string storage = "even";     ///< "even" or "uneven"
    std::string factors = "perfect";  ///< name of a factor rule

    /// "all even mappings with perfect factors that meet the constraints"
    std::string in_words(const Constraints& constraints) const;
    /// The checker covers the space.
    bool is_known() const;
    /// Requires is_known().
    FactorRule rule() const { return required(factor_rule_named(factors)); }
    Storage stored() const { return storage == "even" ? Storage::even : Storage::uneven; }
    bool operator==(const Space&) const = default;
};

struct Answer {
    Mapping mapping;
    Cost cost;

    bool operator==(const Answer&) const = default;
};

struct Claim {
    std::vector<std::string> names;  ///< of its layers
    Einsum einsum;
    Constraints constraints;
    std::optional<sparse::Design> zeros;  ///< the machine's optimisations; none: dense
    Space space;
    std::string objective;        ///< as in parse_objective
    std::vector<Answer> answers;  ///< the best mapping, or a Pareto front by energy
    double score = 0.0;           ///< of the best mapping; of a front: the least energy-delay product
    /// Lower bound of all scores; equal to the score: optimal. Meaningless for a front.
    double bound = 0.0;
    Outline outline;
};

struct Certificate {
    std::string tool_version;
    int model_version = 0;
    std::string network;                 ///< network of the layers
    std::vector<std::string> unclaimed;  ///< its layers without a claim
    std::string mapping_hash;            ///< XXH3-128 of the mapping.yaml written with it
    Architecture machine;
    std::vector<Claim> claims;
};

/// The checker can enumerate the space: perfect temporal factors, and all uneven mappings if uneven.
bool can_be_proven(const Mapspace& mapspace, const Space& space);

/// The goal of a claim: nothing beats its answers or, for a bound below the score, nothing is below the bound. Throws
/// std::invalid_argument for an unknown objective.
Goal goal_of(const Claim& claim);

/// Beyond the checker's limits (prove.hpp).
bool has_too_many_assignments(const Claim& claim, const Architecture& machine);

/// Reason the claim's zeros cannot be proven optimal, or "": savings that depend on tiles, wires with energy, uneven
/// mappings, remainders. Requires a claim with zeros.
std::string problem_with_zeros(const Claim& claim, const Architecture& machine);

/// The outline of a claim complete but for it.
Outline outline_of(const Claim& claim, const Architecture& machine);

}  // namespace tilewright::certificate
