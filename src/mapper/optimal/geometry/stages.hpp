// Stages: which stores are already placed, from the compute units outwards.
//
// An even mapping places all tensors of a memory at once, so its stages are a chain, one per memory. An uneven one
// places them one by one: its stages are the sets of stores that are closed towards the inside and that no fan-out
// splits. Between two stages loops are placed.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "mapper/optimal/geometry/charges.hpp"

namespace tilewright::optimal {

/// Places some tensors of one memory. `tensors` may be empty: the memory keeps nothing.
struct Placing {
    int memory = 0;
    TensorSet tensors;
    bool completes = true;  ///< the memory then has all its stores
    int to = 0;             ///< the stage that it leads to
};

struct Stage {
    int owner = 0;  ///< memory that loops belong to here; of the last stage: none
    std::array<std::int8_t, kMaxTensors>
        stored{};             ///< the outermost memory placed, kept or passed by; all memories: none
    int crossed = 0;          ///< the outermost fan-out inside all loops to come
    std::uint32_t begun = 0;  ///< memories with some, but not all of their stores
    std::uint32_t whole = 0;  ///< memories with all of them
    std::vector<Placing> next;
};

/// In an order in which every stage comes after those that lead to it. The first one has no store, the last one all.
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
