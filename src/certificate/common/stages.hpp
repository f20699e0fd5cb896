// Stages: intervals between two stores, from the compute units outwards. Internal to certificate/.
//
// A stage is the set of stores inside it. Even mappings store all of a memory's tensors at once: their stages are a
// chain. Uneven ones store tensor by tensor, in any order of mapping/uneven.hpp: a tensor passes the memories in order,
// and no fan-out lies between the stores of one memory.
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
    int owner = -1;                                     ///< memory owning the temporal loops here; -1: no loop is left
    bool owner_goes_on = false;                         ///< some outer stage has loops of the same memory
    int crossed = 0;                                    ///< outermost fan-out inside
    std::uint32_t whole = 0;                            ///< bit l: memory l is stored completely
    std::uint32_t begun = 0;                            ///< bit l: memory l is stored in part
    std::array<std::uint32_t, kMaxMemories> missing{};  ///< tensors still to be stored in each memory
    /// By tensor: the outermost memory with a place for its words. Bypassed memories stand at their first store, or as
    /// near to it as the order of memories allows.
    std::array<int, kMaxTensors> reached{};
    std::vector<Storing> next;  ///< none: all is stored
};

/// Each after all its predecessors: the first has no store, the last all.
std::vector<Stage> stages_of(const Charges& charges, Storage storage);

}  // namespace tilewright::certificate
