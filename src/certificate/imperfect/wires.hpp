// Imperfect wires: lower bound of one assignment's wire lengths with spatial remainders. Internal to certificate/.
//
// In steps with a shorter loop of the fan-out the present neighbours stand closer together (model rule 7). Of a
// relevant dimension, the tiles give the words sent in such steps.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "certificate/common/charges.hpp"
#include "mapspace/mapspace.hpp"

namespace tilewright::certificate {

/// Hops of a word, mean over all words sent without savings.
using HopsByTensor = std::array<double, kMaxTensors>;

class ImperfectWires {
   public:
    ImperfectWires(const Ground& ground, const Mapspace& mapspace, const TilingPoint& assignment);

    /// The tensor's words pay below memory `level`.
    bool cost(int t, int level) const { return hop_pj_[t][level] > 0.0; }
    double hop_pj(int t, int level) const { return hop_pj_[t][level]; }
    /// Of a word to any group of neighbours.
    double least_hops(int level) const { return least_[level]; }
    double most_hops(int level) const { return most_[level]; }

    /// `tiles`: iterations of every dimension inside the fan-out below `level`.
    HopsByTensor hops(int level, const Box& tiles) const;

   private:
    /// A part of the steps or words of one dimension: its loop runs `trips` times, with these indices taking part.
    struct Part {
        double weight = 1.0;
        std::int32_t trips = 1;
        std::int32_t first = 0;
        std::int32_t end = 1;
    };
    using Parts = std::vector<Part>;
    struct Layout {
        std::vector<SpatialLoop> loops;
        std::array<std::int32_t, kMaxDimensions> along_x{};
        std::array<std::int32_t, kMaxDimensions> along_y{};

        std::int32_t extent(const SpatialLoop& loop) const {
            return (loop.along_y ? along_y : along_x)[loop.dimension];
        }
    };

    std::uint32_t imperfect(int level, const Box& tiles) const;
    bool is_regular(int t, int level, const Box& tiles) const;
    Parts parts_of(int t, int level, int dimension, double tile) const;
    double hops_of(int t, int level, std::uint32_t imperfect, const std::array<Parts, kMaxDimensions>& parts) const;
    using PartOf = std::array<Part, kMaxDimensions>;
    double sum_hops(int t, int level, std::uint32_t imperfect, const PartOf& part) const;
    double sum_hops(int t, int level, const Layout& layout, std::uint32_t imperfect, const PartOf& part) const;
    void list_layouts(const Mapspace& mapspace, int level);
    double hops(int t, int level, const Box& tiles) const;
    void set_range(int level);

    const Ground& ground_;
    TilingPoint assignment_;
    std::array<std::vector<Layout>, kMaxMemories> layouts_;  ///< none: too many
    std::array<bool, kMaxMemories> sorted_{};  ///< loops that leave a remainder are outside the others of their axis
    std::array<Mesh, kMaxMemories> lattices_;
    std::array<std::uint32_t, kMaxMemories> blocks_{};
    std::array<std::array<double, kMaxMemories>, kMaxTensors> hop_pj_{};
    std::array<double, kMaxMemories> least_{};
    std::array<double, kMaxMemories> most_{};
};

}  // namespace tilewright::certificate
