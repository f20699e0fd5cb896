// All tiles of one dimension for fixed spatial factors, with spatial remainders and perfect temporal ones (ruby-s).
//
// From the compute units outwards a tile of `product` iterations leaves ceil(extent / product) chunks. A fan-out
// multiplies the product by its factor, a temporal loop by a divisor of the chunks. A dimension is done at one chunk.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mapspace/factors/chains.hpp"

namespace tilewright::optimal {

class ImperfectTiles {
   public:
    struct Step {
        std::int32_t factor = 2;
        int to = 0;
    };
    struct Level {
        std::int64_t spread = 1;  ///< factor of the fan-out below it
        ChainSlot spatial;
        ChainSlot temporal;
        std::optional<bool> leaves_remainder;  ///< only tiles with (or without) one at the fan-out
        bool only_whole = false;               ///< only if nothing is left outside the fan-out

        bool may_spread(std::int64_t chunks) const {
            if (spread == 1) return true;
            if (only_whole && chunks != spread) return false;
            return spatial.allows(spread, chunks) &&
                   leaves_remainder.value_or(chunks % spread != 0) == (chunks % spread != 0);
        }
    };

    /// Outermost memory first.
    ImperfectTiles(std::int64_t extent, const std::vector<Level>& levels);

    /// Tiles in ascending order; 0 is a single iteration.
    int size() const { return static_cast<int>(products_.size()); }
    double product(int tile) const { return products_[tile]; }
    double chunks(int tile) const { return chunks_[tile]; }

    /// The tile after the fan-out below memory `level`; -1 if it has no useful completion.
    int across(int level, int tile) const { return levels_[level].across[at(tile)]; }
    /// The store of memory `level` may be placed here: the outer loops can cover the rest.
    bool may_store(int level, int tile) const { return levels_[level].least_after[at(tile)] < kNever; }
    /// Loops of memory `level`: single primes, or whole bounded factors.
    std::span<const Step> steps(int level, int tile) const { return levels_[level].steps[at(tile)]; }
    bool is_bounded(int level) const { return levels_[level].bounded; }
    /// Least product of the temporal loops from this tile on, at memory `level` or outside it.
    double least_steps(int level, int tile) const { return levels_[level].least_from[at(tile)]; }
    /// The same outside memory `level`.
    double least_steps_outside(int level, int tile) const { return levels_[level].least_after[at(tile)]; }

   private:
    static constexpr double kNever = 1e300;
    struct Reach {
        std::vector<int> across;
        std::vector<std::vector<Step>> steps;
        std::vector<double> least_from;
        std::vector<double> least_after;
        bool bounded = false;
    };

    static std::size_t at(int tile) { return static_cast<std::size_t>(tile); }
    void find_products(std::int64_t extent, const std::vector<Level>& levels);
    int index_of(std::int64_t product) const;
    void set_steps(const Level& level, Reach& reach) const;
    void set_least(const Reach* outside, const Level& level, Reach& reach) const;

    std::vector<double> products_;
    std::vector<double> chunks_;
    std::vector<Reach> levels_;
};

}  // namespace tilewright::optimal
