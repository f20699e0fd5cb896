// Hops: least distance of a word below a memory, for any layout of the fan-out.
//
// Neighbours with work in a step are adjacent, for any layout (docs/model.md, rule 7): at places 0 to k - 1.
// Wire lengths of one step of a block: neighbours with work are adjacent (docs/model.md, rule 7), so group_hops()
// mostly has a closed form. Exact: halves of integers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "arch/architecture.hpp"
#include "mapping/tiling_point.hpp"
#include "mapspace/mapspace.hpp"
#include "model/lean/problem.hpp"

namespace tilewright::optimal {

/// A dimension spread by this fan-out alone.
struct SpreadDimension {
    std::int64_t extent = 1;
    std::int64_t factor = 1;
};

/// Energy of a word per hop below memory `level`; for updated tensors with the way back. 0 for routers and trees.
double pj_per_hop(const lean::Setup& setup, int tensor, int level);

/// Hops are known only if cost() of some tensor.
class Hops {
   public:
    /// Of the fan-out below memory `level`.
    Hops(const Mapspace& mapspace, const lean::Setup& setup, int level);

    /// The tensor's words pay wire energy.
    bool cost(int tensor) const { return !one_each_.empty() && hop_pj_[tensor] > 0.0; }
    double hop_pj(int tensor) const { return hop_pj_[tensor]; }

    /// One word to each of the first `neighbours`.
    double apart(std::int64_t neighbours) const { return one_each_[neighbours]; }
    /// One word to each neighbour with different indices in these dimensions, mean over all words in full and shorter
    /// steps. Requires: nothing else is spread. Any loops inside.
    double mean_apart(std::span<const SpreadDimension> dimensions) const;
    /// One word to the first `neighbours` together.
    double together(std::int64_t neighbours) const { return together_[neighbours]; }
    /// One word to the nearest of the first `neighbours`.
    double nearest(std::int64_t neighbours) const { return nearest_[neighbours]; }

   private:
    double mean_with(std::span<const SpreadDimension> dimensions, std::span<const std::int64_t> chunks) const;
    double least_with(std::span<const SpreadDimension> dimensions, std::vector<std::int64_t>& chunks) const;

    std::vector<double> hop_pj_;
    std::vector<double> one_each_;  ///< by number of neighbours: sum over them
    std::vector<double> together_;
    std::vector<double> nearest_;
};

/// One loop of a block in a step with `trips` iterations. Indices `first` to `end` - 1 receive words.
struct StepLoop {
    std::int64_t trips = 1;
    std::int64_t first = 0;
    std::int64_t end = 1;
    bool tells_apart = false;  ///< neighbours differing in its index get different words
};

/// One word to each of the first `count` neighbours.
double hops_one_each(const Mesh& grid, std::int64_t count);
/// One word to the first `count` >= 1 neighbours together.
double hops_together(const Mesh& grid, std::int64_t count);
/// One word to the nearest of the first `count` >= 1 neighbours.
double hops_to_nearest(const Mesh& grid, std::int64_t count);

/// One word to every group of neighbours sharing it, summed over groups. `loops`: innermost first, as neighbours are
/// numbered; each has receiving indices.
double step_hops(const Mesh& grid, std::span<const StepLoop> loops);

}  // namespace tilewright::optimal
