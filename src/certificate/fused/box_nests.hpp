// All nests of one box of a leaf: tiles, orders of the loops around them, spreads over the array, and the operand whose
// word lies in the registers. Internal to nests.cpp.
#pragma once

#include <functional>
#include <vector>

#include "certificate/fused/nests.hpp"

namespace tilewright::certificate::fused_proof {

std::int64_t largest_factor_up_to(std::int64_t most, std::int64_t extent);

class BoxNests {
   public:
    BoxNests(Nests& nests, const BoxOfLeaf& box);

    Front front();
    double floor();

   private:
    using Extents = std::vector<std::int64_t>;

    struct Cut {  // dimensions that move the same operands
        std::uint32_t moves = 0;
        std::vector<int> dimensions;
    };
    struct Tile {
        std::int64_t words = 0;
        double floor = 0.0;
        Extents extents;
    };
    struct Way {  // through the array
        double reads = 0.0;
        double updates = 0.0;
        double units = 1.0;
        int kept = -1;  // operand whose words come as often as the loops around the tile say; -1: none
        double kept_words = 0.0;
    };

    void each_tile(std::size_t cut, const std::function<void()>& visit);
    double words(int operand, const Extents& extents) const;
    std::int64_t own_words() const;
    double trips_at_least(int operand) const;
    double floor_of_tile() const;
    void find_ways();
    void add_ways(int x, std::int64_t along_x, int y, std::int64_t along_y);
    static void add_way(const Way& way, std::vector<Way>& ways);
    double least_value();
    double value(const std::vector<double>& trips) const;
    double cost(double units, const Moved& dram, const Moved& buffer) const;
    Moved from_dram(const std::vector<double>& trips) const;
    void find_least_ways();
    double all_calls(double units, const Moved& dram, Moved buffer) const;
    std::int64_t tiles_along(std::size_t dimension) const { return box_.extents[dimension] / tile_[dimension]; }
    bool is_held(int operand) const { return (box_.held >> operand & 1U) != 0; }
    bool is_written(int operand) const { return nests_.einsum_.tensors[operand].written; }

    Nests& nests_;
    const BoxOfLeaf& box_;
    std::vector<Cut> cuts_;
    Extents tile_;
    double operations_ = 1.0;
    double results_ = 0.0;           // words of results of the whole box
    std::vector<double> all_words_;  // by operand, of the whole box
    std::vector<Way> ways_;          // of the tile at hand
    std::vector<Way> least_ways_;    // no way of any tile moves fewer words and has more units than all of these
};

}  // namespace tilewright::certificate::fused_proof
