#include "mapper/cosa/encoding/counts.hpp"

#include <algorithm>

namespace tilewright::cosa {
namespace {

using mip::Expression;

// Relevances of the dimensions with factors to place.
std::vector<std::uint32_t> relevances_at(const Layout& layout, const OrderedPlace& ordered) {
    std::vector<std::uint32_t> relevances;
    for (int g = 0; g < static_cast<int>(layout.groups().size()); ++g)
        if (layout.groups()[g].prime > 1 && layout.may_go(g, ordered.place))
            relevances.push_back(ordered.relevance[layout.groups()[g].dimension]);
    return relevances;
}

}  // namespace

Counts::Counts(const Layout& layout, std::vector<OrderedPlace> ordered, mip::Program& problem)
    : Encoding(layout, problem), ordered_(std::move(ordered)) {
    add_counts();
    for (const OrderedPlace& place : ordered_) add_patterns(place);
}

void Counts::add_counts() {
    for (int g = 0; g < static_cast<int>(layout_.groups().size()); ++g) {
        const int count = layout_.groups()[g].count;
        Expression all;
        counts_.emplace_back();
        for (int p = 0; p < static_cast<int>(layout_.places().size()); ++p) {
            counts_.back().push_back(layout_.may_go(g, p) ? Expression::of(problem_.add_integer(0, count))
                                                          : Expression());
            all += counts_.back().back();
        }
        problem_.add_row(all, count, count);
    }
}

void Counts::add_patterns(const OrderedPlace& ordered) {
    Patterns patterns;
    const std::vector<std::uint32_t> relevances = relevances_at(layout_, ordered);
    std::uint32_t moved = 0;
    for (const std::uint32_t relevance : relevances) moved |= relevance;
    patterns.chains = stationarity_chains(relevances);
    if (patterns.chains.size() > 1) {
        Expression one;
        for (std::size_t c = 0; c < patterns.chains.size(); ++c) {
            patterns.chosen.push_back(problem_.add_binary());
            one += Expression::of(patterns.chosen.back());
        }
        problem_.add_row(one, 1.0, 1.0);
    }
    Expression iterations;
    const double all = weight_of(moved, ordered.weights);
    for (int g = 0; g < static_cast<int>(layout_.groups().size()); ++g)
        if (layout_.groups()[g].prime > 1 && layout_.may_go(g, ordered.place))
            iterations += group_iterations(ordered, patterns, g, all);
    patterns_.push_back(std::move(patterns));
    iterations_.push_back(std::move(iterations));
}

// If patterns differ in the cost of a group's loops, its count is split: one part per pattern, all of it in the chosen
// one. That is the tightest linear form of "if this pattern, then this price".
Expression Counts::group_iterations(const OrderedPlace& ordered, const Patterns& patterns, int group, double all) {
    const FactorGroup& factors = layout_.groups()[group];
    std::vector<double> prices;
    for (const Chain& chain : patterns.chains)
        prices.push_back(all - weight_of(resting(chain, ordered.relevance[factors.dimension]), ordered.weights));
    if (prices.empty()) prices.push_back(all);
    Expression cost;
    if (std::all_of(prices.begin(), prices.end(), [&](double price) { return price == prices.front(); }))
        return cost.add(factors.log2 * prices.front(), count(group, ordered.place));
    Expression parts;
    for (std::size_t c = 0; c < prices.size(); ++c) {
        const Expression part = Expression::of(problem_.add_continuous(0.0, factors.count));
        problem_.add_at_most(part, Expression::of(patterns.chosen[c], factors.count));
        parts += part;
        cost.add(factors.log2 * prices[c], part);
    }
    problem_.add_equal(parts, count(group, ordered.place));
    return cost;
}

std::vector<int> Counts::order(int index, const std::vector<double>& values) const {
    const OrderedPlace& ordered = ordered_[index];
    const Patterns& patterns = patterns_[index];
    std::size_t chosen = 0;
    for (std::size_t c = 0; c < patterns.chosen.size(); ++c)
        if (values[patterns.chosen[c]] > 0.5) chosen = c;
    std::vector<int> dimensions;
    for (int d = 0; d < layout_.einsum().dimension_count(); ++d) dimensions.push_back(d);
    if (patterns.chains.empty()) return dimensions;
    sort_by_phase(dimensions, patterns.chains[chosen], ordered.relevance);
    return dimensions;
}

}  // namespace tilewright::cosa
