// Hops: how far a word travels below a memory at least, whatever the layout of the fan-out.
//
// The neighbours that have work in a step sit side by side, however the loops lie (docs/model.md, rule 7): k of them
// are at places 0 to k - 1.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mapping/tiling_point.hpp"
#include "mapspace/mapspace.hpp"
#include "model/lean/problem.hpp"

namespace tilewright::optimal {

/// A dimension that a fan-out spreads, and no other one does.
struct SpreadDimension {
    std::int64_t extent = 1;
    std::int64_t factor = 1;
};

/// Energy of a word of the tensor per hop below memory `level`, of an updated one also what its way back costs. Routers
/// and trees count nothing here.
double pj_per_hop(const lean::Setup& setup, int tensor, int level);

/// Hops are known only where cost() of some tensor.
class Hops {
   public:
    /// Of the fan-out below memory `level`.
    Hops(const Mapspace& mapspace, const lean::Setup& setup, int level);

    /// Words of the tensor pay for their way.
    bool cost(int tensor) const { return !one_each_.empty() && hop_pj_[tensor] > 0.0; }
    double hop_pj(int tensor) const { return hop_pj_[tensor]; }

    /// Of one word to each of the first so many neighbours.
    double apart(std::int64_t neighbours) const { return one_each_[neighbours]; }
    /// Of one word to each of the neighbours that differ in these dimensions, on average over all words, if they are
    /// all that is spread: in full steps and shorter ones. Whatever loops stand inside.
    double mean_apart(std::span<const SpreadDimension> dimensions) const;
    /// Of one word to the first so many neighbours together.
    double together(std::int64_t neighbours) const { return together_[neighbours]; }
    /// Of one word to the nearest of the first so many neighbours.
    double nearest(std::int64_t neighbours) const { return nearest_[neighbours]; }

   private:
    double mean_with(std::span<const SpreadDimension> dimensions, std::span<const std::int64_t> chunks) const;
    double least_with(std::span<const SpreadDimension> dimensions, std::vector<std::int64_t>& chunks) const;

    std::vector<double> hop_pj_;
    std::vector<double> one_each_;  ///< by number of neighbours: sum over them
    std::vector<double> together_;
    std::vector<double> nearest_;
};

}  // namespace tilewright::optimal
