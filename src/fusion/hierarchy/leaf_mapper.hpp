// Leaves as the optimal mapper maps them: all even mappings of a box with factors that divide, within what the machine
// demands, with the operands that the shared buffer holds at home there.
//
// A held operand is told to the mapper as one that lies in the outermost memory at the buffer's prices and passes the
// buffer by: it is read, updated and shared alike. Only that it takes some of the buffer's bandwidth is not seen. The
// same holds of shared stores in other memories.
//
// Results whose partial sums are wider are searched with prices that are never above the exact model
// (mapper/priced/prices.hpp); what is found is counted exactly, so that the bound may be lower than the best.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "arch/architecture.hpp"
#include "base/stop.hpp"
#include "fusion/leaf/leaf.hpp"
#include "mapper/optimal/optimal.hpp"
#include "mapping/fused/fused_mapping.hpp"
#include "mapspace/constraints.hpp"
#include "model/objective.hpp"
#include "workload/cascade/cascade.hpp"
#include "workload/words.hpp"

namespace tilewright::fusion {

/// The best of all mappings, where nothing stopped the search.
struct LeafMapping {
    LeafNest nest;
    std::vector<std::int64_t> own_bits;  ///< that its own tiles take of every memory
    bool fits = true;        ///< false: it takes a part of a memory's word more than there is, and no other was found
    double energy_pj = 0.0;  ///< of one call that goes on with no sum; cycles without the buffer's bandwidth for what
                             ///< it holds, energy without leakage for these
    double cycles = 0.0;
    double bound = 0.0;   ///< of the objective: no mapping has less
    TensorSet sums = {};  ///< results of which partial sums arrive where the shared stores are
};

/// Where a leaf finds its operands and what room it has.
struct LeafPlace {
    std::vector<int> held_in;  ///< by operand: memory of its innermost shared store, 0 for what it fetches by itself
    std::vector<std::optional<std::int64_t>> bits;  ///< by memory, for its own tiles; nothing: as the machine says
    bool unfinished = false;  ///< a call that another one goes on with: all words are partial sums

    auto operator<=>(const LeafPlace&) const = default;
};

/// Its own tiles fit there.
bool has_room(const LeafMapping& leaf, const LeafPlace& place);

class LeafMapper {
   public:
    /// `demands`: by einsum, as demands_of() gives them. Keeps references to all but the last. `effort`: what each
    /// search may spend. `partial`: bits of partial sums by tensor of the cascade.
    LeafMapper(const Cascade& cascade, const Architecture& architecture, const std::vector<Constraints>& demands,
               const StopSource* stop, const OptimalMapper::Options& effort = {}, PartialBits partial = {});

    /// With so many bits of the buffer for its own tiles. Null: no mapping fits. Throws Stopped. Stays where it is.
    const LeafMapping* best(int einsum, const std::vector<std::int64_t>& extents, TensorSet held, std::int64_t bits,
                            ObjectiveKind objective, bool unfinished = false);
    /// The same with operands that shared stores in any memories of one instance hold.
    const LeafMapping* best(int einsum, const std::vector<std::int64_t>& extents, const LeafPlace& place,
                            ObjectiveKind objective);

    std::size_t count() const { return known_.size(); }

   private:
    using Key = std::tuple<int, std::vector<std::int64_t>, LeafPlace, ObjectiveKind>;

    std::optional<LeafMapping> search(const Key& key) const;
    std::optional<LeafMapping> search(const Key& key, const Architecture& machine) const;

    const Cascade& cascade_;
    const Architecture& architecture_;
    const std::vector<Constraints>& demands_;
    const StopSource* stop_;
    OptimalMapper::Options effort_;
    PartialBits partial_;
    int buffer_;
    std::vector<int> alike_;  // by einsum
    std::map<Key, std::optional<LeafMapping>> known_;
};

}  // namespace tilewright::fusion
