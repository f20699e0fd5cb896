// Proves, family by family, that no mapping beats the goal: for spaces of too many assignments to list. Internal to
// certificate/.
//
// Of a family the choices of kept tensors are bounded together: what a tensor costs at least depends on the memories
// that keep that one only. Choices that this leaves open are looked at with their tiles, then followed as if wires were
// free; only what is open still is followed member by member. Where tiles overlap, members may differ in more than
// wires: which neighbours share words. There the tiles of each member are looked at before anything is followed.
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

/// Tensors kept that may be better, as if wires were free.
struct OpenChoice {
    TilingPoint point;
    bool members_differ = false;  ///< they have to be looked at one by one, also as if wires were free
    Cost least{};                 ///< no mapping that may be better takes less energy, or fewer cycles
};

/// What is known of a family.
struct FamilyFinding {
    Reason reason = Reason::every_word_once;
    std::vector<OpenChoice> open;  ///< with the family's factors at the innermost fan-outs
};

class ByFamily {
   public:
    /// Refers to all.
    ByFamily(const Einsum& einsum, const Architecture& architecture, const Mapspace& mapspace, const Goal& goal,
             Storage storage, const sparse::Design* zeros);

    const Families& families() const { return families_; }
    /// Some choice of kept tensors may be better even if every word is sent only once.
    bool has_to_be_followed(std::size_t family) const;
    FamilyFinding settle(std::size_t family, const std::function<bool()>& stop) const;
    /// Of what is open in its family: what may be better with this member's factors, as if wires were free.
    std::vector<OpenChoice> open_choices(const TilingPoint& member, const FamilyFinding& finding,
                                         const std::function<bool()>& stop) const;

   private:
    using Keepers = std::uint32_t;  ///< bit l: memory l keeps the tensor

    /// What one choice costs a tensor at least.
    struct Least {
        double pj = 0.0;
        Loads loads{};
    };
    using LeastByTensor = std::vector<std::vector<Least>>;  ///< and choice
    /// Told of a choice of kept tensors, and of the cycles that it takes at least.
    using Visit = std::function<bool(const TilingPoint& point, double cycles)>;
    /// All that may be better, until `visit` returns false.
    bool visit_open(const TilingPoint& combined, const Visit& visit) const;
    LeastByTensor least_of(const TilingPoint& combined) const;
    Least least_of(const Charges& charges, int t, const Unshared& unshared) const;
    /// Tiles of the same spatial factors, whatever is kept.
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
