// What a core spends on a box of iterations whose operands and result are at home in its buffer.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "multicore/problem.hpp"

namespace tilewright::multicore {

struct LeafCost {
    std::int64_t cycles = 0;
    double energy_pj = 0.0;
    std::int64_t operations = 0;
    std::int64_t reads = 0;   ///< of the buffer, in words
    std::int64_t writes = 0;  ///< of the buffer, in words
    bool is_exact = true;     ///< false: a mapping may cost more, none costs less

    bool operator==(const LeafCost&) const = default;
};

using Extents = std::vector<std::int64_t>;

class Leaves {
   public:
    virtual ~Leaves() = default;
    /// Of a box of an einsum on a kind that may run it.
    virtual LeafCost of(int einsum, int kind, const Extents& extents) = 0;
    /// No more than of() has, in energy and in cycles each; quick.
    virtual LeafCost floor(int einsum, int kind, const Extents& extents) { return of(einsum, kind, extents); }
    /// No boxes into which all iterations of the einsum are cut have less in sum, in energy and in cycles each; quick.
    virtual LeafCost in_sum(int einsum, int kind) = 0;
};

/// Of a core with lanes by dimension: turns = ceil(extent / lanes); cycles are the product of the turns; an operand is
/// read once in each turn that its words do not depend on; results are written once.
LeafCost leaf_on_lanes(const Problem& problem, int einsum, const package::CoreKind& kind, const Extents& extents);

Extents whole_of(const Problem& problem, int einsum);

/// Of packages whose kinds all have lanes.
class LaneLeaves : public Leaves {
   public:
    explicit LaneLeaves(const Problem& problem) : problem_(problem) {}
    LeafCost of(int einsum, int kind, const Extents& extents) override {
        return leaf_on_lanes(problem_, einsum, problem_.package().kinds[kind], extents);
    }
    /// Turns of parts are no fewer than those of the whole.
    LeafCost in_sum(int einsum, int kind) override { return of(einsum, kind, whole_of(problem_, einsum)); }

   private:
    const Problem& problem_;
};

}  // namespace tilewright::multicore
