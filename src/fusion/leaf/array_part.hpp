// What the array asks of the buffer for a tile: all spreads over its units, with each operand's word in the register.
#pragma once

#include <cstdint>
#include <vector>

#include "fusion/leaf/array_floor.hpp"
#include "fusion/leaf/neighbours.hpp"
#include "fusion/leaf/ranking.hpp"
#include "fusion/machine/machine.hpp"
#include "workload/einsum.hpp"

namespace tilewright::fusion {

/// One way; words of the buffer for the whole leaf.
struct Inside {
    int x = -1;  ///< dimensions across the array; -1: none
    int y = -1;
    int in_register = -1;   ///< operand; -1: none
    bool by_order = false;  ///< the loops outside the tile decide about the register's words, too
    double reads = 0.0;
    double updates = 0.0;
    double units = 1.0;
    double register_words = 0.0;  ///< of one delivery to all registers
};

/// Extents of tiles are divisors of the box's, by dimension their places among them.
using Tile = std::vector<std::uint16_t>;

/// Operands whose word a register may hold: those without windows.
std::vector<int> may_be_in_register(const Einsum& einsum);

/// Words that a tile of these extents has of the tensor.
double words_of(const Tensor& tensor, const std::vector<std::int64_t>& extents);

/// The largest factor that divides the extent; 1 at least.
std::int64_t largest_factor(std::int64_t extent, std::int64_t most);

class ArrayPart {
   public:
    /// Keeps references to all but the extents of the box. `fills`: as least_of_array() takes them.
    ArrayPart(const Einsum& einsum, const Machine& machine, std::vector<std::int64_t> box, double fills,
              Neighbours& neighbours);

    const std::vector<std::int64_t>& divisors(int dimension) const;
    /// Those that no other beats in reads, updates and units, and those that the loops outside decide about; where
    /// energy comes first, of the former those of least energy only. Valid until the next call.
    const std::vector<Inside>& ways(const Tile& tile, Ranking ranking = Ranking::both);

    /// What no way of any tile is below.
    const LeastOfArray& least() const { return least_; }

   private:
    struct Side {                           // of one dimension along one axis of the array
        std::vector<std::int64_t> factors;  // different ones, ascending
        std::vector<std::size_t> of;        // by divisor: the largest factor that divides it
    };
    struct Pair {
        int x = -1;
        int y = -1;
        std::vector<const Shared*> known;  // by factors
    };

    Side side_of(int dimension, std::int64_t most) const;
    const Shared& shared(Pair& pair, std::size_t i, std::size_t j);
    void add_ways(const Tile& tile, const Pair& pair, const Shared& shared);
    void add(const Inside& one);
    double tiles_in_register(const Tile& tile, const Pair& pair, int operand) const;

    const Einsum& einsum_;
    const Machine& machine_;
    std::vector<std::int64_t> box_;
    Neighbours& neighbours_;
    std::vector<std::vector<std::int64_t>> divisors_;
    std::vector<Side> sides_x_;
    std::vector<Side> sides_y_;
    std::vector<Pair> pairs_;
    std::vector<int> in_register_;     // operands that may be
    std::vector<TensorSet> movers_;    // by dimension
    std::vector<double> final_words_;  // by operand: of results, those that no read precedes
    double operations_ = 1.0;
    LeastOfArray least_;
    double calls_ = 1.0;          // tiles of the leaf
    std::vector<double> moving_;  // by operand: product of the tile's extents that move it
    Ranking ranking_ = Ranking::both;
    double way_pj_ = 0.0;  // least energy of the ways so far that the loops outside have no say in
    std::vector<Inside> ways_;
};

}  // namespace tilewright::fusion
