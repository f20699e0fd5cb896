// The best mappings of one einsum on a box of its iterations, some of its operands in the buffer already.
//
// The space of a leaf: stores of all that is not in the buffer yet inside loops that fill it from the DRAM; inside, the
// array; in each unit's register one operand's word.
//   - Cut into tiles are dimensions that stand alone on the axes of operands, with factors that divide. Of those that
//     move the same operands one after the other is cut, a later one where the earlier ones are at one. Loops that move
//     the same operands stand together; these groups are in any order.
//   - Across X and across Y runs at most one dimension each, as far as the mesh and whole factors allow.
//   - The register holds the word of an operand without windows, or none; inside the buffer its loops are outermost.
// So all a leaf does is sums of products, and its best are found by listing tiles (docs/fusion.md). Thread-safe.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fusion/leaf/array_floor.hpp"
#include "fusion/leaf/neighbours.hpp"
#include "fusion/leaf/ranking.hpp"
#include "fusion/machine/machine.hpp"
#include "mapping/fused/fused_mapping.hpp"
#include "workload/cascade/cascade.hpp"
#include "workload/einsum.hpp"

namespace tilewright::fusion {

/// Of one call; of resumed ones, of all that follow each other.
struct LeafPoint {
    std::int64_t words = 0;  ///< of the buffer, for the leaf's own tiles
    double energy_pj = 0.0;
    double cycles = 0.0;

    bool operator==(const LeafPoint&) const = default;
};

/// None has another with no more words that is no worse by the ranking; ascending words, then what
/// counts first.
using LeafFront = std::vector<LeafPoint>;

struct LeafQuestion {
    std::vector<std::int64_t> extents;  ///< of the box, by dimension
    TensorSet held;                     ///< operands in the buffer
    /// Calls that come after the first one and go on with its sums, by the same nest. Results are held then.
    std::int64_t resumed = 0;

    std::strong_ordering operator<=>(const LeafQuestion& other) const {
        if (const auto order = extents <=> other.extents; order != 0) return order;
        return std::pair(held.bits(), resumed) <=> std::pair(other.held.bits(), other.resumed);
    }
    bool operator==(const LeafQuestion&) const = default;
};

/// Of such a question about an einsum, or a shape of einsums.
std::size_t hash_of(int einsum, const LeafQuestion& question);

/// What makes an einsum none that leaves are searched for, in words: negative coefficients, results with windows or
/// words of a width of their own.
std::string problem_with_leaf(const Einsum& einsum, std::int64_t word_bits);
/// Why fused mappings of such a cascade are not searched, in words; "" when they are. Such are an einsum that
/// problem_with_leaf names, and one that changes a cache in place.
/// `word_bits`: of the buffer.
std::string problem_with_cascade(const Cascade& cascade, std::int64_t word_bits);

/// Only points that fit into the whole buffer.
LeafFront leaf_front(const Einsum& einsum, const Machine& machine, const LeafQuestion& question, Neighbours& neighbours,
                     Ranking ranking = Ranking::both);

/// No point of it costs less energy, or fewer cycles; found without looking at tiles. Its words are 0.
LeafPoint leaf_floor(const Einsum& einsum, const Machine& machine, const LeafQuestion& question,
                     Neighbours& neighbours);

/// Every point of it costs no less than one of these, energy and cycles at once; none of them beats another. The words
/// are 0; ascending energy.
LeafFront leaf_corners(const Einsum& einsum, const Machine& machine, const LeafQuestion& question,
                       Neighbours& neighbours);

/// The nest of a point of that front. Throws std::logic_error for one that is not of it.
LeafNest nest_of(const Einsum& einsum, const Machine& machine, const LeafQuestion& question, const LeafPoint& point);

}  // namespace tilewright::fusion
