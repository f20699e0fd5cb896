#include "mapspace/factors/factor_rule.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/numbers/checked.hpp"

namespace tilewright {
namespace {

constexpr std::array<std::pair<FactorRule, std::string_view>, 5> kNames{{{FactorRule::perfect, "perfect"},
                                                                         {FactorRule::ruby, "ruby"},
                                                                         {FactorRule::ruby_s, "ruby-s"},
                                                                         {FactorRule::ruby_t, "ruby-t"},
                                                                         {FactorRule::padded, "padded"}}};

}  // namespace

std::string_view name_of(FactorRule rule) {
    return std::ranges::find(kNames, rule, [](const auto& entry) { return entry.first; })->second;
}

std::optional<FactorRule> factor_rule_named(std::string_view name) {
    for (const auto& [rule, its_name] : kNames)
        if (name == its_name) return rule;
    return std::nullopt;
}

bool allows_remainders(FactorRule rule, bool spatial) {
    return rule == FactorRule::ruby || rule == (spatial ? FactorRule::ruby_s : FactorRule::ruby_t);
}

std::int64_t padded_extent(std::int64_t extent, std::int64_t fan_out) {
    return checked_mul(ceil_div(extent, fan_out), fan_out);
}

}  // namespace tilewright
