// Proves the goal family by family, for spaces of too many assignments to list. Internal to certificate/.
//
// A family's choices of kept tensors are bounded together: a tensor's bound depends on its own keeping memories only.
// Choices left get tile bounds, then label setting with free wires; only survivors are followed member by member. With
// overlapping tiles members may differ in sharing: each member then gets tile bounds before anything is followed.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "certificate/common/charges.hpp"
#include "certificate/common/goal.hpp"
#include "certificate/common/proof.hpp"
#include "certificate/perfect/bounds.hpp"
#include "certificate/perfect/families.hpp"
#include "certificate/perfect/tile_numbers.hpp"
#include "mapspace/mapspace.hpp"

namespace tilewright::certificate {

/// A possibly better choice of kept tensors, with free wires.
struct OpenChoice {
    TilingPoint point;
    bool members_differ = false;  ///< members are examined one by one, also with free wires
    Cost least{};                 ///< lower bounds of energy and of cycles of its better mappings
};

struct FamilyFinding {
    Reason reason = Reason::every_word_once;
    std::vector<OpenChoice> open;  ///< with the family's factors at the innermost fan-outs
};

class ByFamily {
   public:
    /// Keeps references to all.
    ByFamily(const Einsum& einsum, const Architecture& architecture, const Mapspace& mapspace, const Goal& goal,
             Storage storage, const sparse::Design* zeros);

    const Families& families() const { return families_; }
    /// Some choice of kept tensors may be better even if every word is sent once.
    bool has_to_be_followed(std::size_t family) const;
    FamilyFinding settle(std::size_t family, const std::function<bool()>& stop) const;
    /// Of its family's open choices: the possibly better ones with this member's factors and free wires.
    std::vector<OpenChoice> open_choices(const TilingPoint& member, const FamilyFinding& finding,
                                         const std::function<bool()>& stop) const;

   private:
    using Keepers = std::uint32_t;  ///< bit l: memory l keeps the tensor

    struct Least {
        double pj = 0.0;
        Loads loads{};
    };
    using LeastByTensor = std::vector<std::vector<Least>>;  ///< and choice
    /// Called with a choice of kept tensors, and its least cycles.
    using Visit = std::function<bool(const TilingPoint& point, double cycles)>;
    /// All possibly better ones, until `visit` returns false.
    bool visit_open(const TilingPoint& combined, const Visit& visit) const;
    LeastByTensor least_of(const TilingPoint& combined) const;
    Least least_of(const Charges& charges, int t, const Unshared& unshared) const;
    /// Tiles of the same spatial factors, for any kept tensors.
    struct SameTiles {
        SameTiles(const ByFamily& all, const TilingPoint& point)
            : charges(all.ground_, point),
              lattice(charges.rest(), charges.dimension_count()),
              numbers(all.mapspace_, charges, lattice, all.storage_) {}

        Charges charges;
        Lattice lattice;
        TileNumbers numbers;
    };
    bool members_differ(std::size_t family, const Charges& charges) const;

    static Architecture without_wires(const Architecture& architecture);

    Architecture wireless_;
    Ground ground_;
    const Mapspace& mapspace_;
    const Goal& goal_;
    Storage storage_;
    Families families_;
    std::vector<std::vector<Keepers>> choices_;  ///< by tensor
};

}  // namespace tilewright::certificate
