// A search of fused mappings as the tools ask for it: what the machine demands of mappings, and of which kind it is.
//
//     const Fusing fusing = fusing_of(cascade, architecture, objective, machine.constraints());
//     if (fusing.problem.empty()) use(fuse(cascade, architecture, fusing, objective, &stop));
#pragma once

#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "fusion/optimize.hpp"
#include "mapspace/constraints.hpp"
#include "run/map_network.hpp"
#include "workload/cascade/cascade.hpp"

namespace tilewright {

struct Fusing {
    std::string problem = {};               ///< why nothing is searched; "" when something is
    bool inside = false;                    ///< there are more than units with a register of one word in the buffer
    std::vector<Constraints> demands = {};  ///< by einsum
    std::string roles = {};                 ///< a note on what plays the weights of the demands; "" without demands
};

/// A cascade on a machine, with what the machine demands of its einsums' mappings.
struct FusedProblem {
    Cascade cascade;
    Architecture architecture;
    std::vector<Constraints> demands = {};  ///< by einsum
};

/// Throws what `constraints` throws: it is asked in the names of layers.
Fusing fusing_of(const Cascade& cascade, const Architecture& architecture, const Objective& objective,
                 const ConstraintsOf& constraints = {});

/// Requires that there is no problem. `partial`: bits of partial sums by tensor. Throws OverflowError.
fusion::Answer fuse(const Cascade& cascade, const Architecture& architecture, const Fusing& fusing,
                    const Objective& objective, const StopSource* stop = nullptr, const fusion::TellProgress& tell = {},
                    const PartialBits& partial = {});

/// The same for a problem whose machine and objective are searched.
fusion::Answer fuse(const FusedProblem& problem, const Objective& objective, const StopSource* stop = nullptr);

/// Throws InputError(usage), the sentence of the table of capabilities, for words that fused mappings do not have.
void require_fused_words(bool partial_sums, bool blocks);

// A limited outermost memory: the search of fused mappings knows unlimited ones only.

/// The architecture without the limit of its outermost memory where that holds all tensors of the cascade at once,
/// those of a block as often as it runs, so that no mapping meets the limit; else as it is. Throws OverflowError.
Architecture with_room_for(const Cascade& cascade, Architecture architecture);

}  // namespace tilewright
