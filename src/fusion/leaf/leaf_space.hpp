// All mappings of a leaf, listed: what leaf_front() chooses from.
#pragma once

#include <functional>
#include <vector>

#include "fusion/leaf/leaf.hpp"

namespace tilewright::fusion {

/// Dimensions that move the same operands.
struct LoopGroup {
    TensorSet moves;
    std::vector<int> dimensions;
};

struct LeafChoice {
    std::vector<std::int64_t> tile;  ///< extents inside the buffer, by dimension
    std::vector<int> order;          ///< groups whose loops fill the buffer, outermost first
    int across_x = -1;               ///< dimension; -1: none
    int across_y = -1;
    int in_register = -1;  ///< operand; -1: none
};

class LeafSpace {
   public:
    LeafSpace(const Einsum& einsum, const Machine& machine, const LeafQuestion& question);

    /// Until `visit` returns false.
    void list(const std::function<bool(const LeafChoice&, const LeafPoint&)>& visit);

    LeafNest nest(const LeafChoice& choice) const;

   private:
    struct Inside {  // the array's part of a tile: words of the buffer for the whole leaf
        int x = -1;
        int y = -1;
        int in_register = -1;
        bool by_order = false;  ///< the loops outside the tile decide, too
        double reads = 0.0;
        double updates = 0.0;
        double units = 1.0;
        double register_words = 0.0;  ///< of one delivery to all registers
    };
    struct Outside {  // an order of the loops that fill the buffer
        std::vector<int> groups;
        std::vector<double> trips;  ///< by operand: how often its tile comes
        Words dram;
        double fills = 0.0;
    };

    void cut(std::size_t group);
    void at_tile();
    void find_insides();
    void add_insides(int x, int y);
    void add_inside(const Inside& spread, const std::vector<double>& groups, int in_register);
    std::vector<Outside> outsides() const;
    Outside outside(const std::vector<int>& order) const;
    std::int64_t spread(int dimension, std::int64_t most) const;
    double neighbours(int operand, int x, int y) const;
    bool meet(const Outside& outside, const Inside& inside);
    void add_calls(std::int64_t calls, double units, const Words& dram, const Words& buffer, LeafPoint& point) const;
    double words(int operand, const std::vector<std::int64_t>& extents) const;

    const Einsum& einsum_;
    const Machine& machine_;
    const LeafQuestion& question_;
    std::vector<LoopGroup> groups_;
    std::vector<std::int64_t> tile_;
    std::vector<Inside> insides_;
    double operations_ = 1.0;
    double first_arrivals_ = 0.0;  ///< words of results, whose first arrival no read precedes
    double calls_ = 1.0;           ///< tiles of the leaf
    std::int64_t own_ = 0;         ///< words of the leaf's own tiles
    const std::function<bool(const LeafChoice&, const LeafPoint&)>* visit_ = nullptr;
    bool go_on_ = true;
};

/// By operand and dimension; true where the dimension stands alone on its axis, with coefficient 1, or moves it not.
bool is_alone(const Tensor& tensor, int dimension);

/// Of one point of iterations.
struct LeastSpread {
    double energy_pj = 0.0;
    double cycles = 0.0;
};
LeastSpread least_spread(const Einsum& einsum, const Machine& machine);

}  // namespace tilewright::fusion
