#include "mapspace/factors/factor_rule.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/numbers/checked.hpp"

namespace tilewright {
namespace {

using enum FactorRule;
constexpr std::array<std::pair<FactorRule, std::string_view>, 5> kNames{
    {{perfect, "perfect"}, {ruby, "ruby"}, {ruby_s, "ruby-s"}, {ruby_t, "ruby-t"}, {padded, "padded"}}};

}  // namespace

std::string_view name_of(FactorRule rule) {
    return std::ranges::find(kNames, rule, [](const auto& entry) { return entry.first; })->second;
}

std::optional<FactorRule> factor_rule_named(std::string_view name) {
    for (const auto& [rule, its_name] : kNames)
        if (name == its_name) return rule;
    return std::nullopt;
}

bool allows_remainders(FactorRule rule, bool spatial) { return rule == ruby || rule == (spatial ? ruby_s : ruby_t); }

std::int64_t padded_extent(std::int64_t extent, std::int64_t fan_out) {
    return checked_mul(ceil_div(extent, fan_out), fan_out);
}

}  // namespace tilewright
