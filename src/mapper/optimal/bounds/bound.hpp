// Lower bounds for one assignment without walking its nests: the tiles of the memories contain each other, but every
// memory has the loops just outside it that suit it best. In uneven mappings so does every tensor.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "mapper/optimal/bounds/reach.hpp"
#include "mapper/optimal/bounds/sharing.hpp"
#include "mapper/optimal/bounds/tile_table.hpp"
#include "mapper/optimal/geometry/charges.hpp"
#include "mapper/optimal/geometry/lattice.hpp"
#include "mapper/optimal/geometry/stages.hpp"
#include "mapspace/mapspace.hpp"

namespace tilewright::optimal {

/// Energy of the computation and of what the compute units are sent, at least.
double operands_pj(const Charges& charges);
double operands_pj(const Charges& charges, int tensor);

/// Energy of any nest of the assignment is at least this: no tile is looked at, every word is delivered once.
double compulsory_pj(const Charges& charges);
/// The part of one tensor; it depends on the memories that keep that one only.
double compulsory_pj(const Charges& charges, int tensor);
/// The same, of which neighbours share words as little as they may.
double compulsory_pj(const Charges& charges, int tensor, const LeastGroups& groups);

/// Cycles of any nest: every memory passes on every word once, as fast as it may.
double compulsory_cycles(const Charges& charges);
/// Words of one tensor that every memory has to read and write per instance: added to words[2 l] and words[2 l + 1].
void add_compulsory_words(const Charges& charges, int tensor, std::span<double> words);
void add_compulsory_words(const Charges& charges, int tensor, const LeastGroups& groups, std::span<double> words);

/// What is left to pay for stores that have not been placed.
class CompletionBound {
   public:
    /// `give_up`: asked, as the bound of the whole assignment grows, whether a nest of at least so much energy is of no
    /// interest; if so, all that is to come is infinite.
    /// `coupled`: of even mappings as coupling.hpp has it. That is dearer to find.
    CompletionBound(const Mapspace& mapspace, const TileTable& tiles, const Stages& stages,
                    const std::function<bool(double energy_pj)>& give_up, bool coupled);

    /// The least energy of the deliveries to stores that the stage has not placed, when the loops inside make `point`.
    /// Infinite when no tile fits some memory.
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
    std::vector<std::vector<std::size_t>> sums_;  ///< by stage: which tables add up
};

}  // namespace tilewright::optimal
