// Charges: prices of one assignment's deliveries. Internal to certificate/.
//
// An assignment fixes spatial factors and kept tensors. A delivery is the words of one tensor sent to one instance of a
// memory (or a compute unit) over the run; it is filled there, read (and updated) at the next outer memory keeping the
// tensor, and pays for all wires between. Its words determine its energy and accesses. Wires count hops only: their
// other costs are never negative.
#pragma once

#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "arch/architecture.hpp"
#include "certificate/common/addresses.hpp"
#include "certificate/common/zeros.hpp"
#include "mapping/tiling_point.hpp"
#include "model/exact/costs.hpp"
#include "workload/einsum.hpp"

namespace tilewright::certificate {

/// Factor for shares of words, quotients of whole numbers: rounded up, they could fill one block more.
inline constexpr double kRoundedDown = 1.0 - 1e-12;

/// Words per instance over the run, scaled by the tensors' shares of bandwidth: reads of memory l at 2 l, then writes.
using Loads = std::array<double, 2 * kMaxMemories>;

/// The part independent of the assignment.
struct Ground {
    /// `what_zeros_do`: may be null; otherwise tile_dependence() has to be "" for the mapspace.
    Ground(const Einsum& the_einsum, const Architecture& the_architecture,
           const sparse::Design* what_zeros_do = nullptr);

    const Einsum& einsum;
    const Architecture& architecture;
    const sparse::Design* zeros;  ///< null: dense
    std::vector<Addresses> tensors;
    std::vector<MemoryRates> rates;  ///< by memory
    std::vector<double> capacity;    ///< by memory, in the units of capacity_of(); infinite if unlimited
    std::vector<double> least_use;   ///< from min_utilization, likewise
    using ByTensor = std::array<double, kMaxTensors>;
    std::vector<ByTensor> room_per_word;  ///< by memory
    std::vector<ByTensor> copies;         ///< by memory: tiles of a tensor held at once
    std::vector<double> granule;          ///< by memory: units that a tile begins are its own

    /// Units for all copies of a tile of whole words. From the memory's attributes: the search has capacity_of().
    double room(int t, int level, double words) const {
        const double units = words * room_per_word[level][t];
        const double beyond = std::fmod(units, granule[level]);
        return (beyond > 0.0 ? units - beyond + granule[level] : units) * copies[level][t];
    }
    /// A memory's rule for tiles of some tensors (bits), from its attributes: the search has tile_bounds().
    struct TileLimit {
        std::uint32_t tensors = 0;
        int dimension = 0;
        double multiple = 1.0;
        double least = 1.0;
        double most = 0.0;
    };
    std::vector<std::vector<TileLimit>> limits;  ///< by memory
    bool allows(int level, std::uint32_t kept, const Box& tile) const;

    std::vector<ByTensor> held;       ///< by memory: share of a tile's words that takes room
    std::vector<ByTensor> bandwidth;  ///< by memory: share of a tensor's words in the bandwidth
    std::vector<std::array<Rows, kMaxTensors>> rows;
    Box extents{};
    std::int64_t link_latency_cycles = 0;
    std::vector<WireCosts> wires;  ///< by memory: below it
    bool wires_cost = false;
    bool leaves_out_wires = false;  ///< some wires have costs not counted here, never negative
    bool throttles = false;         ///< some memory's bandwidth may bind
    std::vector<std::size_t> bind;  ///< entries of Loads that may bind
};

/// Tile-dependent sharing of a delivery by neighbours.
struct Sharing {
    double groups = 1.0;   ///< sets of neighbours with their own words, over the fan-outs up to the parent
    double wire_pj = 0.0;  ///< of a word sent, on wires of tile-dependent groups

    bool operator==(const Sharing&) const = default;
};

/// First arrivals of a result over the run: not filled, and not read before their update. Operands have none.
struct FirstWords {
    double held = 0.0;      ///< at one instance of the memory
    double arriving = 0.0;  ///< at one instance of its parent

    bool operator==(const FirstWords&) const = default;
};

class Charges {
   public:
    Charges(const Ground& ground, const TilingPoint& assignment);

    const Ground& ground() const { return ground_; }
    const TilingPoint& assignment() const { return assignment_; }
    int level_count() const { return assignment_.level_count(); }
    int dimension_count() const { return assignment_.dimension_count(); }
    int tensor_count() const { return static_cast<int>(ground_.tensors.size()); }
    const Addresses& tensor(int t) const { return ground_.tensors[t]; }

    /// Extents left to temporal loops, per dimension and in all.
    const Box& rest() const { return rest_; }
    double steps() const { return steps_; }
    /// Busy cycles of the compute units: steps not skipped for zeros, rounded up.
    double compute_cycles() const { return compute_cycles_; }
    /// Parallel iterations of one instance of a level: the spatial factors at and inside it.
    const Box& inside(int level) const { return inside_[level]; }
    /// A level's tile, as a box of iterations, with these temporal loops inside.
    Box tile(int level, const Box& loops) const;
    /// Room of these tensors' (bits) tiles in a memory, and whether it is neither too much nor too little.
    double room_for(int level, std::uint32_t tensors, const Box& loops) const;
    double room(int t, int level, double words) const {
        const double held = ground_.held[level][t];
        return ground_.room(t, level, held == 1.0 ? words : whole_words(words * held));
    }
    bool has_room(int level, double room) const { return room <= ground_.capacity[level]; }
    /// The memory's rules for tiles permit those of these tensors (bits).
    bool allows(int level, std::uint32_t tensors, const Box& loops) const {
        return ground_.limits[level].empty() || ground_.allows(level, tensors, tile(level, loops));
    }
    bool is_filled(int level, double room) const { return room >= ground_.least_use[level]; }
    bool has_to_be_filled(int level) const { return ground_.least_use[level] > 0.0; }
    /// All its kept tensors fit with these loops inside.
    bool fits(int level, const Box& loops) const {
        return has_room(level, room_for(level, assignment_[level].keep.bits(), loops));
    }

