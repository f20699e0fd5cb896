// All nests of one box of a leaf: tiles, orders of the loops around them, spreads over the array, and the operand whose
// word lies in the registers. Internal to nests.cpp.
//
// Dimensions that move the same operands are one cut: what the DRAM is asked for depends on how many tiles each cut
// has, and on the order of the loops over these. That is found first; with the cheapest way through the array it is a
// floor of the tile, and most tiles go no further.
#pragma once

#include <array>
#include <vector>

#include "certificate/fused/loop_orders.hpp"
#include "certificate/fused/nests.hpp"

namespace tilewright::certificate::fused_proof {

class BoxNests {
   public:
    BoxNests(Nests& nests, const BoxOfLeaf& box);

    /// Of what costs less than `most`. `known`: the same of less.
    Front front(double most, const Front& known);
    double floor() const;

   private:
    using Extents = std::vector<std::int64_t>;
    using Way = Nests::Way;

    struct Part {  // of a cut: one dimension is a part, those before it are at one, those after it whole
        std::size_t dimension = 0;
        std::int64_t extent = 0;
        double size = 1.0;   // of all its dimensions together
        double tiles = 1.0;  // that go into the cut
    };
    struct Cut {
        std::uint32_t moves = 0;
        std::vector<std::size_t> dimensions = {};
        std::vector<Part> parts = {};
    };
    struct Tile {
        std::int64_t words = 0;
        double floor = 0.0;
        std::size_t number = 0;  // its digits are parts of the cuts
    };

    double words(int operand, const Extents& extents) const;
    void find_cuts();
    template <typename Visit>
    void each_tile(const Visit& visit);
    void set_tile(std::size_t number);
    std::int64_t own_words() const;
    double floor_of_tile() const;
    void find_ways(const Moved& dram, double most);
    void add_ways(int x, std::int64_t along_x, int y, std::int64_t along_y, const Moved& dram, double most);
    double least_value(double most);
    double value(const LoopOrder& order, const Moved& dram) const;
    double floor_of(const Moved& dram) const;
    double cost(double units, const Moved& dram, const Moved& buffer) const;
    Moved from_dram(const LoopOrder& order) const;
    double all_calls(double units, const Moved& dram, Moved buffer) const;
    bool is_held(int operand) const { return (box_.held >> operand & 1U) != 0; }
    bool is_written(int operand) const { return nests_.einsum_.tensors[operand].written; }

    Nests& nests_;
    const BoxOfLeaf& box_;
    int operands_;
    double operations_ = 1.0;
    double results_ = 0.0;           // words of results of the whole box
    std::vector<double> all_words_;  // by operand, of the whole box
    const std::vector<Way>& least_ways_;
    std::vector<Cut> cuts_;
    LoopOrders* orders_ = nullptr;
    std::vector<std::uint32_t> own_cuts_;  // by operand: cuts that move it, as bits
    std::vector<double> uncut_;            // by operand: words where every cut is at one

    // Of the tile at hand:
    std::vector<const Part*> parts_;  // by cut
    std::vector<double> tiles_;       // by set of cuts: how many tiles these make
    std::uint32_t split_ = 0;         // cuts of several tiles
    Extents tile_;
    std::array<double, kMaxTensors> words_of_tile_{};
    std::vector<Way> ways_;
};

}  // namespace tilewright::certificate::fused_proof
