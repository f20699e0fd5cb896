// Imperfect tile costs: lower bounds of one memory's deliveries by tile, with spatial remainders. Internal.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "certificate/imperfect/charges.hpp"

namespace tilewright::certificate {

// Imperfect delivery costs: lower bounds of one tensor's deliveries to one memory for all tiles, with spatial
// remainders. Internal to certificate/.
//
// A tile's words depend on relevant dimensions, its repetitions on the others. Both are computed once for all tiles
// equal in those, and looked up.

/// By dimension, nodes of its chain; -1: none.
using TileNodes = std::array<std::vector<int>, kMaxDimensions>;
/// One node per dimension.
using Tile = std::array<int, kMaxDimensions>;

/// Calls `visit` for every tile, the first of these dimensions fastest; all others stay at 0.
template <typename Visit>
void visit_tiles(const TileNodes& nodes, std::uint32_t dimensions, const Visit& visit) {
    Tile tile{};
    for (bool more = true; more;) {
        visit(tile);
        more = false;
        for (int d = 0; d < kMaxDimensions && !more; ++d) {
            if ((dimensions >> d & 1U) == 0 || nodes[d].empty()) continue;
            more = ++tile[d] < static_cast<int>(nodes[d].size());
            if (!more) tile[d] = 0;
        }
    }
}

class TileIndex {
   public:
    TileIndex() = default;
    TileIndex(const TileNodes& nodes, std::uint32_t dimensions) {
        std::int64_t size = 1;
        for (int d = 0; d < kMaxDimensions; ++d) {
            if ((dimensions >> d & 1U) == 0 || nodes[d].empty()) continue;
            if (nodes[d].size() > 1) steps_.push_back({d, size});
            size *= static_cast<std::int64_t>(nodes[d].size());
        }
    }
    std::size_t operator()(const Tile& tile) const {
        std::int64_t index = 0;
        for (const Step& step : steps_) index += tile[step.dimension] * step.stride;
        return static_cast<std::size_t>(index);
    }

   private:
    struct Step {
        int dimension = 0;
        std::int64_t stride = 1;
    };
    std::vector<Step> steps_;
};

class ImperfectDeliveryCosts {
   public:
    /// `worst`: the fan-outs crossed at these nodes.
    ImperfectDeliveryCosts(const ImperfectCharges& charges, int tensor, int level, const Where& worst,
                           const TileNodes& nodes);

    /// Calls `visit` with the energy for a first loop of one of these dimensions (bits): those of `first` relevant to
    /// the tensor. Returns it for all others.
    template <typename Visit>
    double visit_moved_pj(const Tile& tile, std::uint32_t first, const Visit& visit) const {
        const Words& words = words_[tiles_(tile)];
        if ((first & moving_) == 0) return words.unmoved_pj;
        const Times& times = times_[others_(tile)];
        for (int i = 0; i < words.moves; ++i)
            if (const std::uint32_t dimensions = words.dimensions[i] & first; dimensions != 0)
                visit(dimensions, moved_pj(words, words.words[i], times));
        return words.unmoved_pj;
    }

   private:
    /// For one step of the irrelevant loops.
    struct Sent {
        double words = 0.0;
        double saved = 0.0;  ///< upper bound

        bool operator==(const Sent&) const = default;
    };
    struct Words {
        double unmoved_pj = 0.0;
        int moves = 0;
        std::array<std::uint32_t, kMaxRanks> dimensions{};  ///< bits: for a first moving loop of one of these
        std::array<Sent, kMaxRanks> words{};
    };
    /// Steps of the irrelevant loops.
    struct Times {
        double delivered = 1.0;
        double accesses = 1.0;  ///< neighbours with equal words count once
    };

    Words words_of(const ImperfectCharges& charges, int tensor, int level, const Where& at) const;
    double moved_pj(const Words& words, const Sent& sent, const Times& times) const {
        const double shared = shares_what_it_saves_ ? times.accesses : times.delivered;
        const double delivered = (sent.words - sent.saved) * times.delivered;
        const double accesses = sent.words * times.accesses - sent.saved * shared;
        return std::max(words.unmoved_pj, prices_.pj(std::max(0.0, delivered), std::max(0.0, accesses)));
    }

    std::uint32_t moving_;
    AtLeast prices_;
    bool shares_what_it_saves_;
    TileIndex tiles_;
    TileIndex others_;
    std::vector<Words> words_;
    std::vector<Times> times_;
};

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
