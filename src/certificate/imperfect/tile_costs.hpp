// Imperfect tile costs: lower bounds of one memory's deliveries by tile, with spatial remainders. Internal.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "certificate/imperfect/delivery_costs.hpp"

namespace tilewright::certificate {

/// A tensor delivered to an inner memory past others.
struct PassedBy {
    int tensor = 0;
    int level = 0;  ///< the receiving memory
};

class ImperfectTileCosts {
   public:
    /// Of memory `level` with its tile at these nodes, for the tensors in `tensors` (bits). `open`, if any: a delivery
    /// not moved by any loop when the tile is stored.
    ImperfectTileCosts(const ImperfectCharges& charges, int level, const TileNodes& nodes, std::uint32_t tensors,
                       const PassedBy* open);

    bool fits(const Tile& tile) const;
    struct Least {
        double pj = Chain::kNever;
        double with_open_pj = Chain::kNever;  ///< with the open delivery
    };
    /// Minimum over the first loop outside the tile.
    Least least_pj(const Tile& tile) const;

   private:
    /// The fan-outs crossed before the first loop outside the tile.
    struct Outside {
        Where worst;
        TileNodes nodes;                                             ///< outside of these
        std::array<std::vector<std::uint8_t>, kMaxDimensions> runs;  ///< by node: a loop may be the first
        bool may_be_all = false;                                     ///< none need follow
        std::vector<ImperfectDeliveryCosts> deliveries;
        std::vector<ImperfectDeliveryCosts> open;  ///< one or none
    };
    struct ByFirstLoop {
        std::uint32_t first = 0;  ///< its possible dimensions
        bool may_be_none = false;
        double unmoved_pj = 0.0;
        std::array<double, kMaxDimensions> more_pj{};  ///< additional, by dimension
    };
    struct Room {
        TileIndex tiles;
        std::vector<double> taken;
    };

    void set_room(int t, const TileNodes& nodes);
    void find_outsides(const TileNodes& nodes);
    static double first_loop_pj(const ByFirstLoop& costs);
    void look_at(const Outside& outside, const Tile& tile, Least& least) const;

    const ImperfectCharges& charges_;
    const int level_;
    std::vector<Room> room_;
    std::vector<Outside> outsides_;
};

}  // namespace tilewright::certificate
