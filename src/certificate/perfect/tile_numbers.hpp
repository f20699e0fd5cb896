// TileNumbers: of every tile that some spatial factors allow, how many words it has and how many are sent at least.
// Internal to certificate/.
//
// Which memories keep a tensor does not matter for that: the numbers serve all choices of kept tensors. A tile depends
// on the loops of those dimensions only that move its tensor: all points that agree in them share their numbers.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "certificate/common/charges.hpp"
#include "certificate/common/lattice.hpp"
#include "certificate/common/proof.hpp"
#include "mapspace/mapspace.hpp"

namespace tilewright::certificate {

/// What a delivery costs at least, by the first loop outside the tile that runs more than once.
struct ByFirstLoop {
    double staying_pj = 0.0;             ///< it does not move the tensor, nor does any that need not
    std::array<double, kMaxRanks> pj{};  ///< it moves this rank
};

/// The same of the words that memories read and write.
struct LoadsByFirstLoop {
    Loads staying{};
    std::array<Loads, kMaxRanks> moving{};  ///< by rank, of those that some dimension moves
};

/// For one thread: numbers are made when they are first asked for.
class TileNumbers {
   public:
    /// Of the spatial factors of these charges. Refers to them and the lattice.
    TileNumbers(const Mapspace& mapspace, const Charges& charges, const Lattice& lattice, Storage storage);

    const Lattice& lattice() const { return lattice_; }

    double words(int t, int level, int point) { return words_at(t, level, index(t, point)); }
    /// All that memory `level` keeps has room there.
    bool fits(const Charges& charges, int level, int point);
    /// What one instance is sent at least, whatever loops are outside.
    double least_sent(int t, int level, int point);

    /// Of the computation and of what the compute units are sent, at least: exact but where neighbours' sharing depends
    /// on the tiles of memories.
    double inside_pj(const Charges& charges);
    /// What the compute units are sent costs so much more where neighbours across the fan-outs directly outside the
    /// memory share words by its tile.
    double asked_pj(const Charges& charges, int level, int point);

    /// Energy of a delivery at least, with kept tensors as these charges have them: of tiles that overlap, neighbours
    /// share no more words than they can, and every word that is used leaves the parents once.
    double least_pj(const Charges& charges, int t, int level, int point);
    const ByFirstLoop& by_first_loop(const Charges& charges, int t, int level, int point);
    /// The first loop moves it.
    double least_moving_pj(const Charges& charges, int t, int level, int point);

    /// Accesses of a delivery at least, in the same way; those of what the compute units are sent; and of the tile that
    /// suits it best.
    LoadsByFirstLoop loads_by_first_loop(const Charges& charges, int t, int level, int point);
    void add_inside_loads(const Charges& charges, Loads& loads);
    void add_least_loads(const Charges& charges, int t, int level, int point, Loads& loads);

    /// Adds what the fan-out below memory `outside` makes of a delivery, when the point's loops are inside it.
    void add_sharing(const Charges& charges, int t, int level, int outside, int point, Sharing& sharing);

    /// The rank whose slide matters when this dimension moves the tensor; -1: it does not.
    int rank_moved(int t, int dimension) const { return rank_moved_[t][dimension]; }

   private:
    /// Of what is kept.
    struct ByParent {
        std::vector<FirstWords> first;     ///< by tile
        std::vector<ByFirstLoop> by_loop;  ///< by point
    };
    /// Of one tensor and level, by tile.
    struct Numbers {
        std::vector<double> words;
        std::vector<double> sent;  ///< per tile 1 + ranks: staying, and per iteration of other dimensions' loops moving
        std::vector<Sharing> across;       ///< what the fan-out below makes of deliveries
        std::vector<double> least_groups;  ///< of these by point: whatever further loops are inside the fan-out
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
    /// Words sent at least, and how neighbours share them at most.
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
    std::array<std::vector<double>, kMaxTensors> left_;  ///< by number: iterations outside of the loops that move it
    std::array<double, kMaxTensors> distinct_{};         ///< words of the tensor that are used, at least
    std::array<std::array<int, kMaxDimensions>, kMaxTensors> rank_moved_{};
    std::vector<Numbers> numbers_;                   ///< by tensor and level
    std::vector<std::vector<std::int8_t>> fitting_;  ///< by level and kept tensors, and point; negative: not known
};

/// Words of the tensor that the whole problem uses: at least so many.
double used_at_least(const Addresses& tensor, const Box& extents);

}  // namespace tilewright::certificate