    /// Memory `level` and an outer one keep the tensor. level_count(): the compute units, which always have deliveries.
    bool delivers(int t, int level) const { return parent_[t][level] >= 0 && keeps(t, level); }
    bool keeps(int t, int level) const { return level == level_count() || assignment_[level].keep.has(t); }
    /// The next outer memory keeping it; -1: none.
    int parent(int t, int level) const { return parent_[t][level]; }
    /// Instances of the parent in use, times static sets of neighbours at `level` with their own words: the factor from
    /// words per instance to words leaving the parents.
    double senders(int t, int level) const { return used_[parent_[t][level]] * groups_[t][level]; }
    /// Sharing at some fan-out between parent and `level` depends on the tile.
    bool is_dynamic(int t, int level) const { return dynamic_[t][level]; }
    /// The same at the fan-out below memory `level`.
    bool spreads_dynamically(int t, int level) const { return spreads_dynamically_[t][level]; }
    /// A fan-out's effect on deliveries with these loops inside: sets of neighbours with their own words; wire energy.
    Sharing across(int t, int level, const Box& loops) const {
        if (!spreads_dynamically(t, level)) return across_[t][level];
        return {groups_at(t, level, loops), wire_pj(t, level, loops)};
    }
    /// Adds the effect of the fan-out below memory `outside` to a dynamic delivery to `level`, from the inside out.
    void add_sharing(int t, int level, int outside, const Sharing& across, Sharing& sharing) const;

    /// Of a result with these loops inside its tile at `level`. Exact, except an upper bound for tiles overlapping in a
    /// rank that outer fan-outs spread or that shares a dimension with another.
    FirstWords first_words(int t, int level, const Box& loops) const;

    /// Energy of a delivery. Grows with `sent` and falls with `first`.
    double energy_pj(int t, int level, double sent, const FirstWords& first, const Sharing& sharing = {}) const;
    /// A word's static wire energy up to the parent.
    double wire_pj(int t, int level) const { return wire_pj_[t][level]; }
    /// Adds its accesses.
    void add_loads(int t, int level, double sent, const FirstWords& first, const Sharing& sharing, Loads& loads) const;
    double cycles_for(int level, const Loads& loads) const;

    /// Without leakage.
    double compute_pj() const { return compute_pj_; }
    double leak_pj_per_cycle() const { return leak_pj_per_cycle_; }

   private:
    struct Accessed {
        Accesses fills;     ///< at the level
        Accesses accesses;  ///< at its parent
    };
    void set_geometry();
    bool moves_a_rank_twice(int t, int level) const;
    void set_deliveries(int t);
    void set_wires(int t, int level);
    void set_leakage();
    double groups_at(int t, int level, const Box& loops) const;
    double wire_pj(int t, int level, const Box& loops) const;
    Accessed accessed(int t, int level, double sent, const FirstWords& first, double groups) const;
    double accesses_pj(int t, int level, const Accesses& accesses, const sparse::AccessEnergies& prices) const;
    double addresses_pj(int t, int level, const Accesses& accesses) const;
    double memory_pj(int t, int level, const Accesses& accesses) const;
    double with_zeros_pj(int t, int level, const Accessed& counts) const;
    double served_pj(int t, int level, const Accesses& accesses, const Shares& shares) const;
    void set_prices();
    void set_computes();
    static double whole_words(double words);

    const Ground& ground_;
    TilingPoint assignment_;
    Box rest_{};
    double steps_ = 1.0;
    std::array<Box, kMaxMemories + 1> inside_{};
    std::array<double, kMaxMemories + 1> used_{};  ///< instances in use
    std::array<std::array<int, kMaxMemories + 1>, kMaxTensors> parent_{};
    std::array<std::array<bool, kMaxMemories + 1>, kMaxTensors> dynamic_{};
    std::array<std::array<bool, kMaxMemories + 1>, kMaxTensors> spreads_dynamically_{};
    std::array<std::array<double, kMaxMemories + 1>, kMaxTensors> groups_{};
    /// Relevant spatial factors between parent and level.
    std::array<std::array<double, kMaxMemories + 1>, kMaxTensors> spread_{};
    std::array<std::array<double, kMaxMemories + 1>, kMaxTensors> wire_pj_{};
    std::array<std::array<Sharing, kMaxMemories>, kMaxTensors> across_{};  ///< by fan-out, if static
    /// By memory: factor from one instance's access energy to that of all in use; an address.
    std::array<double, kMaxMemories> access_factor_{};
    std::array<double, kMaxMemories> address_pj_{};
    std::optional<ZeroShares> zeros_;
    double compute_cycles_ = 1.0;
    double compute_pj_ = 0.0;
    double leak_pj_per_cycle_ = 0.0;
};

}  // namespace tilewright::certificate
