// The exact cost model of fused mappings (docs/fusion.md has the rules).
//
//     const fused::Answer answer = fused::evaluate(cascade, architecture, mapping);
//     for (const FusedViolation& violation : answer.violations) ...
//     if (answer.evaluation) use(answer.evaluation->energy_pj);
//
// A walk in boxes (walk.hpp) says which boxes the leaves make and what the shared stores are sent; the exact model of
// single layers (model/exact) says what a leaf costs on each of its boxes. oracle/fused.hpp is the judge.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "base/stop.hpp"
#include "mapping/fused/fused_mapping.hpp"
#include "mapping/fused/validity.hpp"
#include "model/fused/evaluation.hpp"
#include "workload/words.hpp"

namespace tilewright::fused {

struct Answer {
    std::vector<FusedViolation> violations;  ///< empty: there is an evaluation
    std::optional<Evaluation> evaluation;
};

/// Why fused mappings are not counted on a machine, or "".
std::string problem_with(const Architecture& architecture);

/// Requires problem_with() to be "". Throws OverflowError when a count leaves 64 bits; Stopped where `stop` is given
/// and requested. Pure; thread-safe. `partial`: bits of partial sums, by tensor of the cascade (docs/fusion.md,
/// "Partial sums").
Answer evaluate(const Cascade& cascade, const Architecture& architecture, const FusedMapping& mapping,
                const StopSource* stop = nullptr, const PartialBits& partial = {});

}  // namespace tilewright::fused
