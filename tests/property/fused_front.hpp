// A front of fused mappings against the enumeration of all of them: no mapping lies below a proven line, none is
// cheaper than a proven point by its weights, and by no weights is one cheaper than the front by more than its gap.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "fused_enumeration.hpp"
#include "fusion/optimize.hpp"
#include "harness.hpp"
#include "workload/cascade/cascade.hpp"
#include "workload/words.hpp"

namespace tilewright::property {

struct FrontTally {
    std::uint64_t fronts = 0;
    std::uint64_t several = 0;  ///< of several points
    std::uint64_t whole = 0;    ///< of which nothing is open
    std::uint64_t corners = 0;  ///< of the hulls of all mappings
    std::uint64_t points = 0;
    std::uint64_t proven = 0;  ///< of these
    std::uint64_t inner = 0;   ///< of these, by both energy and cycles
    std::uint64_t lines = 0;
};

/// The DRAM slow and of little energy, the buffer fast and of much: what spares cycles takes energy. The buffer is
/// memory 1.
void make_contrary(Architecture& machine, Random& random);

/// Nothing where all is as it says. `all`: not empty.
std::string differences_of_front(const fusion::Answer& answer, const std::vector<FusedCost>& all,
                                 const Cascade& cascade, const Architecture& architecture, const PartialBits& partial,
                                 FrontTally& tally);

/// --least-fronts and its like.
void declare_front(Harness& harness, const FrontTally& tally);

/// "12 fronts, ..."
std::string to_text(const FrontTally& tally);

}  // namespace tilewright::property
