#include "explore/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

namespace tilewright::explore {
namespace {

constexpr std::array<std::pair<std::string_view, Condition::Relation>, 6> kRelations{{
    {"<=", Condition::Relation::at_most},
    {">=", Condition::Relation::at_least},
    {"!=", Condition::Relation::differs},
    {"<", Condition::Relation::less},
    {">", Condition::Relation::more},
    {"=", Condition::Relation::equal},
}};

std::optional<std::size_t> find_metric(const std::vector<Metric>& metrics, std::string_view name) {
    for (std::size_t i = 0; i < metrics.size(); ++i)
        if (metrics[i].name == name || (!name.empty() && metrics[i].alias == name)) return i;
    return std::nullopt;
}

std::optional<std::size_t> find_knob(const Space* space, std::string_view name) {
    if (space == nullptr) return std::nullopt;
    for (std::size_t i = 0; i < space->knobs().size(); ++i)
        if (space->knobs()[i].name == name) return i;
    return std::nullopt;
}

[[noreturn]] void fail_unmeasured(const std::vector<Metric>& metrics, const Space* space, std::string_view name,
                                  const Location& where) {
    std::vector<std::string> all;
    for (const Metric& metric : metrics) all.push_back(metric.name);
    std::vector<std::string> near = all;
    for (const Metric& metric : metrics)
        if (!metric.alias.empty()) near.push_back(metric.alias);
    if (space != nullptr)
        for (const Knob& knob : space->knobs()) near.push_back(knob.name);
    const std::string meant = did_you_mean(name, near);
    throw InputError(
        ErrorCode::unknown_name, where,
        fmt::format("'{}' is not measured{}", name, meant.empty() ? "; there are " + list_words(all) : meant));
}

std::optional<double> number_of(std::string_view text) {
    const std::string canonical = canonical_value(text);  // 16k and the like
    double value = 0.0;
    const auto [end, error] = std::from_chars(canonical.data(), canonical.data() + canonical.size(), value);
    if (error != std::errc{} || end != canonical.data() + canonical.size() || !std::isfinite(value))
        return std::nullopt;
    return value;
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

// The objectives of a row, all to be minimised.
std::vector<double> costs_of(const Row& row, const std::vector<std::size_t>& objectives,
                             const std::vector<Metric>& metrics) {
    std::vector<double> costs;
    costs.reserve(objectives.size());
    for (const std::size_t objective : objectives)
        costs.push_back(metrics[objective].more_is_better ? -row.values[objective] : row.values[objective]);
    return costs;
}

bool dominates(const std::vector<double>& a, const std::vector<double>& b) {
    bool better = false;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i] > b[i]) return false;
        better = better || a[i] < b[i];
    }
    return better;
}

}  // namespace

std::size_t metric_named(const std::vector<Metric>& metrics, std::string_view name, const Location& where) {
    const std::optional<std::size_t> found = find_metric(metrics, name);
    if (!found) fail_unmeasured(metrics, nullptr, name, where);
    return *found;
}

std::vector<std::size_t> metrics_named(const std::vector<Metric>& metrics, std::string_view names,
                                       const Location& where) {
    std::vector<std::size_t> all;
    for (std::size_t begin = 0; begin <= names.size();) {
        const std::size_t end = std::min(names.find(',', begin), names.size());
        all.push_back(metric_named(metrics, names.substr(begin, end - begin), where));
        begin = end + 1;
    }
    return all;
}

bool Condition::holds(double value) const {
    switch (relation) {
        case Relation::less: return value < bound;
        case Relation::at_most: return value <= bound;
        case Relation::more: return value > bound;
        case Relation::at_least: return value >= bound;
        case Relation::equal: return value == bound;
        case Relation::differs: return value != bound;
    }
    return false;
}

Condition parse_condition(std::string_view text, const std::vector<Metric>& metrics, const Space* space,
                          const Location& where) {
    const std::size_t at = text.find_first_of("<>=!");
    for (const auto& [sign, relation] : kRelations) {
        if (at == std::string_view::npos || !text.substr(at).starts_with(sign)) continue;
        const std::string_view name = trimmed(text.substr(0, at));
        const std::optional<double> bound = number_of(trimmed(text.substr(at + sign.size())));
        if (name.empty() || !bound) break;
        if (const std::optional<std::size_t> metric = find_metric(metrics, name))
            return {metrics[*metric].name, relation, *bound, where};
        if (!find_knob(space, name)) fail_unmeasured(metrics, space, name, where);
        return {std::string(name), relation, *bound, where};
    }
    throw InputError(ErrorCode::bad_value, where,
                     fmt::format("expected a condition such as 'area_mm2<16' or 'utilization>=0.5', found '{}'", text));
}

Condition parse_limit(std::string_view text, const std::vector<Metric>& metrics, const Location& where) {
    Condition limit = parse_condition(text, metrics, nullptr, where);
    if (limit.relation == Condition::Relation::equal || limit.relation == Condition::Relation::differs)
        throw InputError(
            ErrorCode::bad_value, where,
            fmt::format("a limit is a bound: {0}<={1} or {0}>={1}, not '{2}'", limit.name, limit.bound, text));
    return limit;
}

std::string to_text(const Condition& condition) {
    for (const auto& [sign, relation] : kRelations)
        if (relation == condition.relation) return fmt::format("{}{}{}", condition.name, sign, condition.bound);
    return condition.name;
}

bool satisfies(const Row& row, const Condition& condition, const std::vector<Metric>& metrics, const Space& space) {
    if (row.status == Status::failed) return false;
    if (const std::optional<std::size_t> metric = find_metric(metrics, condition.name))
        return condition.holds(row.values[*metric]);
    const std::optional<std::size_t> knob = find_knob(&space, condition.name);
    const std::optional<double> value = knob ? number_of(space.value(row.point, *knob)) : std::nullopt;
    return value && condition.holds(*value);
}

// In order of the first objective, a later row cannot dominate an earlier one, except ties, which are ordered by the
// other objectives: comparing with the front so far suffices.
std::vector<Row> pareto_front(const std::vector<Row>& rows, const std::vector<std::size_t>& objectives,
                              const std::vector<Metric>& metrics) {
    std::vector<std::pair<std::vector<double>, const Row*>> sorted;
    for (const Row& row : rows)
        if (row.status == Status::valid && !row.values.empty())
            sorted.emplace_back(costs_of(row, objectives, metrics), &row);
    std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
        return a.first != b.first ? a.first < b.first : a.second->point < b.second->point;
    });
    std::vector<const std::vector<double>*> front;
    std::vector<Row> result;
    for (const auto& [costs, row] : sorted) {
        // The front's latest rows are the nearest: the likeliest to dominate.
        const bool beaten =
            std::any_of(front.rbegin(), front.rend(),
                        [&mine = costs](const std::vector<double>* other) { return dominates(*other, mine); });
        if (beaten) continue;
        front.push_back(&costs);
        result.push_back(*row);
    }
    return result;
}

}  // namespace tilewright::explore
