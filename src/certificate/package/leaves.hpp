// What a core spends on a box of an einsum: of lanes by their turns; of machines by mappings that claims of their own
// prove, or by a floor.
#pragma once

#include <functional>
#include <map>
#include <tuple>
#include <vector>

#include "certificate/claim/certificate.hpp"
#include "certificate/package/reading.hpp"

namespace tilewright::certificate::package_proof {

struct LeafCost {
    double energy_pj = 0.0;
    std::int64_t cycles = 0;
    bool is_known = true;  ///< false: a floor, and a claim may say more
};

/// An ordinary claim about a layer: the box of an einsum on a kind of core.
struct Leaf {
    int einsum = 0;
    int kind = 0;
    certificate::Claim claim;  ///< a bound of 0 with an empty outline: of the mapping's cost alone

    bool has_bound() const { return claim.bound > 0.0; }
};

/// Not thread-safe.
class Leaves {
   public:
    /// Of a box that a search knows the best mapping of, adds a claim; false: no more are to be had.
    using More = std::function<bool(int einsum, int kind, const Extents& extents, std::vector<Leaf>& leaves)>;

    /// Keeps a reference to both. `is_energy`: what the bounds of claims are of; else cycles.
    Leaves(const Reading& reading, std::vector<Leaf>& leaves, bool is_energy);

    /// Of the mapping; a floor where there is none.
    LeafCost spent(int einsum, int kind, const Extents& extents);
    /// No mapping of the box has less, in energy and in cycles each.
    LeafCost least(int einsum, int kind, const Extents& extents);
    /// No boxes into which all iterations are cut have less in sum, in each.
    LeafCost least_in_sum(int einsum, int kind);
    /// Asks for claims; true where one came.
    bool ask(int einsum, int kind, const Extents& extents);
    void ask_by(More more) { more_ = std::move(more); }

   private:
    using Key = std::tuple<int, int, Extents>;

    LeafCost on_lanes(int einsum, int kind, const Extents& extents) const;
    LeafCost floor(int einsum, int kind, const Extents& extents) const;
    const Leaf* find(int einsum, int kind, const Extents& extents);

    const Reading& reading_;
    std::vector<Leaf>& leaves_;
    bool is_energy_;
    More more_;
    std::vector<int> forms_;            // by einsum: the first of the same form
    std::map<Key, std::size_t> index_;  // of leaves_
    std::size_t indexed_ = 0;
    std::map<Key, LeafCost> floors_;
};

/// The einsum of a leaf.
Einsum box_of(const CascadeEinsum& einsum, const Extents& extents);

}  // namespace tilewright::certificate::package_proof
