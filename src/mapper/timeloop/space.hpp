// Space: all mappings of a layer in Timeloop's numbering, of four dimensions: factors of all loops, orders of the
// loops, the place of each fan-out's change from X to Y, and kept tensors.
//
// Tiling levels count from the innermost: of every memory its fan-out, if any, then its temporal loops. Perfect factors
// only (Timeloop's template "uber").
//
//     const Space space(mapspace, einsum, architecture);
//     const Slice slice = space.slice(factorization, Prune::yes);
//     if (space.write(slice, choice, point)) ...
// Draws: the random numbers that direct Timeloop's searches.
//
// Every space of choices has its own generator: a 31-bit linear congruential engine with one initial state in every
// thread. Numbers beyond 64 bits take two draws. With seed 1 the draws are timeloop-mapper's own, so its runs are
// repeated number by number; other seeds begin elsewhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "mapping/tiling_point.hpp"
#include "mapspace/mapspace.hpp"
#include "workload/einsum.hpp"

namespace tilewright::timeloop_search {

/// Number of choices, or index of one: below 2^128.
__extension__ typedef unsigned __int128 Number;

class Draws {
   public:
    /// Of 0 .. bound - 1. Requires bound > 0.
    Draws(Number bound, std::uint64_t seed);

    Number next();

   private:
    std::uint32_t engine();
    std::uint64_t up_to(std::uint64_t most);

    Number bound_;
    std::uint64_t state_;
};

/// One number in each dimension.
struct Choice {
    Number factorization = 0;
    Number permutation = 0;
    Number split = 0;
    Number bypass = 0;
};

struct Sizes {
    Number factorizations = 0;
    Number permutations = 1;
    Number splits = 1;
    Number bypasses = 1;
};

/// Removal of loops that run once from orders and splits.
enum class Prune { no, yes };

struct Slice {
    /// An order, innermost first: prefix, then middle in any order, then suffix.
    struct Level {
        std::vector<std::int32_t> factors;  ///< by dimension
        std::vector<std::uint8_t> prefix;
        std::vector<std::uint8_t> middle;
        std::vector<std::uint8_t> suffix;
        int first_split = 0;  ///< least number of loops along X
        int splits = 1;
    };
    std::vector<Level> levels;  ///< innermost first
    Number permutations = 1;
    Number splits = 1;
};

class Space {
   public:
    Space(const Mapspace& mapspace, const Einsum& einsum, const Architecture& architecture);

    /// Reason it cannot be numbered, or "": more than 2^128 in one dimension. (Timeloop gives up on so many in all.)
    const std::string& problem() const { return problem_; }
    /// Without pruning.
    const Sizes& sizes() const { return sizes_; }

    /// Requires factorization < sizes().factorizations.
    Slice slice(Number factorization, Prune prune) const;

    /// By the number of a split: a fan-out has no room for its loops in any order. Empty if unknown.
    std::vector<bool> doomed_splits(const Slice& slice) const;

    /// Makes `point` the mapping of that choice; false if a fan-out has no room for it or too little runs in parallel.
    bool write(const Slice& slice, const Choice& choice, TilingPoint& point) const;

   private:
    struct Level {
        int memory = 0;
        bool spatial = false;
        std::vector<std::uint8_t> prefix;  ///< of the constraints
        std::vector<std::uint8_t> suffix;
        bool canonical = false;  ///< the order does not matter to Timeloop: that of the dimensions stands for all
        std::optional<int> split;
    };
    struct FreeKeep {
        int memory = 0;
        int tensor = 0;
    };

    void set_levels(const Constraints& constraints);
    void set_factors();
    void set_sizes();
    void divide(Number factorization, std::vector<Slice::Level>& levels) const;
    void order(const Level& level, Prune prune, Slice::Level& slice) const;
    std::vector<std::uint8_t> permuted(const Slice::Level& level, Number& permutation) const;
    bool is_doomed(const Level& level, const Slice::Level& slice, int split) const;
    int along_x(const Level& level, const Slice::Level& slice, Number& split) const;
    bool write_spatial(const Level& level, const Slice::Level& slice, const std::vector<std::uint8_t>& order, int split,
                       TilingPoint& point) const;

    const Mapspace& mapspace_;
    const Einsum& einsum_;
    const Architecture& architecture_;
    std::vector<Level> levels_;
    std::vector<Factorizations> factors_;          ///< by dimension; slots are levels, outermost first
    std::vector<std::vector<int>> divisor_order_;  ///< by dimension: the divisors in Timeloop's order
    std::vector<FreeKeep> keeps_;                  ///< lowest bit of a bypass number first
    Sizes sizes_;
    std::string problem_;
};

}  // namespace tilewright::timeloop_search
