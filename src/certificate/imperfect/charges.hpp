// Imperfect charges: lower bounds of one assignment's deliveries with spatial remainders. Internal to certificate/.
//
// Instances differ, so words are counted over all instances and the whole run. A boundary is a memory that keeps a
// tensor or lies below a fan-out: `delivered` words arrive at all its instances and cost `accesses` words outside, less
// if neighbours share them. Uncertain costs count as zero. Arguments: docs/certificate.md.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "certificate/common/charges.hpp"
#include "certificate/common/proof.hpp"
#include "certificate/imperfect/chain.hpp"
#include "certificate/imperfect/wires.hpp"
#include "mapspace/mapspace.hpp"

namespace tilewright::certificate {

/// Counts are sums of products of doubles: a smaller relative excess over a whole number is rounding.
inline constexpr double kExactly = 1.0 - 1e-13;

/// The state of every dimension after the inner loops.
struct Where {
    std::array<int, kMaxDimensions> node{};  ///< of the dimension's chain
    int crossed = 0;                         ///< the outermost fan-out inside
    std::uint32_t repacking = 0;  ///< bit l: the fan-out below memory l repacks in shorter steps (model rule 7)
    std::uint32_t deep = 0;       ///< bit d: of such a fan-out, the part of inner fan-outs depends on the place
    std::array<std::int16_t, kMaxMemories> wires{};  ///< by memory: wire lengths known below it

    auto operator<=>(const Where& other) const = default;
};

struct Sent {
    double delivered = 0.0;
    double accesses = 0.0;
    double hops = 0.0;   ///< of all accesses, on the wires just outside (of tiles, even if bypassed)
    bool exact = false;  ///< also upper bounds

    auto operator<=>(const Sent& other) const = default;
};

/// Energy, and words per instance and memory: reads of memory l at 2 l, writes at 2 l + 1.
struct PartialCost {
    double pj = 0.0;
    Loads loads{};

    PartialCost& operator+=(const PartialCost& other);
    PartialCost& operator-=(const PartialCost& other);
};

/// Lower bound of a delivery by its words, for any loops.
struct AtLeast {
    double fill_pj = 0.0;        ///< by delivered word
    double read_pj = 0.0;        ///< by word requested of the parent
    double update_pj = 0.0;      ///< likewise, of a result
    double handed = 1.0;         ///< share of the accesses seen by the parent
    double first_here = 0.0;     ///< words of a result not filled
    double first_outside = 0.0;  ///< words of a result not read
    double least_pj = 0.0;

    double pj(double delivered, double accesses) const {
        const double asked = accesses * handed;
        return std::max(least_pj, std::max(0.0, delivered - first_here) * fill_pj +
                                      std::max(0.0, asked - first_outside) * read_pj + asked * update_pj);
    }
};

/// Chains of one layer, shared by all assignments with equal spatial factors of a dimension.
class Chains {
   public:
    Chains(const Ground& ground, const Mapspace& mapspace) : ground_(ground), mapspace_(mapspace) {}
    const Chain& of(int dimension, const TilingPoint& assignment);

   private:
    const Ground& ground_;
    const Mapspace& mapspace_;
    std::mutex mutex_;
    std::map<std::vector<std::int64_t>, std::unique_ptr<Chain>> known_;
};

class ImperfectCharges {
   public:
    ImperfectCharges(const Ground& ground, Chains& chains, const Mapspace& mapspace, const TilingPoint& assignment);

    const Ground& ground() const { return ground_; }
    const TilingPoint& assignment() const { return assignment_; }
    int level_count() const { return assignment_.level_count(); }
    int dimension_count() const { return assignment_.dimension_count(); }
    int tensor_count() const { return static_cast<int>(ground_.tensors.size()); }
    const Addresses& tensor(int t) const { return ground_.tensors[t]; }
    const Chain& chain(int dimension) const { return *chains_[dimension]; }
    double spread(int level, int dimension) const { return chains_[dimension]->spread(level); }

    bool keeps(int t, int level) const { return level == level_count() || assignment_[level].keep.has(t); }
    bool is_boundary(int t, int level) const {
        return level >= 0 && level <= kMaxMemories && (boundaries_[t] >> level & 1U) != 0;
    }
    /// The next outer memory keeping it; -1: none.
    int parent(int t, int level) const { return parent_[t][level]; }

