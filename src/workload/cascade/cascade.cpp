#include "workload/cascade/cascade.hpp"

#include <algorithm>
#include <array>

#include "base/numbers/checked.hpp"

namespace tilewright {
namespace {

template <typename Things>
int index_of(const Things& things, std::string_view name) {
    const auto found = std::find_if(things.begin(), things.end(), [&](const auto& one) { return one.name == name; });
    return found == things.end() ? -1 : static_cast<int>(found - things.begin());
}

Interval along(const Coordinate& coordinate, const std::vector<Interval>& dimensions, std::int64_t extent) {
    Interval reach{coordinate.offset, coordinate.offset};
    for (const Term& term : coordinate.terms) {
        const Interval& moved = dimensions[term.dimension];
        const bool forward = term.coefficient > 0;
        reach.low = checked_add(reach.low, checked_mul(term.coefficient, forward ? moved.low : moved.high));
        reach.high = checked_add(reach.high, checked_mul(term.coefficient, forward ? moved.high : moved.low));
    }
    return {std::max<std::int64_t>(reach.low, 0), std::min(reach.high, extent - 1)};
}

}  // namespace

std::string_view to_text(TensorRole role) {
    constexpr std::array<std::string_view, 5> kNames{"input", "weight", "cache", "intermediate", "output"};
    return kNames.at(static_cast<std::size_t>(role));
}

std::string_view to_text(EinsumKind kind) {
    constexpr std::array<std::string_view, 5> kNames{"contraction", "elementwise", "pooling", "statistics", "copy"};
    return kNames.at(static_cast<std::size_t>(kind));
}

std::string_view to_text(OperationClass operation) {
    constexpr std::array<std::string_view, kOperationClasses> kNames{"multiply-add", "add", "multiply", "divide",
                                                                     "exponential"};
    return kNames.at(static_cast<std::size_t>(operation));
}

int find_tensor(const Cascade& cascade, std::string_view name) { return index_of(cascade.tensors, name); }
int find_einsum(const Cascade& cascade, std::string_view name) { return index_of(cascade.einsums, name); }

std::int64_t repeats_of(const Cascade& cascade, int einsum) {
    for (const Block& block : cascade.blocks)
        if (block.first <= einsum && einsum < block.end) return block.count;
    return 1;
}

std::int64_t words_of(const CascadeTensor& tensor) {
    std::int64_t words = 1;
    for (const std::int64_t extent : tensor.shape) words = checked_mul(words, extent);
    return words;
}

std::vector<Interval> reached(const Access& access, const std::vector<Interval>& dimensions,
                              const CascadeTensor& tensor) {
    std::vector<Interval> box;
    box.reserve(tensor.shape.size());
    for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) {
        const std::int64_t extent = tensor.shape[axis];
        box.push_back(access.anywhere ? Interval{0, extent - 1} : along(access.coordinates[axis], dimensions, extent));
    }
    return box;
}

}  // namespace tilewright
