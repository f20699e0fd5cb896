// PlaceBits: a set of numbers 0 .. n-1 with a quick successor search, even if sparse.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilewright::schedule {

class PlaceBits {
   public:
    PlaceBits() = default;
    explicit PlaceBits(std::size_t size) : words_(size / 64 + 1, 0), blocks_(size / 4096 + 1, 0) {}

    void insert(std::size_t i) {
        words_[i / 64] |= bit(i);
        blocks_[i / 4096] |= bit(i / 64);
    }
    void erase(std::size_t i) {
        words_[i / 64] &= ~bit(i);
        if (words_[i / 64] == 0) blocks_[i / 4096] &= ~bit(i / 64);
    }
    bool contains(std::size_t i) const { return (words_[i / 64] & bit(i)) != 0; }

    static constexpr std::size_t kNone = ~std::size_t{0};

    /// The least member >= `from`, or kNone.
    std::size_t next(std::size_t from) const {
        std::size_t word = from / 64;
        if (word >= words_.size()) return kNone;
        const std::uint64_t here = words_[word] & (~std::uint64_t{0} << (from % 64));
        if (here != 0) return word * 64 + static_cast<std::size_t>(std::countr_zero(here));
        ++word;
        std::size_t block = word / 64;
        if (block >= blocks_.size()) return kNone;
        std::uint64_t left = blocks_[block] & (~std::uint64_t{0} << (word % 64));
        while (left == 0)
            if (++block == blocks_.size())
                return kNone;
            else
                left = blocks_[block];
        word = block * 64 + static_cast<std::size_t>(std::countr_zero(left));
        return word * 64 + static_cast<std::size_t>(std::countr_zero(words_[word]));
    }

   private:
    static std::uint64_t bit(std::size_t i) { return std::uint64_t{1} << (i % 64); }

    std::vector<std::uint64_t> words_;
    std::vector<std::uint64_t> blocks_;  ///< index of non-empty words
};

}  // namespace tilewright::schedule
