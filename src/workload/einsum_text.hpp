// Einsums as text: "O[n,k,p,q] += W[k,c,r,s] * I[n,c,2p+r,2q+s]".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "workload/einsum.hpp"

namespace tilewright {

/// Dimensions appear in the order of `extents`; each has to be used and each used one given. Throws InputError with the column.
Einsum parse_einsum(std::string_view text, const std::vector<std::pair<std::string, std::int64_t>>& extents);

}  // namespace tilewright
