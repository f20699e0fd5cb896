// TileTable: words of the tiles of one assignment at every lattice point, and the least words sent.
//
// A tensor's tile depends on few dimensions: its numbers are stored once for all points equal in those.
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

/// Least cost of the deliveries to memories of one tile, by the first loop outside.
struct FirstLoops {
    Extents along{};                          ///< all tensors together, by the loop's dimension
    std::array<double, kMaxTensors> still{};  ///< by tensor: this loop and all other irrelevant ones leave it at rest
};

/// For one thread: numbers are computed on demand.
class TileTable {
   public:
    /// Keeps references to charges and lattice. Tile sizes stay valid when the charges choose other kept tensors.
    TileTable(const Mapspace& mapspace, const Charges& charges, const Lattice& lattice);

    const Charges& charges() const { return charges_; }
    const Lattice& lattice() const { return lattice_; }

    double words(int tensor, int level, int point) const { return words_at(tensor, level, index(tensor, point)); }
    double distinct(int tensor, int level, int point) const;
    /// Energy of the delivery if the first loop outside moves a tensor without overlapping tiles.
    double moving_pj(int tensor, int level, int point) const;

    /// Lower bound of the delivery's energy for any loops outside.
    double least_pj(int tensor, int level, int point) const;
    /// Lower bound of the energy of all deliveries to the memory, minimum over the dimension of the first loop outside.
    /// All tensors have their tiles directly inside the fan-out.
    double least_pj(int level, int point) const;
    /// The same by the first loop, added to `loops`.
    void add_first_loops(int level, int point, FirstLoops& loops) const;
    /// Lower bound of the delivery's energy if the first loop outside moves the tensor.
    double least_moving_pj(int tensor, int level, int point) const;

    /// Additional cost of the compute units' accesses over full sharing, if the fan-outs directly around the memory
    /// share by its tile. Even mappings only.
    double asked_pj(int level, int point) const;

    bool fits(int level, TensorSet tensors, int point) const;
    /// The memory's rules permit the tensors' tiles.
    bool allows(int level, TensorSet tensors, int point) const;
    /// Removes the points at which the tensors do not fit.
    void keep_fitting(int level, TensorSet tensors, PointSet& points) const;

   private:
    /// Numbers by index(); negative: not computed.
    struct Sizes {
        std::vector<double> words;
        std::vector<double> sent;          ///< lower bounds, as in Sent: `rank_counts_` + 1 numbers each
        std::vector<double> groups;        ///< of neighbours sharing words, if they depend on the tile
        std::vector<double> least_groups;  ///< by point: minimum over the tiles of all loops outside
    };
    struct Fitting {
        PointSet asked;
        PointSet fits;
    };
    /// Words of one tile, by the first loop outside.
    struct Sent {
        double still = 0.0;              ///< an irrelevant loop
        std::span<const double> moving;  ///< by moved rank, per iteration outside
    };

    /// Energy of one delivery, by the first loop outside.
    struct ByRank {
        double still = 0.0;              ///< an irrelevant loop
        std::span<const double> moving;  ///< by moved rank; for tangled tensors `still`
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
    std::array<int, kMaxMemories + 1> around_{};  ///< by level: the first fan-out around it without loops between
    std::array<std::vector<std::int32_t>, kMaxTensors> indices_;  ///< by point: index of the tensor's tile
    std::array<std::vector<std::int32_t>, kMaxTensors> samples_;  ///< by index: a point with that tile
    std::array<std::vector<double>, kMaxTensors> positions_;      ///< by index: tiles over the run, each once
    std::array<double, kMaxTensors> all_words_{};
    std::array<double, kMaxTensors> distinct_{};                                ///< lower bound of the positions used
    std::array<std::array<std::int8_t, kMaxDimensions>, kMaxTensors> ranks_{};  ///< moved by a dimension, or -1
    std::array<int, kMaxTensors> rank_counts_{};  ///< ranks distinguished by first move; 1 for tiles without overlap
    mutable std::array<std::array<Sizes, kMaxMemories>, kMaxTensors> sizes_;
    /// By tensor, level and next outer keeping memory: by point, as in ByRank. Negative: not computed.
    mutable std::array<std::array<std::array<std::vector<double>, kMaxMemories>, kMaxMemories>, kMaxTensors> pj_;
    mutable std::map<std::pair<int, std::uint32_t>, Fitting> fitting_;
};

}  // namespace tilewright::optimal
