#include "mapper/cosa/encoding/encoding.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tilewright::cosa {

using mip::Expression;
namespace {

// The encoding by counts: one integer for all equal factors at a place, one binary per pattern of rest.

class Counts : public Encoding {
   public:
    Counts(const Layout& layout, std::vector<OrderedPlace> ordered, mip::Program& problem);

    mip::Expression iterations(int index) const override { return iterations_[index]; }
    std::vector<int> order(int index, const std::vector<double>& values) const override;

   private:
    struct Patterns {
        std::vector<Chain> chains;
        std::vector<int> chosen;  ///< binary variable by chain; empty without a choice
    };

    void add_counts();
    void add_patterns(const OrderedPlace& ordered);
    mip::Expression group_iterations(const OrderedPlace& ordered, const Patterns& patterns, int group, double all);

    std::vector<OrderedPlace> ordered_;
    std::vector<Patterns> patterns_;
    std::vector<mip::Expression> iterations_;
};

// Relevances of the dimensions with factors to place.
std::vector<std::uint32_t> relevances_at(const Layout& layout, const OrderedPlace& ordered) {
    std::vector<std::uint32_t> relevances;
    for (int g = 0; g < static_cast<int>(layout.groups().size()); ++g)
        if (layout.groups()[g].prime > 1 && layout.may_go(g, ordered.place))
            relevances.push_back(ordered.relevance[layout.groups()[g].dimension]);
    return relevances;
}

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

// The paper's encoding: a binary X per prime factor and place, a rank for each at an ordered place (9), iterations (10)
// as linearised products of Y and X.
//
// Two additions change no optimum: copies of an equal prime are placed in order, and ranks are used from the inside
// without gaps. For relevant factors (A) Y is 1 wherever X is, so the product is X itself; only the others need a
// variable. Spatial factors take no rank: nothing depends on it.

class Binaries : public Encoding {
   public:
    Binaries(const Layout& layout, std::vector<OrderedPlace> ordered, mip::Program& problem);

    mip::Expression iterations(int index) const override { return iterations_[index]; }
    std::vector<int> order(int index, const std::vector<double>& values) const override;

   private:
    /// One prime factor. By place, or by rank at an ordered one: variable, -1 if not allowed.
    struct Factor {
        int group = 0;
        std::vector<int> at_place;
        std::vector<std::vector<int>> at_rank;  ///< [ordered place][rank]
    };

    int ordered_index(int place) const;
    void add_factors(int rank_count);
    void place_once(Factor& factor);
    void break_symmetry(const Factor& a, const Factor& b);
    mip::Expression position(const Factor& factor) const;
    void add_ranks(int index, int rank_count);
    mip::Expression iterations_of(int index, int tensor, int rank_count);
    mip::Expression moving(int index, int rank, std::uint32_t tensor_bit, bool relevant, bool logs) const;

