// Stages: what stands between two stores, from the compute units outwards. Internal to certificate/.
//
// A stage is told by the stores inside it. Even mappings store all that a memory keeps at once: their stages are a
// chain, one per memory. Uneven ones store tensor by tensor, in any order that mapping/uneven.hpp allows: a tensor
// passes the memories in order, and no fan-out lies between the stores of one memory.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "certificate/common/charges.hpp"
#include "certificate/common/proof.hpp"

namespace tilewright::certificate {

/// The next store outwards.
struct Storing {
    int memory = 0;
    std::uint32_t tensors = 0;  ///< bits; 0: the memory keeps nothing
    int to = 0;                 ///< number of the stage outside it
};

struct Stage {
    int owner = -1;              ///< memory that temporal loops belong to here; -1: no loop is left
    bool owner_goes_on = false;  ///< some stage outside has loops of the same memory
    int crossed = 0;             ///< outermost fan-out inside
    std::uint32_t whole = 0;     ///< bit l: all that memory l keeps is stored
    std::uint32_t begun = 0;     ///< bit l: only a part of it
    std::array<std::uint32_t, kMaxMemories> missing{};  ///< tensors that each memory has yet to store
    /// By tensor: the outermost memory that its words have a place in. Those that it passes by stand at their first
    /// store, or as near to there as the order of memories allows.
    std::array<int, kMaxTensors> reached{};
    std::vector<Storing> next;  ///< none: all is stored
};

/// Each after all those inside it: the first has no store, the last has all.
std::vector<Stage> stages_of(const Charges& charges, Storage storage);

}  // namespace tilewright::certificate
