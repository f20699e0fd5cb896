// Cascade: a network as one workload: einsums in execution order, and their shared tensors.
//
// Every einsum keeps its own shape (workload/einsum.hpp), the basis of its own mapping. An Access maps each operand to
// a shared tensor: along every tensor axis an affine function of the einsum's dimensions. So reshapes, transpositions,
// slices, padding and side-by-side heads are accesses, and move nothing:
//
//     Q[m, 64h+e] is written by the projection as Q[m, k] and read by S[h,m,l] += Q[h,m,e] * K[h,l,e]
//     at (m, 64h+e); a 3x3 convolution with padding 1 reads its image at (c, q+s-1, p+r-1).
//
// Values; cascade/builder.hpp builds and checks them. Thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "workload/einsum.hpp"

namespace tilewright {

enum class TensorRole {
    input,         ///< from outside: images, tokens
    weight,        ///< from outside, the same for every input
    cache,         ///< persists between runs: keys and values; einsums may write parts of it before others read it
    intermediate,  ///< written and read here only
    output,        ///< written here for outside use; may be read here, too
};

/// A use of a tensor: operand `operand` of einsum `einsum`, both indices.
struct TensorUse {
    int einsum = 0;
    int operand = 0;  ///< in Einsum::tensors, and in CascadeEinsum::accesses

    bool operator==(const TensorUse&) const = default;
};

struct CascadeTensor {
    std::string name;
    TensorRole role = TensorRole::intermediate;
    std::vector<std::int64_t> shape;  ///< extents of its axes in words; none: one word
    std::int64_t bits = 0;            ///< per word; 0: each memory's word width
    /// Ascending. Several: each writes a part (a concatenation then moves nothing). None: an outside tensor.
    std::vector<TensorUse> writers = {};
    std::vector<TensorUse> readers = {};  ///< ascending
    /// The tensor's source from the second repeat on, written by the same block; -1: the same in every repeat.
    int carried_from = -1;
    /// The tensor with its words, picked by an index (rows of an embedding): moves nothing. -1: none.
    int view_of = -1;

    bool operator==(const CascadeTensor&) const = default;
};

/// A place along one axis of a shared tensor: offset + sum of coefficient * dimension of the einsum.
struct Coordinate {
    std::vector<Term> terms;
    std::int64_t offset = 0;

    bool operator==(const Coordinate&) const = default;
};

/// The words of a shared tensor behind an operand.
struct Access {
    int tensor = 0;  ///< in Cascade::tensors
    /// One per axis of the tensor. Places outside the tensor are padding: neither stored nor made.
    std::vector<Coordinate> coordinates = {};
    /// Irregular access (rows picked by an index, a shuffle): `coordinates` is empty, any step may need any word, and
    /// the total need is the einsum's own operand, at most the whole tensor.
    bool anywhere = false;

    bool operator==(const Access&) const = default;
};

enum class EinsumKind {
    contraction,  ///< sums of products: work of a multiply-accumulate array
    elementwise,  ///< every word written once from the words at its place
    pooling,      ///< sums or maxima over a window or whole rows
    statistics,   ///< of rows: maximum, sum, sum of squares, the largest k
    copy,         ///< pure data movement
};

/// Operation classes of units other than multiplier arrays.
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
    std::int64_t per_point = 1;  ///< per point of the einsum's box

    bool operator==(const OperationCount&) const = default;
};

struct CascadeEinsum {
    std::string name;
    std::string op;  ///< source operator: "Conv", "Softmax", ...
    Einsum einsum;
    EinsumKind kind = EinsumKind::contraction;
    std::vector<OperationCount> operations = {{}};
    std::vector<Access> accesses = {};  ///< one per operand, in the order of einsum.tensors
    /// Statistics: a reader reducing over the same rows may read them unfinished and correct its sums on a change: one
    /// multiplication per accumulated word and step (softmax).
    bool online = false;

    bool operator==(const CascadeEinsum&) const = default;
};

/// Einsums first <= i < end run `count` times in sequence, each time with weights and caches of their own; a tensor
/// with `carried_from` comes from before the block in the first repeat.
struct Block {
    std::string name;
    int first = 0;
    int end = 0;
    std::int64_t count = 1;

    bool operator==(const Block&) const = default;
};

/// An operator outside the cascade, with the reason. Unknown sizes are 0.
struct NotCovered {
    std::string name;
    std::string op;
    std::string reason;
    std::int64_t bytes = 0;       ///< read and written
    std::int64_t operations = 0;  ///< one per word written or read, whichever is more
    bool computes = true;         ///< false: pure data movement, or known before the run

    bool operator==(const NotCovered&) const = default;
};

struct Cascade {
    std::string name;
    std::vector<CascadeEinsum> einsums;
    std::vector<CascadeTensor> tensors;
    std::vector<Block> blocks = {};  ///< disjoint, ascending; einsums outside run once
    std::vector<NotCovered> not_covered = {};

    bool operator==(const Cascade&) const = default;

    int einsum_count() const { return static_cast<int>(einsums.size()); }
    int tensor_count() const { return static_cast<int>(tensors.size()); }
};

/// "input", "weight", ...; "contraction", ...; "multiply-add", "add", ...
std::string_view to_text(TensorRole role);
std::string_view to_text(EinsumKind kind);
std::string_view to_text(OperationClass operation);

/// Index of the named tensor or einsum, or -1.
int find_tensor(const Cascade& cascade, std::string_view name);
int find_einsum(const Cascade& cascade, std::string_view name);

/// The repeats of an einsum: the count of its block.
std::int64_t repeats_of(const Cascade& cascade, int einsum);

/// Words of a tensor. Throws OverflowError.
std::int64_t words_of(const CascadeTensor& tensor);

/// From `low` to `high` along an axis, both included; low > high: empty.
struct Interval {
    std::int64_t low = 0;
    std::int64_t high = -1;

    bool operator==(const Interval&) const = default;
    bool empty() const { return low > high; }
};

/// The tensor box reached by `access` from a box of the einsum's dimensions, clipped to `tensor`; the whole tensor for
/// an irregular access. An axis completely outside is empty. Requires no empty dimension.
std::vector<Interval> reached(const Access& access, const std::vector<Interval>& dimensions,
                              const CascadeTensor& tensor);

/// Reason why a cascade is malformed, or "":
/// - a malformed einsum, two equal names, a number of accesses or coordinates different from the operands or axes;
/// - a tensor read before it is written, without uses, or in a role against its writers and readers;
/// - a reader missing a tensor altogether, a writer reaching outside it, or words left unwritten (by the writers'
/// boxes);
/// - operands of other bits than their tensor, blocks overlapping or carried from a tensor of another shape.
std::string problem_with(const Cascade& cascade);

}  // namespace tilewright