    std::vector<OrderedPlace> ordered_;
    std::vector<Factor> factors_;
    std::vector<mip::Expression> iterations_;
};

Binaries::Binaries(const Layout& layout, std::vector<OrderedPlace> ordered, mip::Program& problem)
    : Encoding(layout, problem), ordered_(std::move(ordered)) {
    int rank_count = 0;
    for (const FactorGroup& group : layout.groups()) rank_count += group.prime > 1 ? group.count : 0;
    add_factors(rank_count);
    for (int i = 0; i < static_cast<int>(ordered_.size()); ++i) add_ranks(i, rank_count);
}

int Binaries::ordered_index(int place) const {
    for (std::size_t i = 0; i < ordered_.size(); ++i)
        if (ordered_[i].place == place) return static_cast<int>(i);
    return -1;
}

void Binaries::add_factors(int rank_count) {
    const int places = static_cast<int>(layout_.places().size());
    counts_.assign(layout_.groups().size(), std::vector<Expression>(places));
    for (int g = 0; g < static_cast<int>(layout_.groups().size()); ++g) {
        for (int n = 0; n < layout_.groups()[g].count; ++n) {
            Factor factor;
            factor.group = g;
            factor.at_place.assign(places, -1);
            factor.at_rank.assign(ordered_.size(), std::vector<int>(rank_count, -1));
            place_once(factor);
            if (n > 0) break_symmetry(factors_.back(), factor);
            factors_.push_back(std::move(factor));
        }
    }
}

void Binaries::place_once(Factor& factor) {
    Expression once;
    for (int p = 0; p < static_cast<int>(layout_.places().size()); ++p) {
        if (!layout_.may_go(factor.group, p)) continue;
        const int index = layout_.groups()[factor.group].prime > 1 ? ordered_index(p) : -1;
        std::vector<int> single(1, -1);
        for (int& variable : index < 0 ? single : factor.at_rank[index]) {
            variable = problem_.add_binary();
            once += Expression::of(variable);
            counts_[factor.group][p] += Expression::of(variable);
        }
        if (index < 0) factor.at_place[p] = single.front();
    }
    problem_.add_row(once, 1.0, 1.0);
}

// Place and rank as one ascending number.
Expression Binaries::position(const Factor& factor) const {
    Expression position;
    double at = 0.0;
    for (int p = 0; p < static_cast<int>(layout_.places().size()); ++p) {
        if (factor.at_place[p] >= 0) position += Expression::of(factor.at_place[p], at);
        at += 1.0;
        const int index = ordered_index(p);
        if (index < 0) continue;
        for (const int variable : factor.at_rank[index]) {
            if (variable >= 0) position += Expression::of(variable, at);
            at += 1.0;
        }
    }
    return position;
}

void Binaries::break_symmetry(const Factor& a, const Factor& b) { problem_.add_at_most(position(a), position(b)); }

// Sum over the relevant (or irrelevant) factors at a rank of 1 or of log2 of the prime.
Expression Binaries::moving(int index, int rank, std::uint32_t tensor_bit, bool relevant, bool logs) const {
    Expression sum;
    for (const Factor& factor : factors_) {
        const FactorGroup& group = layout_.groups()[factor.group];
        const int variable = factor.at_rank[index][rank];
        const bool moves = (ordered_[index].relevance[group.dimension] & tensor_bit) != 0;
        if (variable >= 0 && moves == relevant) sum += Expression::of(variable, logs ? group.log2 : 1.0);
    }
    return sum;
}

void Binaries::add_ranks(int index, int rank_count) {
    Expression inner;
    for (int r = 0; r < rank_count; ++r) {
        const Expression here = moving(index, r, 0U, false, false);
        problem_.add_row(here, 0.0, 1.0);
        if (r > 0) problem_.add_at_most(here, inner);
        inner = here;
    }
    Expression iterations;
    for (int t = 0; t < layout_.einsum().tensor_count(); ++t)
        if (ordered_[index].weights[t] > 0.0)
            iterations.add(ordered_[index].weights[t], iterations_of(index, t, rank_count));
    iterations_.push_back(std::move(iterations));
}

// Y(rank) >= Y(rank - 1) and Y(rank) >= X of relevant factors; iterations = sum of log2 * X * Y.
Expression Binaries::iterations_of(int index, int tensor, int rank_count) {
    const std::uint32_t bit = 1U << tensor;
    Expression sum;
    Expression seen;
    for (int r = 0; r < rank_count; ++r) {
        const Expression relevant = moving(index, r, bit, true, false);
        const Expression y = Expression::of(problem_.add_continuous(0.0, 1.0));
        problem_.add_at_most(relevant, y);
        if (r > 0) problem_.add_at_most(seen, y);
        seen = y;
        sum += moving(index, r, bit, true, true);
        const Expression other = moving(index, r, bit, false, true);
        if (other.is_constant()) continue;
        double largest = 0.0;
        for (const mip::Term& term : other.terms()) largest = std::max(largest, term.coefficient);
        const Expression product = Expression::of(problem_.add_continuous(0.0, largest));
        problem_.add_at_most(other + largest * y, product + Expression(largest));
        sum += product;
    }
    return sum;
}

std::vector<int> Binaries::order(int index, const std::vector<double>& values) const {
    std::vector<int> dimensions;
    const auto add = [&](int d) {
        if (std::find(dimensions.begin(), dimensions.end(), d) == dimensions.end()) dimensions.push_back(d);
    };
    for (std::size_t r = 0; !factors_.empty() && r < factors_.front().at_rank[index].size(); ++r)
        for (const Factor& factor : factors_) {
            const int variable = factor.at_rank[index][r];
            if (variable >= 0 && values[variable] > 0.5) add(layout_.groups()[factor.group].dimension);
        }
    for (int d = 0; d < layout_.einsum().dimension_count(); ++d) add(d);
    return dimensions;
}

}  // namespace

Placement Encoding::placement(const std::vector<double>& values) const {
    Placement placement(counts_.size());
    for (std::size_t g = 0; g < counts_.size(); ++g)
        for (const mip::Expression& count : counts_[g])
            placement[g].push_back(static_cast<int>(std::lround(count.at(values))));
    return placement;
}

mip::Expression Encoding::number_of(int group, const std::function<bool(int place)>& where) const {
    mip::Expression sum;
    for (int p = 0; p < static_cast<int>(layout_.places().size()); ++p)
        if (where(p)) sum += count(group, p);
    return sum;
}

mip::Expression Encoding::log_of(int dimension, const std::function<bool(int place)>& where) const {
    mip::Expression sum;
    for (int g = 0; g < static_cast<int>(layout_.groups().size()); ++g) {
        const FactorGroup& group = layout_.groups()[g];
        if (group.prime > 1 && (dimension < 0 || group.dimension == dimension))
            sum.add(group.log2, number_of(g, where));
    }
    return sum;
}

std::unique_ptr<Encoding> encode(Formulation formulation, const Layout& layout, std::vector<OrderedPlace> ordered,
                                 mip::Program& problem) {
    if (formulation == Formulation::counts) return std::make_unique<Counts>(layout, std::move(ordered), problem);
    return std::make_unique<Binaries>(layout, std::move(ordered), problem);
}

}  // namespace tilewright::cosa
