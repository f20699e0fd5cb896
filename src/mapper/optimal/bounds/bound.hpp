// Lower bounds of one assignment without label setting (B1, B4): tiles nest, but every memory has its own best loops
// outside. In uneven mappings so has every tensor.
// B3: least number of groups of neighbours sharing words, if sharing depends on their tiles.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "mapper/optimal/bounds/reach.hpp"
#include "mapper/optimal/bounds/tile_table.hpp"
#include "mapper/optimal/geometry/charges.hpp"
#include "mapper/optimal/geometry/lattice.hpp"
#include "mapper/optimal/geometry/stages.hpp"
#include "mapspace/mapspace.hpp"

namespace tilewright::optimal {

/// By fan-out. 1 if sharing does not depend on the tile: Charges has those groups.
using LeastGroups = std::array<double, kMaxMemories>;

/// Of one tensor, for any loops inside the fan-outs.
LeastGroups least_groups(const Charges& charges, int tensor);

/// Of deliveries to memory `level`, across all fan-outs they cross.
double groups_across(const Charges& charges, int tensor, int level, const LeastGroups& groups);

/// Lower bound of the energy of the computation and of the compute units' accesses.
double operands_pj(const Charges& charges);
double operands_pj(const Charges& charges, int tensor);

/// B1: lower bound of any nest's energy. No tiles; every word is delivered once.
double compulsory_pj(const Charges& charges);
/// One tensor's part; depends only on the memories keeping it.
double compulsory_pj(const Charges& charges, int tensor);
/// The same with the least sharing between neighbours.
double compulsory_pj(const Charges& charges, int tensor, const LeastGroups& groups);

/// Lower bound of any nest's cycles: every memory passes every word once at full bandwidth.
double compulsory_cycles(const Charges& charges);
/// Adds one tensor's compulsory reads and writes per instance to words[2 l] and words[2 l + 1].
void add_compulsory_words(const Charges& charges, int tensor, std::span<double> words);
void add_compulsory_words(const Charges& charges, int tensor, const LeastGroups& groups, std::span<double> words);

/// B4: lower bound of the deliveries to stores not placed yet.
class CompletionBound {
   public:
    /// `give_up`: called with the growing bound of the assignment; true if nests of that energy are of no interest. All
    /// bounds are infinite then. `coupled`: adds B5 (coupling.hpp) for even mappings; slower.
    CompletionBound(const Mapspace& mapspace, const TileTable& tiles, const Stages& stages,
                    const std::function<bool(double energy_pj)>& give_up, bool coupled);

    /// Least energy of the deliveries to stores not placed, with loops `point` inside. Infinite if no tile fits.
    double pj(std::size_t stage, int point) const;

   private:
    using ByPoint = std::vector<double>;
    using GiveUp = std::function<bool(double)>;

    void look_even(const Mapspace& mapspace, const TileTable& tiles, const GiveUp& give_up, bool coupled);
    static std::vector<ByPoint> tables_of(const TileTable& tiles, const Reach& reach,
                                          const std::vector<ByPoint>& costs);
    void drop_points(const TileTable& tiles, Reach& reach, const GiveUp& is_out_of_reach, std::vector<ByPoint>& costs);
    void couple(const TileTable& tiles, const Reach& reach);
    void look_uneven(const TileTable& tiles, const GiveUp& give_up);

    bool pruned_ = false;
    std::vector<ByPoint> tables_;
    std::vector<std::vector<std::size_t>> sums_;  ///< by stage: indices of the tables to add
};

}  // namespace tilewright::optimal
