// A leaf: one einsum on a box of its iterations, some of its operands in the shared buffer already. Thread-safe.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fusion/cost/cost.hpp"
#include "workload/cascade/cascade.hpp"
#include "workload/einsum.hpp"

namespace tilewright::fusion {

/// Of one call; of resumed ones, of all that follow each other.
struct LeafPoint {
    std::int64_t words = 0;  ///< units of the buffer (Machine::unit_bits) for the leaf's own tiles
    double energy_pj = 0.0;
    double cycles = 0.0;

    bool operator==(const LeafPoint&) const = default;
};

/// None has another with no more words that is no worse in energy and cycles; ascending words, then energy.
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

/// Energy and cycles of a point of iterations.
struct LeastPerPoint {
    double energy_pj = 0.0;
    double cycles = 0.0;
};

/// Of such a question about an einsum, or a shape of einsums.
std::size_t hash_of(int einsum, const LeafQuestion& question);

/// What makes an einsum none that leaves are searched for, in words: negative coefficients or results with windows.
std::string problem_with_leaf(const Einsum& einsum);
/// Why fused mappings of such a cascade are not searched, in words; "" when they are. Such are an einsum that
/// problem_with_leaf names, and one that changes a cache in place.
std::string problem_with_cascade(const Cascade& cascade);

// What leaves cost, by the boxes that they are asked for.

/// Answers stay where they are until others are learnt.
class Leaves {
   public:
    Leaves() = default;
    Leaves(const Leaves&) = delete;
    Leaves& operator=(const Leaves&) = delete;
    virtual ~Leaves() = default;

    virtual const LeafFront& front(int einsum, const LeafQuestion& question) = 0;
    /// No mapping of the leaf is below it.
    virtual const LeafPoint& floor(int einsum, const LeafQuestion& question) = 0;
    /// No mapping of the leaf is below all of these at once; ascending energy, descending cycles.
    virtual std::span<const LeafPoint> corners(int einsum, const LeafQuestion& question) {
        return {&floor(einsum, question), 1};
    }
    /// Inside the groups, of a point of any box: none costs less than all of these at once. `paid`: by operand, words
    /// of a point whose way from or to the DRAM is counted elsewhere, if they come from there; below 0: the buffer
    /// holds it.
    virtual const std::vector<LeastPerPoint>& per_point(int einsum, const std::vector<double>& paid) = 0;
    /// The same of a point of this box; empty: no more is known.
    virtual Hull per_point_of(int /*einsum*/, const std::vector<std::int64_t>& /*extents*/,
                              const std::vector<double>& /*paid*/) {
        return {};
    }
    /// per_point_of() knows something.
    virtual bool knows_boxes() const { return false; }
    /// Leaves that were asked for.
    virtual std::size_t count() const = 0;
};

// Words that a leaf brings at least, however it cuts its box.

/// Words of an operand that a box touches: no tiling of it moves fewer, where windows step over some.
double touched_words(const Tensor& tensor, const std::vector<std::int64_t>& extents);

}  // namespace tilewright::fusion
