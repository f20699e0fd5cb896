#include "mapper/cosa/encoding/binaries.hpp"

#include <algorithm>

namespace tilewright::cosa {

using mip::Expression;

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

}  // namespace tilewright::cosa
