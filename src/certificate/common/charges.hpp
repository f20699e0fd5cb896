// Charges: what the deliveries of one assignment cost. Internal to certificate/.
//
// An assignment fixes the spatial factors and the tensors that each memory keeps. A delivery is what one instance of a
// memory (or a compute unit) is sent of one tensor over the run; it is filled there and read (and updated) at the next
// memory outside that keeps the tensor, and pays for all wires between the two. Once the words it sends are known, so
// are its energy and its accesses. Of wires only hops count: what else they cost is never negative.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "arch/architecture.hpp"
#include "certificate/common/addresses.hpp"
#include "certificate/common/wires.hpp"
#include "certificate/common/zeros.hpp"
#include "mapping/tiling_point.hpp"
#include "model/exact/costs.hpp"
#include "workload/einsum.hpp"

namespace tilewright::certificate {

/// Of shares of words, which are quotients of whole numbers: rounded up, they could fill one block more.
inline constexpr double kRoundedDown = 1.0 - 1e-12;

/// Words per instance over the run, scaled by the tensors' shares of the bandwidth: reads of memory l at 2 l, writes at
/// 2 l + 1.
using Loads = std::array<double, 2 * kMaxMemories>;

/// What does not depend on the assignment.
struct Ground {
    /// `what_zeros_do`: may be null; else tile_dependence() has to find nothing in the mapspace that is gone through.
    Ground(const Einsum& the_einsum, const Architecture& the_architecture,
           const sparse::Design* what_zeros_do = nullptr);

    const Einsum& einsum;
    const Architecture& architecture;
    const sparse::Design* zeros;  ///< null: nothing is done about them
    std::vector<Addresses> tensors;
    std::vector<MemoryRates> rates;  ///< by memory
    std::vector<double> capacity;    ///< by memory, in the units of capacity_of(); infinite where unlimited
    std::vector<double> least_use;   ///< that min_utilization asks for, in the same
    using ByTensor = std::array<double, kMaxTensors>;
    std::vector<ByTensor> room_per_word;  ///< by memory
    std::vector<ByTensor> held;           ///< by memory: share of a tile's words that it has room for
    std::vector<ByTensor> bandwidth;      ///< by memory: share of a tensor's words that counts
    std::vector<std::array<Rows, kMaxTensors>> rows;
    Box extents{};
    std::int64_t link_latency_cycles = 0;
    std::vector<WireCosts> wires;  ///< by memory: below it
    bool wires_cost = false;
    bool leaves_out_wires = false;  ///< some wires have costs that are not counted here: they are never negative
    bool throttles = false;         ///< some memory's bandwidth may bind
    std::vector<std::size_t> bind;  ///< those of Loads that may
};

/// What the neighbours that share words make of a delivery, as far as it depends on tiles.
struct Sharing {
    double groups = 1.0;   ///< sets of neighbours with words of their own, over the fan-outs up to the parent
    double wire_pj = 0.0;  ///< of a word sent, on wires that groups which depend on tiles ask for, or are asked over

    bool operator==(const Sharing&) const = default;
};

/// Words of a result that come for the first time over the run: they are not filled, and not read before they are
/// updated. Of operands none.
struct FirstWords {
    double held = 0.0;      ///< by one instance of the memory
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

    /// What is left to temporal loops, per dimension and in all.
    const Box& rest() const { return rest_; }
    double steps() const { return steps_; }
    /// That compute units are busy: steps that zeros do not skip, whole ones.
    double compute_cycles() const { return compute_cycles_; }
    /// Iterations of one instance of a level that run side by side: the spatial factors at and inside it.
    const Box& inside(int level) const { return inside_[level]; }
    /// The box of iterations that a level's tile covers when these temporal loops are inside it.
    Box tile(int level, const Box& loops) const;
    /// What the tiles of these tensors (bits) take of a memory, and whether that is neither too much nor too little.
    double room_for(int level, std::uint32_t tensors, const Box& loops) const;
    /// What words of a tensor take of it.
    double room(int t, int level, double words) const {
        const double held = ground_.held[level][t];
        return (held == 1.0 ? words : whole_words(words * held)) * ground_.room_per_word[level][t];
    }
    bool has_room(int level, double room) const { return room <= ground_.capacity[level]; }
    bool is_filled(int level, double room) const { return room >= ground_.least_use[level]; }
    bool has_to_be_filled(int level) const { return ground_.least_use[level] > 0.0; }
    /// All that it keeps has a tile with these loops inside, and fits.
    bool fits(int level, const Box& loops) const {
        return has_room(level, room_for(level, assignment_[level].keep.bits(), loops));
    }

