// Tile sizes and their sums, as exact as linear rows can be.
//
// - The length of an axis moved by one dimension in steps of 1 is the product of its factors: exact.
// - A strided or sliding axis depends on its (position, kernel) pair: one binary per pair of divisors selects it, exact
//   too. With too many pairs, or more than two dimensions, the product of the single lengths replaces it, an upper
//   bound.
// - Tiles sharing a memory add up. The sum of powers of two is convex, so each tangent is a valid row; a few come
//   first, and cut_off() adds the tangent at a solution's own tiles until they fit.
// Padding: extents with large primes have nothing to tile; they grow to the next number of small primes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "mapper/cosa/shared_buffers.hpp"
#include "workload/einsum.hpp"

namespace tilewright::cosa {

class Tiles {
   public:
    Tiles(const Encoding& encoding, const std::vector<SharedBuffer>& buffers);

    /// Sum over limited memories and their tensors of log2 of the tile's words.
    const mip::Expression& utilization() const { return utilization_; }

    /// Adds a row for every memory whose tiles do not fit together in `placement`. False if all fit.
    bool cut_off(const Placement& placement);

   private:
    struct Shared {
        SharedBuffer buffer;
        std::vector<mip::Expression> log_words;  ///< by tile, widened
        double slack = 0.0;                      ///< grows if a row failed to cut off its target
    };
    /// The lengths of one axis: sum of coefficient * (extent - 1), plus 1.
    using Axis = std::vector<std::pair<int, std::int64_t>>;  // dimension, size of the coefficient

    void add_buffer(const SharedBuffer& buffer);
    void add_first_tangents(const Shared& shared);
    void add_tangent(const Shared& shared, const std::vector<double>& shares);
    mip::Expression log_words(int memory, int tensor);
    mip::Expression log_length(int memory, const Axis& axis);
    mip::Expression chosen_length(int memory, const Axis& axis, const std::vector<std::vector<std::int64_t>>& divisors);
    mip::Expression product_of_lengths(int memory, const Axis& axis);

    const Encoding& encoding_;
    const Layout& layout_;
    mip::Expression utilization_;
    std::vector<Shared> shared_;
    std::map<std::pair<int, Axis>, mip::Expression> lengths_;  // by memory: tensors may share an axis
};

inline constexpr std::int64_t kLargestPrime = 7;

/// The smallest number from `extent` on with primes of at most kLargestPrime. Requires extent >= 1.
std::int64_t padded(std::int64_t extent);

/// The extents of the einsum, padded if `pad`.
std::vector<std::int64_t> extents_to_factorise(const Einsum& einsum, bool pad);

/// "P 13 -> 14: 1.08 times the iterations", or "" without padding.
std::string padding_text(const Einsum& einsum, const std::vector<std::int64_t>& extents);

}  // namespace tilewright::cosa
