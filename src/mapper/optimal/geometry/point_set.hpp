// PointSet: a set of points of a lattice, 64 to a word, so that all of them take a step at once.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilewright::optimal {

class PointSet {
   public:
    PointSet() = default;
    /// Nothing of `size` points.
    explicit PointSet(int size) : words_((static_cast<std::size_t>(size) + kBits - 1) / kBits, 0) {}

    bool has(int point) const { return (words_[word(point)] >> bit(point) & 1U) != 0; }
    void add(int point) { words_[word(point)] |= std::uint64_t{1} << bit(point); }
    /// All from `begin` to before `end`.
    void add(int begin, int end);
    void keep(const PointSet& others);
    void remove(const PointSet& others);
    /// Adds those that are `distance` after a point of the set which `may_step`. False when all were there.
    bool add_after(int distance, const PointSet& may_step);
    /// Adds those that `may_step` and are `distance` before a point of the set.
    bool add_before(int distance, const PointSet& may_step);
    /// Those that `may_step` and are `distance` before one of these.
    PointSet before(int distance, const PointSet& may_step) const;

    /// visit(point), in order.
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
