// All mappings of a leaf: what leaf_front() chooses from.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "fusion/leaf/array_part.hpp"
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
    /// Keeps references to all of them.
    LeafSpace(const Einsum& einsum, const Machine& machine, const LeafQuestion& question, Neighbours& neighbours);

    using Visit = std::function<bool(const LeafChoice&, const LeafPoint&)>;
    /// Until `visit` returns false. With `words`, only of tiles that take so many of the buffer.
    void list(const Visit& visit, std::optional<std::int64_t> words = {});
    /// The front of all of them. Tiles that a bound shows to be no better than what was found are not looked at.
    LeafFront front(Ranking ranking = Ranking::both);

    LeafNest nest(const LeafChoice& choice) const;

   private:
    struct Outside {  // an order of the loops that fill the buffer
        std::vector<int> groups;
        std::array<double, kMaxTensors> trips{};  ///< by operand: how often its tile comes
        Words dram;
        double fills = 0.0;
    };

    void each_tile(std::size_t group, const std::function<bool()>& visit);
    bool look_at_tile(const Visit& visit);
    LeafPoint floor_of_tile() const;
    LeafPoint floor_of(const Words& dram, double fills) const;
    /// Those of the tile at hand, each kind of trips once. Valid until the next call.
    std::span<Outside> outsides();
    void put_outside(const std::vector<int>& order, Outside& one) const;
    LeafPoint meet(const Outside& outside, const Inside& inside) const;
    void add_calls(std::int64_t calls, double units, const Words& dram, const Words& buffer, LeafPoint& point) const;
    double words(int operand) const;
    std::int64_t own_words() const;
    std::int64_t extent(int dimension) const { return array_.divisors(dimension)[tile_[dimension]]; }
    std::int64_t tiles(int dimension) const { return question_.extents[dimension] / extent(dimension); }
    std::vector<std::int64_t> extents() const;

    const Einsum& einsum_;
    const Machine& machine_;
    const LeafQuestion& question_;
    ArrayPart array_;
    std::vector<LoopGroup> groups_;
    Tile tile_;
    Tile whole_;
    double operations_ = 1.0;
    std::vector<double> all_words_;  ///< by operand, of the whole box
    double first_arrivals_ = 0.0;    ///< words of results, whose first arrival no read precedes
    std::int64_t own_ = 0;           ///< words of the leaf's own tiles
    std::vector<int> order_;
    std::vector<Outside> outsides_;  ///< their memory is used for one tile after the other
    bool go_on_ = true;
};

/// Words that come from and go to the DRAM where all that is not in the buffer moves once.
Words words_once(const Einsum& einsum, const LeafQuestion& question);

/// Of points, those that belong to a front.
LeafFront front_of(std::vector<LeafPoint> points, Ranking ranking = Ranking::both);

}  // namespace tilewright::fusion
