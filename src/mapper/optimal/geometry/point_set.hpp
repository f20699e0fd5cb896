// PointSet: bit set of lattice points; one step moves 64 at once.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilewright::optimal {

class PointSet {
   public:
    PointSet() = default;
    /// Empty, for `size` points.
    explicit PointSet(int size) : words_((static_cast<std::size_t>(size) + kBits - 1) / kBits, 0) {}

    bool has(int point) const { return (words_[word(point)] >> bit(point) & 1U) != 0; }
    void add(int point) { words_[word(point)] |= std::uint64_t{1} << bit(point); }
    void add(int begin, int end);
    void keep(const PointSet& others);
    void remove(const PointSet& others);
    /// Adds `distance` + every point of the set in `may_step`. False if all were present.
    bool add_after(int distance, const PointSet& may_step);
    /// Adds points in `may_step` `distance` before a point of the set.
    bool add_before(int distance, const PointSet& may_step);
    /// Points in `may_step` `distance` before one of these.
    PointSet before(int distance, const PointSet& may_step) const;

    template <typename Visit>
    void visit(const Visit& visit) const {
        for (std::size_t w = 0; w < words_.size(); ++w)
            for (std::uint64_t left = words_[w]; left != 0; left &= left - 1)
                visit(static_cast<int>(w * kBits) + std::countr_zero(left));
    }

   private:
    static constexpr std::size_t kBits = 64;
    static std::size_t word(int point) { return static_cast<std::size_t>(point) / kBits; }
    static unsigned bit(int point) { return static_cast<unsigned>(point) % kBits; }

    std::vector<std::uint64_t> words_;
};

}  // namespace tilewright::optimal
