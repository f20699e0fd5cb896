// Padding: extents whose large primes leave nothing to tile grow to the next number of small primes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workload/einsum.hpp"

namespace tilewright::cosa {

inline constexpr std::int64_t kLargestPrime = 7;

/// The smallest number from `extent` on whose primes are at most kLargestPrime. Requires extent >= 1.
std::int64_t padded(std::int64_t extent);

/// The extents of the einsum, each padded where `pad` says so.
std::vector<std::int64_t> extents_to_factorise(const Einsum& einsum, bool pad);

/// "P 13 -> 14: 1.08 times the iterations", or "" when nothing was padded.
std::string padding_text(const Einsum& einsum, const std::vector<std::int64_t>& extents);

}  // namespace tilewright::cosa
