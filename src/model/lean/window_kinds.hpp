// Kinds of instances: equal loops below all outer memories, as far as they matter (window.cpp). Internal to model/.
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

/// Loops of one dimension for some indices of its spatial loops, with the dimension in its last chunk.
struct Variant {
    double delivered = 1.0;       ///< index combinations
    double groups = 1.0;          ///< those of them that represent a group of neighbours
    std::uint32_t differs = 0;    ///< bit j: inside walk loop j the last chunk differs from a full one
    std::uint32_t ends_last = 0;  ///< bit j: the last iteration of walk loop j runs the last chunk inside
    std::array<std::int32_t, kMaxWalkLoops> trips;  ///< of walk loop j; only those of the dimension are set
};

/// By dimension: every spatial index is before the last one, the last one, or idle in the last chunk.
class InstanceKinds {
   public:
    /// Marks the loops of `at` that must settle.
    explicit InstanceKinds(WindowNest& at) : at_(at) {}

    /// False if there are too many.
    bool add_dimension(int d);

    int dimensions() const { return count_; }
    int dimension(int index) const { return dimensions_[index]; }
    int variants(int index) const { return variant_count_[index]; }
    const Variant& variant(int index, int v) const { return variants_[index][v]; }

   private:
    static constexpr int kMaxVariants = 12;
    struct Growing {
        Variant variant;
        bool same;    ///< inside, the last chunk is like a full one
        bool active;  ///< inside, the last chunk has work
        int walked;   ///< walk loops so far
    };

    void grow(Growing growing, int d, int j);
    void temporal(Growing& growing, const ImperfectLoop& loop, int j) const;
    static void mark(Growing& growing, int k);
    void spread(const Growing& growing, int d, const ImperfectLoop& loop);
    void finish(Growing& growing);
    bool alike(const Variant& a, const Variant& b, int d) const;

    WindowNest& at_;
    bool failed_ = false;
    int count_ = 0;
    std::array<int, kMaxDimensions> dimensions_;
    std::array<int, kMaxDimensions> variant_count_;
    std::array<std::array<Variant, kMaxVariants>, kMaxDimensions> variants_;
};

}  // namespace tilewright::lean
