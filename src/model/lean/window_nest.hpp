// The nest around a memory for one tensor with windows: moved ranks and their loops (window.cpp). Internal to model/.
#pragma once

#include <array>
#include <cstdint>

#include "model/lean/imperfect.hpp"

namespace tilewright::lean {

inline constexpr int kMaxWalkLoops = 32;

/// A temporal loop outside the child that matters, innermost first.
struct WalkLoop {
    int dimension;
    int rank;  ///< moved by it, -1 for none
    std::int64_t shift;
    std::int64_t extent;
    bool must_settle;  ///< some neighbours idle in its last iteration, others do not
};

/// Deliveries of memory `level` to memory `child`, past those between. Keeps references.
struct WindowNest {
    /// `number`: of the tensor.
    WindowNest(const Setup& problem, const ImperfectNest& loop_nest, int memory, int asking, int number);

    /// Has to come first.
    void choose_ranks();
    bool is_relevant(int d) const { return (form.relevant >> d & 1U) != 0; }
    /// False if there are too many.
    bool choose_loops();
    /// Number of walk loops inside loop j of the nest.
    int walk_index(int j) const;

    const Setup& setup;
    const ImperfectNest& nest;
    const int level;
    const int child;
    const TensorForm& form;
    const tilewright::Tensor& tensor;

    int ranks = 0;  ///< that change; the others only multiply
    std::array<const Rank*, kMaxRanks> rank;
    std::array<std::int64_t, kMaxRanks>
        unit;  ///< of a move along the rank, so that moves of all ranks add up to one number
    std::array<int, kMaxDimensions> rank_of;
    std::array<std::int64_t, kMaxDimensions> coefficient;
    double unchanging_words = 1.0;

    int innermost = 0;  ///< innermost loop of the nest that moves the tensor
    int loop_count = 0;
    std::array<WalkLoop, kMaxWalkLoops> loops;
};

}  // namespace tilewright::lean
