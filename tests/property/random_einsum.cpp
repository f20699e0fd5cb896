#include "random_einsum.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>
#include <utility>

namespace tilewright::property {
namespace {

using Terms = std::initializer_list<Term>;

Rank rank(Terms terms) { return {terms}; }

/// Einsums are put together as dimensions by number: a is 0, b is 1, ...
Einsum einsum_of(int dimensions, std::vector<Tensor> tensors) {
    Einsum einsum;
    einsum.name = "random";
    for (int d = 0; d < dimensions; ++d) einsum.dimensions.push_back({std::string(1, static_cast<char>('a' + d)), 1});
    einsum.tensors = std::move(tensors);
    return einsum;
}

Tensor tensor(const char* name, std::vector<Rank> ranks, bool written = false) {
    return {name, std::move(ranks), written};
}

std::int64_t small_coefficient(Random& random) { return random.between(1, 3); }

Einsum gemm(Random&) {  // a: rows, b: columns, c: summed
    return einsum_of(3, {tensor("O", {rank({{0}}), rank({{1}})}, true), tensor("W", {rank({{1}}), rank({{2}})}),
                         tensor("I", {rank({{0}}), rank({{2}})})});
}

Einsum batched_matmul(Random&) {  // d: batch
    return einsum_of(4, {tensor("O", {rank({{3}}), rank({{0}}), rank({{1}})}, true),
                         tensor("W", {rank({{3}}), rank({{1}}), rank({{2}})}),
                         tensor("I", {rank({{3}}), rank({{0}}), rank({{2}})})});
}

Einsum mttkrp(Random&) {  // O[i,j] += T[i,k,l] * B[k,j] * C[l,j]
    return einsum_of(
        4, {tensor("O", {rank({{0}}), rank({{1}})}, true), tensor("T", {rank({{0}}), rank({{2}}), rank({{3}})}),
            tensor("B", {rank({{2}}), rank({{1}})}), tensor("C", {rank({{3}}), rank({{1}})})});
}

Einsum conv1d(Random& random) {  // a: channels out, b: channels in, c: position, d: filter
    const std::int64_t stride = small_coefficient(random);
    const std::int64_t dilation = small_coefficient(random);
    return einsum_of(
        4, {tensor("O", {rank({{0}}), rank({{2}})}, true), tensor("W", {rank({{0}}), rank({{1}}), rank({{3}})}),
            tensor("I", {rank({{1}}), rank({{2, stride}, {3, dilation}})})});
}

Einsum conv2d(Random& random) {  // a, b as above; c, d: position; e, f: filter
    const Rank row = rank({{2, small_coefficient(random)}, {4, small_coefficient(random)}});
    const Rank column = rank({{3, small_coefficient(random)}, {5, small_coefficient(random)}});
    return einsum_of(6, {tensor("O", {rank({{0}}), rank({{2}}), rank({{3}})}, true),
                         tensor("W", {rank({{0}}), rank({{1}}), rank({{4}}), rank({{5}})}),
                         tensor("I", {rank({{1}}), row, column})});
}

Einsum depthwise(Random& random) {  // a: channels; b, c: position; d, e: filter
    const Rank row = rank({{1, small_coefficient(random)}, {3, small_coefficient(random)}});
    const Rank column = rank({{2, small_coefficient(random)}, {4, small_coefficient(random)}});
    return einsum_of(5,
                     {tensor("O", {rank({{0}}), rank({{1}}), rank({{2}})}, true),
                      tensor("W", {rank({{0}}), rank({{3}}), rank({{4}})}), tensor("I", {rank({{0}}), row, column})});
}

Einsum grouped(Random& random) {  // e: group; a..d as in conv1d
    const Rank position = rank({{2, small_coefficient(random)}, {3, small_coefficient(random)}});
    return einsum_of(5, {tensor("O", {rank({{4}}), rank({{0}}), rank({{2}})}, true),
                         tensor("W", {rank({{4}}), rank({{0}}), rank({{1}}), rank({{3}})}),
                         tensor("I", {rank({{4}}), rank({{1}}), position})});
}

Einsum transposed_conv(Random& random) {  // the result is strided and overlaps itself
    const Rank position = rank({{2, small_coefficient(random)}, {3, small_coefficient(random)}});
    return einsum_of(4,
                     {tensor("O", {rank({{0}}), position}, true), tensor("W", {rank({{0}}), rank({{1}}), rank({{3}})}),
                      tensor("I", {rank({{1}}), rank({{2}})})});
}

Rank random_rank(Random& random, int dimensions) {
    constexpr std::array<std::int64_t, 9> coefficients{1, 1, 1, 1, 2, 3, 5, -1, -2};
    Rank result;
    const std::int64_t terms = random.chance(0.05) ? 0 : random.between(1, random.chance(0.2) ? 3 : 2);
    for (std::int64_t i = 0; i < terms; ++i) {
        const int dimension = static_cast<int>(random.below(static_cast<std::uint64_t>(dimensions)));
        const auto same = [&](const Term& term) { return term.dimension == dimension; };
        if (std::ranges::any_of(result.terms, same)) continue;
        result.terms.push_back({dimension, coefficients[random.below(coefficients.size())]});
    }
    return result;
}

/// Each dimension that no tensor uses becomes a rank of one of them.
void use_all_dimensions(Random& random, Einsum& einsum) {
    for (int d = 0; d < einsum.dimension_count(); ++d) {
        const auto uses = [&](const Tensor& tensor) { return is_relevant(tensor, d); };
        if (std::ranges::any_of(einsum.tensors, uses)) continue;
        einsum.tensors[random.below(einsum.tensors.size())].ranks.push_back(rank({{d}}));
    }
}

/// Any tensors over any ranks; dimensions may be shared between ranks and run backwards, results may overlap.
Einsum affine(Random& random) {
    const int dimensions = static_cast<int>(random.between(1, 5));
    const std::int64_t tensors = random.between(1, 4);
    const std::int64_t written = tensors > 2 && random.chance(0.15) ? 2 : 1;
    Einsum einsum = einsum_of(dimensions, {});
    for (std::int64_t t = 0; t < tensors; ++t) {
        Tensor tensor{std::string(1, static_cast<char>('O' + t)), {}, t < written};
        const std::int64_t ranks = random.chance(0.05) ? 0 : random.between(1, 3);
        for (std::int64_t r = 0; r < ranks; ++r) tensor.ranks.push_back(random_rank(random, dimensions));
        einsum.tensors.push_back(std::move(tensor));
    }
    use_all_dimensions(random, einsum);
    return einsum;
}

/// Grows extents one at a time while the product stays within bounds.
void choose_extents(Random& random, Einsum& einsum, std::int64_t operations) {
    // Small nests fail as well as large ones and are quicker to walk: halve the bound a few times.
    const std::int64_t bound = std::max<std::int64_t>(1, operations >> random.below(6));
    std::int64_t product = 1;
    for (int tries = 0; tries < 40; ++tries) {
        Dimension& dimension = einsum.dimensions[random.below(einsum.dimensions.size())];
        const std::int64_t extent = random.chance(0.5) ? dimension.extent + 1 : random.between(1, 16);
        if (product / dimension.extent * extent > bound) continue;
        product = product / dimension.extent * extent;
        dimension.extent = extent;
    }
}

}  // namespace

Einsum random_einsum(Random& random, std::int64_t operations) {
    using Family = Einsum (*)(Random&);
    constexpr std::array<Family, 12> families{gemm,    batched_matmul,  mttkrp, conv1d, conv2d, depthwise,
                                              grouped, transposed_conv, affine, affine, affine, affine};
    Einsum einsum = families[random.below(families.size())](random);
    choose_extents(random, einsum, operations);
    std::ranges::stable_partition(einsum.tensors, [](const Tensor& tensor) { return !tensor.written; });
    return einsum;
}

}  // namespace tilewright::property
