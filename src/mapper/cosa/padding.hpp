// Padding: extents with large primes have nothing to tile; they grow to the next number of small primes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workload/einsum.hpp"

namespace tilewright::cosa {

inline constexpr std::int64_t kLargestPrime = 7;

/// The smallest number from `extent` on with primes of at most kLargestPrime. Requires extent >= 1.
std::int64_t padded(std::int64_t extent);

/// The extents of the einsum, padded if `pad`.
std::vector<std::int64_t> extents_to_factorise(const Einsum& einsum, bool pad);

/// "P 13 -> 14: 1.08 times the iterations", or "" without padding.
std::string padding_text(const Einsum& einsum, const std::vector<std::int64_t>& extents);

}  // namespace tilewright::cosa