    /// Iterations of one instance of `level` inside its store, in a dimension without a temporal loop since.
    double held(int dimension, int level, const Where& at) const;
    Box tile(const Where& at) const;
    double room_taken(int level, const Where& at) const;
    double room_taken(int t, int level, const Where& at) const;
    bool has_room(int level, double room) const { return room <= ground_.capacity[level]; }
    bool fits(int level, const Where& at) const { return has_room(level, room_taken(level, at)); }
    bool fills(int level, const Where& at) const;
    bool allows(int level, const Where& at) const;

    /// Pairs of an instance of boundary `level` and a step, in one dimension. `shared`: neighbours with equal words are
    /// one.
    const Pairs& pairs(int t, int dimension, int level, bool shared, const Where& at) const;
    /// Product of all pairs over `dimensions`.
    double all_pairs(int t, int level, bool shared, const Where& at, std::uint32_t dimensions) const;

    /// If every later step sent the whole tile.
    Sent whole(int t, int level, const Where& at) const;
    /// For tiles without overlap, moved first by a loop of `dimension` with `factor` iterations. Of the possible
    /// savings, a share of `saved` is subtracted.
    Sent moved(int t, int level, const Where& at, int dimension, double factor, double saved = 1.0) const;
    /// That loop saves nothing of whole().
    bool moves_all(int t, int level, const Where& at, int dimension, double factor) const;
    /// Tiles held by idle instances have changed when they resume: the next loop outwards, of `dimension`, moves the
    /// tensor, too. `idled`: the dimension of the idle step.
    bool resumes_all(int t, int level, const Where& at, int dimension, double factor, int idled) const;
    /// Outer fan-outs spread the dimension.
    bool is_spread_outside(int dimension, int level) const;
    /// No loop has moved its tile, and the first to do so saves all it can.
    Sent unmoved(int t, int level, const Where& at) const;
    double unmoved_pj(int t, int level, const Where& at) const {
        return at_least_pj(t, level, unmoved(t, level, at), at);
    }
    /// The same for a window sliding first along a loop of `dimension`; nothing if unknown.
    Sent slid(int t, int level, const Where& at, int dimension) const;
    /// For one step of the irrelevant loops: all tiles, without savings; a window, by its first sliding rank; tiles
    /// without overlap, savings possible if a loop of `dimension` is first.
    double tile_words(int t, int level, const Where& at) const;
    std::array<double, kMaxRanks> slid_words(int t, int level, const Where& at) const;
    double most_saved(int t, int level, const Where& at, int dimension) const;
    /// Of a delivery of at least so many words.
    AtLeast at_least(int t, int level, const Where& at) const;
    double at_least_pj(int t, int level, const Sent& sent, const Where& at) const {
        return at_least(t, level, at).pj(sent.delivered, sent.accesses);
    }
    void add_least_loads(int t, int level, const Sent& sent, const Where& at, Loads& loads) const;
    /// Every word arrives once.
    Sent once(int t) const;
    /// Lower bound of the share of inner requests passed on by boundary `level`.
    double handed_on(int t, int level, const Sent* sent) const;
    /// The share of requests at `level` seen by its parent, for any words.
    double handed_to_parent(int t, int level) const { return handed_to_parent_[t][level]; }
    /// Upper bound of the neighbours with words of their own sharing one of them.
    double overlap_of_neighbours(int t, int level) const;

    /// Cost of a delivery to `level`, which keeps the tensor, with its way past bypassed memories. `share`: of its
    /// accesses, those at its parent.
    PartialCost partial_cost(int t, int level, const Sent& sent, double share, const Where& at) const;
    double wire_pj(int t, int level, const Sent& sent) const;
    /// Bypassed boundary `level` pays its wires as if kept: each tile word is requested. Else the requesters pay.
    bool pays_as_if_kept(int t, int level) const { return (as_if_kept_[t] >> level & 1U) != 0; }
    /// Of a window: the words finally sent.
    void set_hops(int t, int level, const Where& at, Sent& sent) const;
    /// Crosses the fan-out below memory `level`. Not thread-safe.
    std::int16_t wires_below(int level, const Where& inside);

    /// Of the computation and the compute units' accesses.
    PartialCost start() const;
    /// Of a delivery, for any loops.
    double least_pj(int t, int level) const { return least_pj_[t][level]; }
    /// By memory l: least energy of the deliveries to memories 0 to l - 1, and their words.
    const std::vector<double>& outside_pj() const { return outside_pj_; }
    const Loads& outside_loads(int level) const { return outside_loads_[level]; }
    double least_steps() const { return least_steps_; }

    Cost cost_of(const PartialCost& partial_cost, double steps) const;

