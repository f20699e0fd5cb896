#include "workload/cascade/canonical.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <ranges>
#include <tuple>
#include <utility>

#include "base/numbers/checked.hpp"

namespace tilewright {
namespace {

std::int64_t extent_of(const Einsum& einsum, const Term& term) { return einsum.dimensions[term.dimension].extent; }

void sort_terms(const Einsum& einsum, std::vector<Term>& terms) {
    std::ranges::sort(terms, {}, [&](const Term& term) {
        const bool is_fixed = extent_of(einsum, term) == 1;
        return std::tuple(is_fixed, -std::abs(term.coefficient), -extent_of(einsum, term), term.dimension);
    });
}

// `stay`: by dimension, also of one value.
Coordinate keeping(const Einsum& einsum, Coordinate coordinate, const std::vector<bool>& stay) {
    std::vector<Term>& terms = coordinate.terms;
    sort_terms(einsum, terms);
    const auto is_needless = [&](const Term& term) { return extent_of(einsum, term) == 1 && !stay[term.dimension]; };
    if (!terms.empty() && std::ranges::all_of(terms, is_needless)) terms.resize(1);
    if (terms.size() > 1) std::erase_if(terms, is_needless);
    return coordinate;
}

// Number of places between the first and the last reached by the terms.
std::int64_t width_of(const Einsum& einsum, const std::vector<Term>& terms) {
    std::int64_t width = 1;
    for (const Term& term : terms)
        width = checked_add(width, checked_mul(std::abs(term.coefficient), extent_of(einsum, term) - 1));
    return width;
}

// Steps of a rank are in units of their largest common step.
Rank without_gaps(std::vector<Term> terms) {
    std::int64_t step = 0;
    for (const Term& term : terms) step = std::gcd(step, term.coefficient);
    for (Term& term : terms) term.coefficient /= step;
    return {std::move(terms)};
}

void make_ranks(const Einsum& einsum, Tensor& own, const Access& access) {
    std::vector<Coordinate> coordinates = access.coordinates;
    if (access.anywhere)
        for (const Rank& rank : own.ranks) coordinates.push_back({rank.terms});
    own.ranks.clear();
    for (const Coordinate& coordinate : coordinates)
        for (Rank& rank : own_ranks(einsum, coordinate)) own.ranks.push_back(std::move(rank));
}

}  // namespace

Coordinate in_one_form(const Einsum& einsum, const Coordinate& coordinate) {
    return keeping(einsum, coordinate, std::vector<bool>(einsum.dimensions.size(), false));
}

// From the smallest step on: a step at least the reach of all before begins another rank.
std::vector<Rank> own_ranks(const Einsum& einsum, const Coordinate& coordinate) {
    std::vector<Rank> ranks;
    std::vector<Term> together;
    for (const Term& term : in_one_form(einsum, coordinate).terms | std::views::reverse) {
        if (!together.empty() && std::abs(term.coefficient) >= width_of(einsum, together))
            ranks.push_back(without_gaps(std::exchange(together, {})));
        together.insert(together.begin(), term);
    }
    if (!together.empty()) ranks.push_back(without_gaps(std::move(together)));
    std::ranges::reverse(ranks);
    return ranks;
}

void make_canonical(CascadeEinsum& one) {
    std::vector<bool> of_results(one.einsum.dimensions.size(), false);
    for (std::size_t t = 0; t < one.accesses.size(); ++t)
        if (one.einsum.tensors[t].written)
            for (Coordinate& coordinate : one.accesses[t].coordinates) {
                coordinate = in_one_form(one.einsum, coordinate);
                for (const Term& term : coordinate.terms) of_results[term.dimension] = true;
            }
    for (std::size_t t = 0; t < one.accesses.size(); ++t)
        if (!one.einsum.tensors[t].written)
            for (Coordinate& coordinate : one.accesses[t].coordinates)
                coordinate = keeping(one.einsum, std::move(coordinate), of_results);
    for (std::size_t t = 0; t < one.accesses.size(); ++t)
        make_ranks(one.einsum, one.einsum.tensors[t], one.accesses[t]);
}

}  // namespace tilewright
