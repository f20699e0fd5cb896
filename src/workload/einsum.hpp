// Einsum: one layer as an affine contraction over a box of iterations.
//
// Every dimension runs from 0 to extent - 1. Each tensor is addressed by ranks; a rank is a sum of coefficient *
// dimension terms, so a convolution reads I[n, c, 2p + r, 2q + s]. Written tensors (usually one) accumulate; the others
// are only read. Values are immutable once checked; all of it is thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

/// Bounds of the evaluators' fixed-size arrays; readers refuse larger einsums with a clear message.
inline constexpr int kMaxDimensions = 16;
inline constexpr int kMaxTensors = 8;
inline constexpr int kMaxRanks = 8;
inline constexpr std::int64_t kMaxWordBits = 4096;

struct Dimension {
    std::string name;
    std::int64_t extent = 1;

    bool operator==(const Dimension&) const = default;
};

/// coefficient * dimension; the coefficient may be negative, never zero.
struct Term {
    int dimension = 0;
    std::int64_t coefficient = 1;

    bool operator==(const Term&) const = default;
};

/// One axis of a tensor: the sum of its terms (no terms: always 0).
struct Rank {
    std::vector<Term> terms;

    bool operator==(const Rank&) const = default;
};

struct Tensor {
    std::string name;
    std::vector<Rank> ranks;
    bool written = false;
    std::int64_t bits = 0;        ///< per word; 0: each memory's word width
    std::int64_t scale_bits = 0;  ///< of these, a word's share of the scale of its block (arch/blocks.hpp)

    bool operator==(const Tensor&) const = default;
};

struct Einsum {
    std::string name;
    std::vector<Dimension> dimensions;
    std::vector<Tensor> tensors;

    bool operator==(const Einsum&) const = default;

    int dimension_count() const { return static_cast<int>(dimensions.size()); }
    int tensor_count() const { return static_cast<int>(tensors.size()); }
};

/// A set of an einsum's tensors, by index.
class TensorSet {
   public:
    constexpr TensorSet() = default;
    static constexpr TensorSet all(int tensor_count) { return TensorSet((1U << tensor_count) - 1U); }
    static constexpr TensorSet of(int tensor) { return TensorSet(1U << tensor); }

    constexpr bool has(int tensor) const { return (bits_ >> tensor & 1U) != 0; }
    constexpr bool empty() const { return bits_ == 0; }
    constexpr void add(int tensor) { bits_ |= 1U << tensor; }
    constexpr void remove(int tensor) { bits_ &= ~(1U << tensor); }
    constexpr std::uint32_t bits() const { return bits_; }
    static constexpr TensorSet from_bits(std::uint32_t bits) { return TensorSet(bits); }

    constexpr bool operator==(const TensorSet&) const = default;

   private:
    explicit constexpr TensorSet(std::uint32_t bits) : bits_(bits) {}
    std::uint32_t bits_ = 0;
};

bool is_relevant(const Tensor& tensor, int dimension);

/// Index of the named dimension or tensor, or -1.
int find_dimension(const Einsum& einsum, std::string_view name);
int find_tensor(const Einsum& einsum, std::string_view name);

/// Multiply-accumulates: the product of the extents. Throws OverflowError.
std::int64_t operation_count(const Einsum& einsum);

/// Words of the bounding box of the whole iteration space. Throws OverflowError.
std::int64_t tensor_words(const Einsum& einsum, int tensor);

/// Reason why an einsum is malformed, or "": no dimensions or tensors, an extent below 1, a zero coefficient, a term
/// without dimension, two equal names, no written tensor, a dimension or tensor too many, words beyond kMaxWordBits.
std::string problem_with(const Einsum& einsum);

/// "O[n,k,p,q] += W[k,c,r,s] * I[n,c,2p+r,2q+s]", for parse_einsum.
std::string to_text(const Einsum& einsum);

}  // namespace tilewright
