// Proves the goal family by family, for spaces of too many assignments to list. Internal to certificate/.
//
// A family's choices of kept tensors are bounded together: a tensor's bound depends on its own keeping memories only.
// Choices left get tile bounds, then label setting with free wires; only survivors are followed member by member. With
// overlapping tiles members may differ in sharing: each member then gets tile bounds before anything is followed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "certificate/common/charges.hpp"
#include "certificate/common/proof.hpp"
#include "certificate/perfect/bounds.hpp"
#include "certificate/perfect/tile_numbers.hpp"
#include "mapping/tiling_point.hpp"
#include "mapspace/mapspace.hpp"

namespace tilewright::certificate {

// Families: spatial factors equal up to the fan-out of a dimension, among fan-outs without a memory between, and up to
// layout. Internal to certificate/.
//
// These decide wire lengths only: with free wires, the factors at the innermost of those fan-outs cost no more than any
// member. Unconstrained machines have a hundred times as many assignments.

class Families {
   public:
    /// Requires perfect factors. Keeps a reference.
    Families(const Mapspace& mapspace, const Architecture& architecture);

    std::size_t count() const { return codes_.size(); }
    /// It has members other than its factors at the innermost fan-outs.
    bool has_several(std::size_t family) const { return has_several_[family]; }
    /// Its factors at the innermost fan-outs, with compulsory kept tensors. Possibly outside the space.
    TilingPoint combined(std::size_t family) const;
    /// "s0*14.2*2": dimension and factor of every fan-out that spreads anything; "-": none does.
    std::string text(std::size_t family) const;
    /// Walks the space again: every member of the wanted families, in one layout, until `visit` returns false.
    using Visit = std::function<bool(std::size_t family, const TilingPoint& member)>;
    void visit_members(const std::vector<bool>& wanted, const Visit& visit) const;

   private:
    using Code = std::vector<std::int32_t>;  ///< by memory and dimension

    Code code_of(const TilingPoint& point) const;
    bool is_combined(const TilingPoint& point) const;

    const Mapspace& mapspace_;
    std::vector<int> innermost_;  ///< by memory: the last fan-out before a store
    std::vector<Code> codes_;
    std::vector<bool> has_several_;
    std::vector<std::size_t> by_code_;  ///< families in the order of their codes
};

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
