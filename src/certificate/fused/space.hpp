// Which fused mappings a claim speaks of: groups, their shared loops, and how operands follow these (docs/fusion.md,
// "The space").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "workload/cascade/cascade.hpp"

namespace tilewright::certificate::fused_proof {

/// Dimensions of one einsum that the outer and the inner shared loop drive; -1: there is none.
using Driven = std::array<int, 2>;

/// How the tiles of an operand move.
enum class Moves {
    with_all,    ///< with every shared loop, each along an axis of its own
    with_outer,  ///< with the outer one only, and its tiles are apart
    never,
    otherwise,  ///< a leaf has to read it by itself
};

struct Operand {
    int tensor = -1;
    bool written = false;
    Moves moves = Moves::otherwise;
    std::array<int, 2> axes{-1, -1};  ///< along which the loops move it
    std::int64_t words_each = 1;      ///< at one place of these axes
    bool whole = false;               ///< those are all there are
};

struct LoopPair {
    Driven driven{-1, -1};
    bool may_be_one_step = false;
};

class Space {
   public:
    explicit Space(const Cascade& cascade);

    const Cascade& cascade() const { return cascade_; }
    const Einsum& einsum(int e) const { return cascade_.einsums[e].einsum; }
    const CascadeTensor& tensor(int t) const { return cascade_.tensors[t]; }
    int count() const { return cascade_.einsum_count(); }
    double repeats(int e) const { return static_cast<double>(repeats_of(cascade_, e)); }

    std::vector<Operand> operands(int e, const Driven& driven) const;
    /// Shared loops of groups that end with the einsum.
    std::vector<LoopPair> loops(int e) const;
    /// Steps of a loop over one of its dimensions.
    std::vector<std::int64_t> steps(int e, int dimension, bool may_be_one_step) const;
    /// Groups that end with the einsum begin with this one at the earliest: they lie inside a block.
    int earliest(int e) const;
    /// The dimension that alone says where on an axis of its operand the einsum is; -1: none.
    int dimension_on(int e, int operand, int axis) const;
    /// A group up to `last` may keep it in the buffer only: it is made by one and read no later.
    bool may_stay(int tensor, int last) const;
    /// Comes from outside, for one reader.
    bool is_private(int tensor) const;

   private:
    bool is_summed_place(const Coordinate& coordinate, const Einsum& einsum, std::int64_t extent) const;
    void mark_images();

    const Cascade& cascade_;
    std::vector<bool> wanted_elsewhere_;    // by tensor: in the next repeat, or as another tensor
    std::vector<std::vector<bool>> image_;  // by tensor and axis: windows slide along it, here or elsewhere
};

/// What an einsum must not have for any claim to be judged, in words; "" when it has none of it.
std::string problem_with_einsums(const Cascade& cascade);

// Places in vectors, of numbers that are never negative where they are used.

inline std::size_t place(std::int64_t number) { return static_cast<std::size_t>(number); }

}  // namespace tilewright::certificate::fused_proof
