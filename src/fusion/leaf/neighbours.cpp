#include "fusion/leaf/neighbours.hpp"

#include <algorithm>
#include <set>

#include "fusion/machine/indices.hpp"

namespace tilewright::fusion {
namespace {

// Different places on one axis of so many neighbours of its dimensions.
double places(const Rank& rank, const Spread& spread) {
    std::int64_t by_x = 0;
    std::int64_t by_y = 0;
    for (const Term& term : rank.terms) {
        if (term.dimension == spread.x) by_x = term.coefficient;
        if (term.dimension == spread.y) by_y = term.coefficient;
    }
    if (by_x == 0 || by_y == 0)
        return static_cast<double>((by_x != 0 ? spread.along_x : 1) * (by_y != 0 ? spread.along_y : 1));
    std::set<std::int64_t> all;
    for (std::int64_t i = 0; i < spread.along_x; ++i)
        for (std::int64_t j = 0; j < spread.along_y; ++j) all.insert(by_x * i + by_y * j);
    return static_cast<double>(all.size());
}

std::uint64_t key_of(const Spread& spread) {
    constexpr int kBitsOfDimension = 8;
    constexpr int kBitsOfFactor = 24;  // no array has so many units along an axis
    const auto half = [](int dimension, std::int64_t factor) {
        return (static_cast<std::uint64_t>(dimension + 1) << kBitsOfFactor) | static_cast<std::uint64_t>(factor);
    };
    return (half(spread.x, spread.along_x) << (kBitsOfDimension + kBitsOfFactor)) | half(spread.y, spread.along_y);
}

}  // namespace

bool is_without_windows(const Tensor& tensor) {
    return std::ranges::all_of(tensor.ranks, [](const Rank& rank) {
        return rank.terms.empty() || (rank.terms.size() == 1 && rank.terms.front().coefficient == 1);
    });
}

Neighbours::Neighbours(const Einsum& einsum) : einsum_(&einsum) {
    for (int d = 0; d < einsum.dimension_count(); ++d) {
        TensorSet moved;
        for (int t = 0; t < einsum.tensor_count(); ++t)
            if (is_relevant(einsum.tensors[at(t)], d)) moved.add(t);
        movers_.push_back(moved);
    }
    for (int t = 0; t < einsum.tensor_count(); ++t)
        if (is_without_windows(einsum.tensors[at(t)])) plain_.add(t);
}

const Shared& Neighbours::at_spread(const Spread& spread) {
    const auto [entry, is_new] = known_.try_emplace(key_of(spread));
    if (!is_new) return entry->second;
    Shared& shared = entry->second;
    shared.units = static_cast<double>(spread.along_x * spread.along_y);
    for (int t = 0; t < einsum_->tensor_count(); ++t) {
        shared.different[at(t)] = 1.0;
        for (const Rank& rank : einsum_->tensors[at(t)].ranks) shared.different[at(t)] *= places(rank, spread);
    }
    return shared;
}

}  // namespace tilewright::fusion
