// Indices of dimensions, tensors and einsums as those of vectors.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tilewright::fusion {

inline std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

// A hash of several numbers, for what is remembered by questions.

class NumberHash {
   public:
    explicit NumberHash(std::uint64_t first) : hash_(first) {}

    void add(std::int64_t number) {
        constexpr std::uint64_t kPrime = 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio
        hash_ = (hash_ ^ static_cast<std::uint64_t>(number)) * kPrime;
        hash_ ^= hash_ >> 29U;
    }
    std::size_t value() const { return hash_; }

   private:
    std::uint64_t hash_;
};

}  // namespace tilewright::fusion
