// TileTable: the tiles of one assignment at every point of the lattice. How many words they have, and how many are
// sent at least, whatever the loops outside.
//
// A tensor's tile depends on few of the dimensions: its numbers are kept once for all points that agree in those.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "mapper/optimal/geometry/charges.hpp"
#include "mapper/optimal/geometry/lattice.hpp"
#include "mapspace/mapspace.hpp"

namespace tilewright::optimal {

/// What deliveries to memories of the same tile cost at least, by the first loop outside them.
struct FirstLoops {
    Extents along{};                          ///< all tensors together, by its dimension
    std::array<double, kMaxTensors> still{};  ///< by tensor, where it and as many more as there are do not move it
};

/// For one thread: numbers are made when they are first asked for.
class TileTable {
   public:
    /// Refers to charges and lattice. Numbers of tiles stay when the charges choose other kept tensors.
    TileTable(const Mapspace& mapspace, const Charges& charges, const Lattice& lattice);

    const Charges& charges() const { return charges_; }
    const Lattice& lattice() const { return lattice_; }

    double words(int tensor, int level, int point) const { return words_at(tensor, level, index(tensor, point)); }
    /// Charges::distinct() of that tile.
    double distinct(int tensor, int level, int point) const;
    /// Energy of the delivery when the first loop outside moves a tensor whose tiles do not overlap.
    double moving_pj(int tensor, int level, int point) const;

    /// Energy of delivering the tensor whatever the loops outside: at least this.
    double least_pj(int tensor, int level, int point) const;
    /// Energy of all deliveries to the memory, whichever dimension the first loop outside runs along: at least this.
    /// All tensors have their tiles directly inside the fan-out.
    double least_pj(int level, int point) const;
    /// The same, by the first loop. Adds to what is there.
    void add_first_loops(int level, int point, FirstLoops& loops) const;
    /// Energy of delivering the tensor when the first loop outside moves it: at least this.
    double least_moving_pj(int tensor, int level, int point) const;

    /// What the compute units are sent costs at least so much more than if all neighbours shared it, where those across
    /// the fan-outs directly around the memory share words by its tile. Only of even mappings.
    double asked_pj(int level, int point) const;

    bool fits(int level, TensorSet tensors, int point) const;
    /// Takes out the points where they do not fit.
    void keep_fitting(int level, TensorSet tensors, PointSet& points) const;

   private:
    /// Numbers by index(); negative: not known yet.
    struct Sizes {
        std::vector<double> words;
        std::vector<double> sent;          ///< at least, as in Sent: `rank_counts_` + 1 numbers for each
        std::vector<double> groups;        ///< of neighbours that share words, where they depend on the tile
        std::vector<double> least_groups;  ///< by point: of all tiles that loops outside may make of it
    };
    /// What has been found out about these tensors in that memory.
    struct Fitting {
        PointSet asked;
        PointSet fits;
    };
    /// Of one tile, by the first loop outside.
    struct Sent {
        double still = 0.0;              ///< it does not move the tensor
        std::span<const double> moving;  ///< by rank that it moves, per iteration outside
    };

    /// Energy of one delivery, by the first loop outside.
    struct ByRank {
        double still = 0.0;              ///< it does not move the tensor
        std::span<const double> moving;  ///< by rank that it moves; of tangled tensors `still`
    };
    ByRank pj_by_rank(int tensor, int level, int point) const;
    void price(int tensor, int level, int point, std::span<double> pj) const;
    double shared_pj(int tensor, int level, int point, double sent) const;

    std::size_t index(int tensor, int point) const { return static_cast<std::size_t>(indices_[tensor][point]); }
    void number_tiles(int tensor);
    double words_at(int tensor, int level, std::size_t index) const {
        const std::vector<double>& words = sizes_[tensor][level].words;
        if (words.empty() || words[index] < 0.0) measure_words(tensor, level, index);
        return words[index];
    }
    void measure_words(int tensor, int level, std::size_t index) const;
    Sent sent_at(int tensor, int level, std::size_t index) const;
    bool shares_by_tile(int tensor, int level) const;
    double groups_at(int tensor, int level, std::size_t index) const;
    double groups_outside(int tensor, int level, int point) const;
    double least_groups_at(int tensor, int level, int point) const;
    void measure(int tensor, int level, std::size_t index, std::span<double> sent) const;
    void measure_windows(int tensor, int level, std::size_t index, std::span<double> sent) const;
    Extents tile(int tensor, int level, std::size_t index) const;

    const Charges& charges_;
    const Lattice& lattice_;
    std::array<int, kMaxMemories + 1>
        around_{};  ///< by level: the first of the fan-outs around it without loops between
    std::array<std::vector<std::int32_t>, kMaxTensors> indices_;  ///< by point: which of the tensor's tiles
    std::array<std::vector<std::int32_t>, kMaxTensors> samples_;  ///< by index: a point with that tile
    std::array<std::vector<double>, kMaxTensors> positions_;      ///< by index: tiles over the run, each once
    std::array<double, kMaxTensors> all_words_{};
    std::array<double, kMaxTensors> distinct_{};  ///< of these: at least so many are ever used
    std::array<std::array<std::int8_t, kMaxDimensions>, kMaxTensors> ranks_{};  ///< that a dimension moves, or -1
    std::array<int, kMaxTensors> rank_counts_{};  ///< whose first move matters; 1 where tiles do not overlap
    mutable std::array<std::array<Sizes, kMaxMemories>, kMaxTensors> sizes_;
    /// By tensor, level and the next memory outside that keeps the tensor: by point, as in ByRank. Negative: not known
    /// yet. What is kept elsewhere does not matter.
    mutable std::array<std::array<std::array<std::vector<double>, kMaxMemories>, kMaxMemories>, kMaxTensors> pj_;
    mutable std::map<std::pair<int, std::uint32_t>, Fitting> fitting_;  ///< by level and tensors
};

}  // namespace tilewright::optimal
