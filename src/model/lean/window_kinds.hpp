// Kinds of instances: equal loops below all outer memories, as far as they matter (window.cpp). Internal to model/.
#pragma once

#include <array>
#include <cstdint>

#include "model/lean/window_nest.hpp"

namespace tilewright::lean {

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
