// Cascade: a network as one workload: einsums in the order in which they run, and the tensors that they share.
//
// Every einsum keeps its own shape (workload/einsum.hpp: what a mapping of it alone is made for). An Access says which
// words of a shared tensor each of its operands stands for: along every axis of the tensor an affine function of the
// einsum's dimensions. So a reshape, a transposition, a slice, padding and heads that lie side by side are accesses,
// and move nothing:
//
//     Q[m, 64h+e] is written by the projection as Q[m, k] and read by S[h,m,l] += Q[h,m,e] * K[h,l,e]
//     at (m, 64h+e); a 3x3 convolution with padding 1 reads its image at (c, q+s-1, p+r-1).
//
// Values; build them with cascade/builder.hpp, which checks them. Thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "workload/einsum.hpp"

namespace tilewright {

enum class TensorRole {
    input,         ///< comes from outside: images, tokens
    weight,        ///< comes from outside and is the same for every input
    cache,         ///< lives on between runs: keys and values; einsums may write parts of it before others read it
    intermediate,  ///< written here, read here, and needed nowhere else
    output,        ///< written here and wanted outside; may be read here, too
};

/// One place where a tensor is used: operand `operand` of einsum `einsum`, both indices.
struct TensorUse {
    int einsum = 0;
    int operand = 0;  ///< in Einsum::tensors, and in CascadeEinsum::accesses

    bool operator==(const TensorUse&) const = default;
};

struct CascadeTensor {
    std::string name;
    TensorRole role = TensorRole::intermediate;
    std::vector<std::int64_t> shape;  ///< extents of its axes in words; none: one word
    std::int64_t bits = 0;            ///< of a word; 0: as many as the words of each memory have
    /// Ascending. More than one: each writes a part of its own (a concatenation moves nothing then). None: it comes
    /// from outside.
    std::vector<TensorUse> writers = {};
    std::vector<TensorUse> readers = {};  ///< ascending
    /// The tensor that it is from the second repeat on, of the block that writes that tensor; -1: it is the same in
    /// every repeat.
    int carried_from = -1;
    /// The tensor whose words these are, picked by an index (rows of an embedding): moves nothing. -1: none.
    int view_of = -1;

    bool operator==(const CascadeTensor&) const = default;
};

/// Where along one axis of a shared tensor: offset + sum of coefficient * dimension of the einsum.
struct Coordinate {
    std::vector<Term> terms;
    std::int64_t offset = 0;

    bool operator==(const Coordinate&) const = default;
};

/// Which words of a shared tensor an operand stands for.
struct Access {
    int tensor = 0;  ///< in Cascade::tensors
    /// One per axis of the tensor. What lies outside the tensor is padding: it is not there and not made.
    std::vector<Coordinate> coordinates = {};
    /// Which words is not an affine function (rows picked by an index, a shuffle): `coordinates` is empty, any step may
    /// need any word, and what is needed in all is as much as the einsum's own operand has, at most all of the tensor.
    bool anywhere = false;

    bool operator==(const Access&) const = default;
};

enum class EinsumKind {
    contraction,  ///< sums of products: what an array of multiply-accumulate units is made for
    elementwise,  ///< every word written once from the words at its place
    pooling,      ///< sums or maxima over a window or whole rows
    statistics,   ///< of rows: maximum, sum, sum of squares, the largest k
    copy,         ///< computes nothing; the words have to be moved all the same
};

/// What units that are no multiplier arrays distinguish.
enum class OperationClass {
    multiply_add,  ///< one multiply-accumulate
    add,           ///< also subtract, compare, maximum, minimum, rectify
    multiply,
    divide,       ///< also roots and reciprocals
    exponential,  ///< also logarithm, sigmoid, tanh, error function, sine
};
inline constexpr int kOperationClasses = 5;

struct OperationCount {
    OperationClass operation = OperationClass::multiply_add;
    std::int64_t per_point = 1;  ///< for every point of the einsum's box

    bool operator==(const OperationCount&) const = default;
};

struct CascadeEinsum {
    std::string name;
    std::string op;  ///< the operator it came from: "Conv", "Softmax", ...
    Einsum einsum;
    EinsumKind kind = EinsumKind::contraction;
    std::vector<OperationCount> operations = {{}};
    std::vector<Access> accesses = {};  ///< one per operand, in the order of einsum.tensors
    /// Of statistics: a reader that itself reduces over the rows may read them unfinished and correct what it has
    /// summed up when they change: one multiplication per word that it accumulates and step (softmax).
    bool online = false;

    bool operator==(const CascadeEinsum&) const = default;
};

/// Einsums first <= i < end run `count` times one after the other, each time with weights and caches of their own; what
/// a tensor with `carried_from` is in the first repeat comes from before the block.
struct Block {
    std::string name;
    int first = 0;
    int end = 0;
    std::int64_t count = 1;

    bool operator==(const Block&) const = default;
};

/// An operator that is not in the cascade, and why. Sizes are 0 where they are not known.
struct NotCovered {
    std::string name;
    std::string op;
    std::string reason;
    std::int64_t bytes = 0;       ///< that it reads and writes
    std::int64_t operations = 0;  ///< that it computes: one per word written or read, whichever is more
    bool computes = true;         ///< false: it only moves data, or what it makes is known before the run

    bool operator==(const NotCovered&) const = default;
};

struct Cascade {
    std::string name;
    std::vector<CascadeEinsum> einsums;
    std::vector<CascadeTensor> tensors;
    std::vector<Block> blocks = {};  ///< apart from each other, ascending; einsums outside run once
    std::vector<NotCovered> not_covered = {};

    bool operator==(const Cascade&) const = default;

    int einsum_count() const { return static_cast<int>(einsums.size()); }
    int tensor_count() const { return static_cast<int>(tensors.size()); }
};

/// "input", "weight", ...; "contraction", ...; "multiply-add", "add", ...
std::string_view to_text(TensorRole role);
std::string_view to_text(EinsumKind kind);
std::string_view to_text(OperationClass operation);

/// Index of the tensor or einsum of that name, -1 when there is none.
int find_tensor(const Cascade& cascade, std::string_view name);
int find_einsum(const Cascade& cascade, std::string_view name);

/// How often an einsum runs: the count of its block.
std::int64_t repeats_of(const Cascade& cascade, int einsum);

/// Words of a tensor. Throws OverflowError.
std::int64_t words_of(const CascadeTensor& tensor);

/// From `low` to `high` along an axis, both included; low > high: nothing.
struct Interval {
    std::int64_t low = 0;
    std::int64_t high = -1;

    bool operator==(const Interval&) const = default;
    bool empty() const { return low > high; }
};

/// The box of the tensor that `access` reaches from a box of the einsum's dimensions, clipped to `tensor`; all of it
/// where `access` may be anywhere. An axis that lies outside altogether is empty. Requires no empty dimension.
std::vector<Interval> reached(const Access& access, const std::vector<Interval>& dimensions,
                              const CascadeTensor& tensor);

/// What makes a cascade malformed, in words, or "" when it is sound:
/// - a malformed einsum, two equal names, a number of accesses or coordinates that is not that of operands or axes;
/// - a tensor that is read before it is written, without uses, or whose role does not fit who writes and reads it;
/// - a reader that misses a tensor altogether, a writer that reaches outside it, or a tensor whose writers leave words
///   that are not written (their boxes are looked at);
/// - operands of other bits than their tensor, blocks that overlap or that are carried from a tensor of another shape.
std::string problem_with(const Cascade& cascade);

}  // namespace tilewright
