// Stages: sets of placed stores, from the compute units outwards.
//
// An even mapping places all tensors of a memory at once: its stages are a chain. An uneven one places them one by one:
// its stages are the sets closed towards the inside and split by no fan-out. Loops are placed between stages.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "mapper/optimal/geometry/charges.hpp"

namespace tilewright::optimal {

/// Places tensors of one memory. `tensors` is empty for a memory keeping nothing.
struct Placing {
    int memory = 0;
    TensorSet tensors;
    bool completes = true;  ///< the memory's stores are complete
    int to = 0;             ///< target stage
};

struct Stage {
    int owner = 0;  ///< memory owning the loops here; none at the last stage
    std::array<std::int8_t, kMaxTensors>
        stored{};             ///< by tensor: the outermost memory placed, kept or bypassed; all memories: none
    int crossed = 0;          ///< the outermost fan-out inside all later loops
    std::uint32_t begun = 0;  ///< memories with some of their stores
    std::uint32_t whole = 0;  ///< memories with all of their stores
    std::vector<Placing> next;
};

/// Every stage comes after its predecessors. The first has no store, the last all.
class Stages {
   public:
    static Stages even(const Charges& charges);
    static Stages uneven(const Charges& charges);

    const std::vector<Stage>& all() const { return stages_; }
    bool are_even() const { return even_; }

   private:
    std::vector<Stage> stages_;
    bool even_ = true;
};

}  // namespace tilewright::optimal
