// Union size: how many different words tiles cover that overlap. Internal to certificate/.
//
// Of a result those are the words that come first: they are not filled from outside, and not read before they are
// updated (docs/model.md, rule 5).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "certificate/common/addresses.hpp"

namespace tilewright::certificate {

/// Copies of what there is, each `step` further on.
struct Copies {
    double step = 0.0;
    double count = 1.0;
};

/// Length of the union of `width` words and all their copies; nothing where there are too many pieces to list.
std::optional<double> union_size(double width, std::vector<Copies> copies);

/// Words of that union, at least so many, in a few steps. Of `scattered` copies only this is known: each lies `step` or
/// further from the next.
double union_size_at_least(double width, std::vector<Copies> copies, std::span<const Copies> scattered);

/// Different words in the tiles of one instance: `tile` iterations each, of `share` iterations that the instance gets.
/// Which of `extents` they are is known where it gets all of a dimension; else it is at most so many.
double distinct_at_most(const Addresses& tensor, const Box& tile, const Box& share, const Box& extents);

}  // namespace tilewright::certificate