    /// Remainders may disturb the tensor's sliding windows in the instances of a memory.
    bool may_disturb(int t, int level) const {
        return idle_share_[t][level] > 0.0 || (may_repack_ & ~(~0U << level)) != 0;
    }
    /// The dimensions of a fan-out, and whether it repacks with those in `imperfect` leaving a remainder.
    std::uint32_t block(int level) const { return blocks_[level]; }
    bool repacks(int level, std::uint32_t imperfect) const;
    /// Bit l: the fan-out below memory l repacks in some nest.
    std::uint32_t may_repack() const { return may_repack_; }
    /// Only the crossed fan-outs are known: any that may repack does.
    Where worst(int crossed) const;
    /// Certainly no delivery to `level` crosses a repacking fan-out.
    bool stays_open(int level, const Where& at) const;

   private:
    const HopsByTensor& hops_at(int level, const Where& at) const;
    void set_geometry(Chains& chains);
    void set_addressed(const Mapspace& mapspace);
    void set_boundaries();
    void set_passing(int t);
    double passing_pj(int t, int level, double accesses) const;
    std::uint32_t repacking(int level, const Where& at) const;
    AtLeast prices(int t, int level) const;
    double most_idle(int dimension, int level) const;
    void set_shares();
    void set_least();
    bool swaps(int level, const Where& at, int dimension) const;
    double first_words(int t, int memory, const Where& at) const;
    double ways(int dimension, int level, bool most) const;
    double copies(int t, int level, bool most) const { return (most ? most_copies_ : least_copies_)[t][level]; }
    double count_copies(int t, int level, bool most) const;
    double moved_copies(int t, int level, const Where& at) const;
    double energy_pj(int t, int level, const Accesses& all) const;
    double energy_of_parts_pj(int t, int level, const Accesses& all) const;
    void add(int t, int level, const Accesses& all, PartialCost& partial_cost) const;
    double swapping(int t, int level, const Where& at, int dimension) const;

    const Ground& ground_;
    TilingPoint assignment_;
    ImperfectWires wires_;
    std::vector<HopsByTensor> known_hops_;  ///< the first one: of unknown tiles
    std::array<std::map<std::vector<double>, std::int16_t>, kMaxMemories> ways_by_tiles_;
    HopsByTensor units_{};
    std::array<const Chain*, kMaxDimensions> chains_{};
    std::array<std::uint32_t, kMaxMemories> blocks_{};
    std::uint32_t imperfect_ = 0;  ///< dimensions with possibly idle instances
    std::uint32_t may_repack_ = 0;
    std::array<double, kMaxTensors> results_{};          ///< distinct words of a written tensor
    std::array<double, kMaxMemories + 1> used_{};        ///< instances that share dimensions out
    std::array<double, kMaxMemories> addressed_{};       ///< upper bound of instances addressed by loops, in some
                                                         ///< layout
    std::uint32_t free_layouts_ = 0;                     ///< fan-outs with loops in any order
    std::array<double, kMaxMemories + 1> least_used_{};  ///< lower bound of instances at work
    std::array<std::uint32_t, kMaxTensors> boundaries_{};
    std::array<std::uint32_t, kMaxTensors> as_if_kept_{};
    /// By bypassed memory: hops of a word requested past it, if it does not pay as if kept.
    std::array<std::array<double, kMaxMemories>, kMaxTensors> passing_hops_{};
    std::array<std::array<int, kMaxMemories + 1>, kMaxTensors> parent_{};
    std::array<std::array<double, kMaxMemories + 1>, kMaxTensors> most_copies_{};
    std::array<std::array<double, kMaxMemories + 1>, kMaxTensors> least_copies_{};
    std::array<std::array<double, kMaxMemories + 1>, kMaxTensors> handed_to_parent_{};
    /// All instances together, parts of blocks as parts; first words are unknown.
    std::array<std::array<AtLeast, kMaxMemories + 1>, kMaxTensors> prices_{};
    /// Upper bound of the share of all words sent to memory l saved by idle instances; from 1 on unknown.
    std::array<std::array<double, kMaxMemories + 1>, kMaxTensors> idle_share_{};
    std::array<std::uint32_t, kMaxTensors> slides_{};  ///< bit l: tiles slide in every instance as in a single one
    std::array<std::array<double, kMaxMemories + 1>, kMaxTensors> least_pj_{};
    std::vector<double> outside_pj_;
    std::vector<Loads> outside_loads_;
    double least_steps_ = 1.0;
    double leak_pj_per_cycle_ = 0.0;
    double operations_ = 1.0;
};

}  // namespace tilewright::certificate
