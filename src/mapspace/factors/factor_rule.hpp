// FactorRule: loops that may leave remainders (Ruby's mapspaces and their two baselines).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tilewright {

enum class FactorRule {
    perfect,  ///< every factor divides
    ruby,     ///< any loop may leave a remainder
    ruby_s,   ///< only spatial loops may
    ruby_t,   ///< only temporal loops may
    padded,   ///< perfect, of extents rounded up to a multiple of the fan-out; the padding is computed too
};

/// "perfect", "ruby", "ruby-s", "ruby-t", "padded".
std::string_view name_of(FactorRule rule);

/// The rule of that name, or nothing.
std::optional<FactorRule> factor_rule_named(std::string_view name);

bool allows_remainders(FactorRule rule, bool spatial);

/// Smallest multiple of `fan_out` that is at least `extent`. Requires both to be positive; throws OverflowError.
std::int64_t padded_extent(std::int64_t extent, std::int64_t fan_out);

}  // namespace tilewright
