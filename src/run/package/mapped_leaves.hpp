// Leaves of plans on packages as the proven mapper maps them: a box of an einsum on a core's architecture, whose
// outermost memory is the core's buffer.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "base/stop.hpp"
#include "fusion/hierarchy/floor_leaves.hpp"
#include "mapping/mapping.hpp"
#include "mapspace/constraints.hpp"
#include "multicore/leaves.hpp"
#include "run/options.hpp"
#include "run/package/package_machine.hpp"

namespace tilewright {

/// Of a machine's demands, those of a core: without its DRAM's level where the core has none, and with every tensor in
/// the buffer.
Constraints constraints_of_core(Constraints of_machine, const Architecture& machine, const Architecture& core);

class MappedLeaves : public multicore::Leaves {
   public:
    /// Keeps a reference to the problem. `objective`: of each leaf's mapping.
    MappedLeaves(const multicore::Problem& problem, ConstraintsOfKind constraints, const Objective& objective,
                 const StopSource* stop);

    /// Throws InputError(unsupported) where no mapping fits, Stopped.
    multicore::LeafCost of(int einsum, int kind, const multicore::Extents& extents) override;
    multicore::LeafCost floor(int einsum, int kind, const multicore::Extents& extents) override;
    multicore::LeafCost in_sum(int einsum, int kind) override;

    std::size_t count() const { return known_.size(); }
    /// Of a box of a machine's core whose cost is known; null: of another.
    const Mapping* mapping(int einsum, int kind, const multicore::Extents& extents) const;

   private:
    using Key = std::tuple<int, int, multicore::Extents>;

    /// Of boxes of all einsums on a core: its buffer behind a memory without limits.
    struct Floors {
        std::vector<Constraints> demands;
        std::unique_ptr<fusion::FloorLeaves> leaves;
    };
    fusion::FloorLeaves& floors(int kind);
    struct Mapped {
        multicore::LeafCost cost;
        Mapping mapping;
    };
    Mapped mapped(int einsum, int kind, const multicore::Extents& extents) const;

    const multicore::Problem& problem_;
    ConstraintsOfKind constraints_;
    Objective objective_;
    const StopSource* stop_;
    std::vector<int> alike_;                               // by einsum: the first of the same form
    std::vector<std::unique_ptr<Architecture>> machines_;  // by kind, for floors; null: of lanes
    std::vector<Floors> floors_;                           // by kind
    std::map<Key, Mapped> known_;
};

}  // namespace tilewright
