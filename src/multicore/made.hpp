// The boxes that the einsums of a run make in every step: they follow from the run and its step alone.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "multicore/problem.hpp"

namespace tilewright::multicore {

struct Step {
    int axis = 0;  ///< of the last result
    std::int64_t size = 1;

    auto operator<=>(const Step&) const = default;
};

/// Boxes of einsums up to the last of a run.
struct Made {
    int last = 0;
    int steps = 1;
    /// An einsum whose run is refused for these steps, with all before it: a step would make words again. -1: none.
    int refused = -1;
    std::vector<std::vector<Box>> boxes;  ///< by einsum, by step; empty boxes where nothing is made

    const std::vector<Box>& of(int einsum) const { return boxes[einsum]; }
};

/// Of einsums from `first` on. Requires an axis of the last result and a positive size.
Made made_by(const Problem& problem, int first, int last, const Step& step);

}  // namespace tilewright::multicore