    /// Memory `level` keeps the tensor, and one outside does, too. level_count() is the compute units, which are always
    /// sent words.
    bool delivers(int t, int level) const { return parent_[t][level] >= 0 && keeps(t, level); }
    bool keeps(int t, int level) const { return level == level_count() || assignment_[level].keep.has(t); }
    /// The next memory outside that keeps it; -1: there is none.
    int parent(int t, int level) const { return parent_[t][level]; }
    /// Instances of the parent in use, times the sets of their neighbours at `level` with words of their own as far as
    /// that does not depend on the tile: so many times what one instance is sent leaves the parents.
    double senders(int t, int level) const { return used_[parent_[t][level]] * groups_[t][level]; }
    /// How the neighbours at some fan-out between parent and `level` share words depends on the tile.
    bool is_dynamic(int t, int level) const { return dynamic_[t][level]; }
    /// The same at the fan-out below memory `level`.
    bool spreads_dynamically(int t, int level) const { return spreads_dynamically_[t][level]; }
    /// What a fan-out makes of deliveries across it when these loops are inside it: sets of neighbours with words of
    /// their own, and a word's energy on its wires.
    Sharing across(int t, int level, const Box& loops) const {
        if (!spreads_dynamically(t, level)) return across_[t][level];
        return {groups_at(t, level, loops), wire_pj(t, level, loops)};
    }
    /// Adds what the fan-out below memory `outside` makes of it to what is known of a dynamic delivery to `level`, from
    /// the inside out.
    void add_sharing(int t, int level, int outside, const Sharing& across, Sharing& sharing) const;

    /// Of a result whose tile at `level` has these loops inside. Exact but where tiles overlap in a rank that fan-outs
    /// further outside spread or that shares a dimension with another one: at most so many then.
    FirstWords first_words(int t, int level, const Box& loops) const;

    /// Energy of a delivery. Grows with `sent` and falls with `first`.
    double energy_pj(int t, int level, double sent, const FirstWords& first, const Sharing& sharing = {}) const;
    /// Of a word sent, what it pays on the wires up to the parent, as far as that does not depend on tiles.
    double wire_pj(int t, int level) const { return wire_pj_[t][level]; }
    /// Adds its accesses.
    void add_loads(int t, int level, double sent, const FirstWords& first, const Sharing& sharing, Loads& loads) const;
    /// Cycles that a memory needs for its accesses.
    double cycles_for(int level, const Loads& loads) const;

    /// Of the computation, without leakage.
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
    /// Spatial factors between parent and level that move the tensor.
    std::array<std::array<double, kMaxMemories + 1>, kMaxTensors> spread_{};
    std::array<std::array<double, kMaxMemories + 1>, kMaxTensors> wire_pj_{};
    std::array<std::array<Sharing, kMaxMemories>, kMaxTensors> across_{};  ///< by fan-out, where no tile matters
    /// By memory: what an access of one instance costs in all that are in use, per unit of its energy; an address.
    std::array<double, kMaxMemories> access_factor_{};
    std::array<double, kMaxMemories> address_pj_{};
    std::optional<ZeroShares> zeros_;
    double compute_cycles_ = 1.0;
    double compute_pj_ = 0.0;
    double leak_pj_per_cycle_ = 0.0;
};

}  // namespace tilewright::certificate
