#include "accelforge/files/extents.hpp"

#include <cmath>
#include <limits>

#include "accelforge/files/einsum.hpp"

namespace tilewright::accelforge {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();
constexpr double kLargestExtent = 1e15;
constexpr int kMostRounds = 1000;

// larger - smaller - (strict ? 1 : 0) >= 0
Inequality ordered(const Projection& smaller, const Projection& larger, bool strict) {
    Inequality made{larger.terms, static_cast<double>(larger.offset - smaller.offset) - (strict ? 1.0 : 0.0)};
    for (const Term& term : smaller.terms) made.terms.push_back({term.dimension, -term.coefficient});
    return made;
}

Projection side_of(std::string_view text, const yaml::Node& place, const EinsumSpec& einsum) {
    std::vector<std::string> variables = einsum.variables;
    Projection side = read_projection("", text, place, variables);
    if (variables.size() > einsum.variables.size())
        place.fail(ErrorCode::unknown_name, "'" + variables.back() + "' is no rank variable of '" + einsum.name + "'" +
                                                did_you_mean(variables.back(), einsum.variables));
    return side;
}

void read_chain(std::string_view text, const yaml::Node& place, const EinsumSpec& einsum,
                std::vector<Inequality>& conditions) {
    std::size_t begin = 0;
    Projection left;
    std::string sign;
    for (;;) {
        const std::size_t at = text.find_first_of("<>", begin);
        const Projection right =
            side_of(text.substr(begin, at == std::string_view::npos ? at : at - begin), place, einsum);
        if (!sign.empty()) {
            const bool strict = sign.size() == 1;
            conditions.push_back(sign[0] == '<' ? ordered(left, right, strict) : ordered(right, left, strict));
        }
        if (at == std::string_view::npos) break;
        const bool equal = at + 1 < text.size() && text[at + 1] == '=';
        sign = std::string(text.substr(at, equal ? 2 : 1));
        begin = at + sign.size();
        left = right;
    }
    if (sign.empty()) place.fail(ErrorCode::syntax, "expected a condition like '0 <= m < 128'");
}

struct Bounds {
    std::vector<double> low;
    std::vector<double> high;
};

// Bounds on one variable from an inequality, given the others' bounds.
bool tightened(const Inequality& condition, const Term& term, Bounds& bounds) {
    double rest = condition.constant;
    for (const Term& other : condition.terms) {
        if (other.dimension == term.dimension) continue;
        const auto v = static_cast<std::size_t>(other.dimension);
        rest += static_cast<double>(other.coefficient) * (other.coefficient > 0 ? bounds.high[v] : bounds.low[v]);
    }
    if (!std::isfinite(rest)) return false;
    const double bound = -rest / static_cast<double>(term.coefficient);
    const auto v = static_cast<std::size_t>(term.dimension);
    double& limit = term.coefficient > 0 ? bounds.low[v] : bounds.high[v];
    const double rounded = term.coefficient > 0 ? std::ceil(bound) : std::floor(bound);
    const bool tighter = term.coefficient > 0 ? rounded > limit : rounded < limit;
    if (tighter) limit = rounded;
    return tighter;
}

bool tightened_once(const std::vector<Inequality>& conditions, Bounds& bounds) {
    bool changed = false;
    for (const Inequality& condition : conditions)
        for (const Term& term : condition.terms) changed = tightened(condition, term, bounds) || changed;
    return changed;
}

}  // namespace

std::vector<Inequality> read_conditions(const yaml::Node& place, const EinsumSpec& einsum) {
    std::vector<Inequality> conditions;
    std::string_view text = place.text();
    for (;;) {
        const std::size_t both = text.find(" and ");
        read_chain(text.substr(0, both), place, einsum, conditions);
        if (both == std::string_view::npos) return conditions;
        text.remove_prefix(both + 5);
    }
}

std::vector<Inequality> within(const Projection& projection, double size) {
    Inequality below{{}, size - 1.0 - static_cast<double>(projection.offset)};
    for (const Term& term : projection.terms) below.terms.push_back({term.dimension, -term.coefficient});
    return {{projection.terms, static_cast<double>(projection.offset)}, below};
}

std::vector<std::int64_t> extents_of(const EinsumSpec& einsum, const std::vector<Inequality>& conditions,
                                     const yaml::Node& place) {
    const std::size_t count = einsum.variables.size();
    Bounds bounds{std::vector<double>(count, -kUnbounded), std::vector<double>(count, kUnbounded)};
    int rounds = 0;
    while (tightened_once(conditions, bounds))
        if (++rounds > kMostRounds)
            place.fail(ErrorCode::bad_value, "the conditions of '" + einsum.name + "' narrow each other without end");
    std::vector<std::int64_t> extents;
    for (std::size_t v = 0; v < count; ++v) {
        const double extent = bounds.high[v] - bounds.low[v] + 1.0;
        const std::string name = "rank variable '" + einsum.variables[v] + "' of '" + einsum.name + "'";
        if (!(extent <= kLargestExtent))
            place.fail(
                ErrorCode::missing_key,
                name + " has no bounds: give 'rank_sizes' or 'iteration_space_shape' (or they are too far apart)");
        if (extent < 1.0) place.fail(ErrorCode::bad_value, name + " has no room between its bounds");
        extents.push_back(static_cast<std::int64_t>(extent));
    }
    return extents;
}

}  // namespace tilewright::accelforge
