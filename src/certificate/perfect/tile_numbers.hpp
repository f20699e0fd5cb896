// TileNumbers: words of every tile of some spatial factors, and the least words sent. Internal to certificate/.
//
// Independent of the keeping memories: valid for all choices of kept tensors. A tile depends on relevant loops only:
// points equal in those share their numbers.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "certificate/common/charges.hpp"
#include "certificate/common/lattice.hpp"
#include "certificate/common/proof.hpp"
#include "mapspace/mapspace.hpp"

namespace tilewright::certificate {

/// Least cost of a delivery, by the first loop outside the tile with several iterations.
struct ByFirstLoop {
    double staying_pj = 0.0;             ///< irrelevant, as are all loops that can be
    std::array<double, kMaxRanks> pj{};  ///< by rank it moves
};

/// The same for words read and written.
struct LoadsByFirstLoop {
    Loads staying{};
    std::array<Loads, kMaxRanks> moving{};  ///< by moved rank
};

/// For one thread: numbers are computed on demand.
class TileNumbers {
   public:
    /// Of these charges' spatial factors. Keeps references to them and the lattice.
    TileNumbers(const Mapspace& mapspace, const Charges& charges, const Lattice& lattice, Storage storage);

    const Lattice& lattice() const { return lattice_; }

    double words(int t, int level, int point) { return words_at(t, level, index(t, point)); }
    bool fits(const Charges& charges, int level, int point);
    /// Lower bound of one instance's words, for any outer loops.
    double least_sent(int t, int level, int point);

    /// Lower bound of the computation and the compute units' accesses: exact unless sharing depends on tiles.
    double inside_pj(const Charges& charges);
    /// Additional cost of the compute units' accesses if the fan-outs directly outside the memory share by its tile.
    double asked_pj(const Charges& charges, int level, int point);

    /// Lower bound of a delivery's energy with these charges' kept tensors: of overlapping tiles neighbours share no
    /// more than their common words, and every used word leaves the parents once.
    double least_pj(const Charges& charges, int t, int level, int point);
    const ByFirstLoop& by_first_loop(const Charges& charges, int t, int level, int point);
    /// The first loop moves it.
    double least_moving_pj(const Charges& charges, int t, int level, int point);

    /// Lower bounds of a delivery's accesses, likewise; of the compute units' accesses; and of its best tile.
    LoadsByFirstLoop loads_by_first_loop(const Charges& charges, int t, int level, int point);
    void add_inside_loads(const Charges& charges, Loads& loads);
    void add_least_loads(const Charges& charges, int t, int level, int point, Loads& loads);

    /// Adds the effect on a delivery of the fan-out below memory `outside`, with the point's loops inside.
    void add_sharing(const Charges& charges, int t, int level, int outside, int point, Sharing& sharing);

    /// The rank whose slide matters if this dimension moves the tensor; -1: irrelevant.
    int rank_moved(int t, int dimension) const { return rank_moved_[t][dimension]; }

   private:
    /// Of the kept tensors.
    struct ByParent {
        std::vector<FirstWords> first;     ///< by tile
        std::vector<ByFirstLoop> by_loop;  ///< by point
    };
    struct Numbers {
        std::vector<double> words;
        std::vector<double> sent;  ///< per tile 1 + ranks: resting, and moving per iteration of other dimensions' loops
        std::vector<Sharing> across;       ///< effect of the fan-out below on deliveries
        std::vector<double> least_groups;  ///< of these by point: minimum over further loops inside the fan-out
        std::vector<ByParent> by_parent;
    };

    std::size_t index(int t, int point) const { return static_cast<std::size_t>(indices_[t][point]); }
    Numbers& numbers(int t, int level) { return numbers_[t * (charges_.level_count() + 1) + level]; }
    ByParent& by_parent(const Charges& charges, int t, int level);
    void number_tiles(int t);
    const Box& loops_of(int t, std::size_t index) const { return lattice_.loops(samples_[t][index]); }
    double words_at(int t, int level, std::size_t index);
    const double* sent_at(int t, int level, std::size_t index);
    void measure_sent(int t, int level, std::size_t index, double* sent);
    double swept(int t, int level, std::size_t rank, const Box& tile, const Box& left) const;
    const Sharing& across(int t, int fanout, std::size_t index);
    Sharing sharing(const Charges& charges, int t, int level, std::size_t index);
    double groups_farther_out(const Charges& charges, int t, int level, int point);
    double least_groups(int t, int fanout, int point);
    FirstWords first_words(const Charges& charges, int t, int level, std::size_t index);
    bool shares_by_tile(const Charges& charges, int t, int level) const;
    Sharing at_least(const Charges& charges, int t, int level, Sharing sharing, double sent) const;
    /// Least words sent, and their most sharing.
    struct Sent {
        double words = 0.0;
        FirstWords first;
        Sharing sharing;
    };
    Sent sent_by(const Charges& charges, int t, int level, std::size_t index, double words);
    Sent sent_to_units(const Charges& charges, int t);
    double pj(const Charges& charges, int t, int level, std::size_t index, double sent);
    void add_loads(const Charges& charges, int t, int level, std::size_t index, double sent, Loads& loads);
    ByFirstLoop measured(const Charges& charges, int t, int level, int point);
    double moving_times(int t, std::size_t index, int point) const {
        return charges_.tensor(t).steady ? lattice_.around(point) / left_[t][index] : 1.0;
    }

    const Charges& charges_;
    const Lattice& lattice_;
    Storage storage_;
    std::array<int, kMaxMemories + 1> around_{};  ///< by level: the outermost fan-out with no loops between
    std::array<std::vector<std::int32_t>, kMaxTensors> indices_;  ///< by point: its tile's number
    std::array<std::vector<std::int32_t>, kMaxTensors> samples_;  ///< by number: a point with that tile
    std::array<std::vector<double>, kMaxTensors> left_;           ///< by number: iterations of relevant loops outside
    std::array<double, kMaxTensors> distinct_{};                  ///< lower bound of the tensor's used words
    std::array<std::array<int, kMaxDimensions>, kMaxTensors> rank_moved_{};
    std::vector<Numbers> numbers_;                   ///< by tensor and level
    std::vector<std::vector<std::int8_t>> fitting_;  ///< by level and kept tensors, and point; negative: unknown
};

/// Lower bound of the tensor's words used by the whole problem.
double used_at_least(const Addresses& tensor, const Box& extents);

}  // namespace tilewright::certificate
