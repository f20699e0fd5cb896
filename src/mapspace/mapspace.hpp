// Mapspace: all mappings of a layer on a machine allowed by the constraints and a factor rule.
//
// A point deals each dimension's extent to slots: the temporal loops of every memory and, for memories with several
// inner neighbours, the spatial loops below. Meshes bound the spatial factors; the fit of tiles is left to the
// evaluator. Immutable; shared by all threads.
//
//     const Mapspace mapspace(einsum, architecture, constraints);
//     if (mapspace.problem().empty() && mapspace.sample(random, point)) ...
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "base/numbers/random.hpp"
#include "mapping/tiling_point.hpp"
#include "mapspace/constraints.hpp"
#include "mapspace/factors/chains.hpp"
#include "mapspace/factors/factor_rule.hpp"
#include "mapspace/factors/factorizations.hpp"
#include "mapspace/layouts.hpp"
#include "workload/einsum.hpp"

namespace tilewright {

struct Slot {
    int level = 0;
    bool spatial = false;

    bool operator==(const Slot&) const = default;
};

/// Number of points by kind of choice; the whole is the product. Doubles: exact up to 2^53.
struct MapspaceSize {
    double tilings = 1.0;  ///< factorisations of all dimensions, without meshes and capacities
    double orders = 1.0;   ///< of all temporal loops, also those that run once
    double axes = 1.0;     ///< choices of X, Y or both for every dimension
    double bypasses = 1.0;

    double all() const { return tilings * orders * axes * bypasses; }
};

class Mapspace {
   public:
    /// Throws OverflowError if an extent does not fit in 31 bits. FactorRule::padded is `perfect`: the caller pads the
    /// einsum. A constraint's bound on remainders replaces the rule.
    Mapspace(const Einsum& einsum, const Architecture& architecture, const Constraints& constraints,
             FactorRule rule = FactorRule::perfect);

    /// Factors may leave remainders: points need the einsum to become mappings (mapping_of(point, einsum)).
    bool has_remainders() const { return !chains_.empty(); }

    /// Some temporal loop may leave one.
    bool has_temporal_remainders() const;

    /// The subspace of perfect factors.
    Mapspace without_remainders() const;

    /// The subspace with this point's spatial factors and kept tensors. Only with remainders.
    Mapspace of_assignment(const TilingPoint& assignment) const;

    /// Reason the space is empty for any capacities, or "": "the constraints leave no way to factorise K = 64".
    const std::string& problem() const { return problem_; }

    MapspaceSize size() const;
    /// Factorisations of one dimension, without meshes.
    double tilings_of(int dimension) const {
        return has_remainders() ? static_cast<double>(chains_[dimension].count())
                                : dimensions_[dimension].ways(0, dimensions_[dimension].whole());
    }

    /// An empty point of the right shape.
    TilingPoint point() const { return {level_count_, dimension_count_}; }

    /// All factors 1, orders of the constraints, compulsory kept tensors only.
    TilingPoint first_point() const;

    // Layouts of spatial loops (mapspace/layouts.hpp). An order in the constraints holds along each axis, among loops
    // that divide and among those with a remainder, which are outside; with a split or an order, loops along X are
    // inside those along Y. Otherwise any order is in the space.

    /// The order of a memory's spatial loops matters: wire energy, or remainders. Elsewhere one layout stands for all.
    bool order_matters(int level) const;
    /// A fan-out may have several layouts of different cost.
    bool has_layouts(int level) const;
    /// Some dimension may lie along both axes of a fan-out with more room than its extent.
    bool has_partial_layouts(int level) const;
    /// The number of addressed instances matters: further in, instances share vector accesses.
    bool counts_addressed(int level) const;
    /// With a given order, loops with a remainder are outside the others of their axis.
    bool keeps_remainders_outside(int level) const { return spatial_[level].ordered; }

    /// Whether loops outside a memory's fan-out count for covering a dimension. `as_it_is`: the point's temporal
    /// factors are final; `as_it_may_be`: not chosen yet.
    enum class Cover { as_it_is, as_it_may_be };
    /// Finds axes for a memory's spatial loops, in their first order. False, with unfit axes, if the mesh has no room.
    bool lay_out(TilingPoint& point, int level, Cover cover = Cover::as_it_is) const;
    /// Puts a memory's spatial loops into the space's first order: loops that divide inside, those along X inside.
    void order_spatial(TilingPoint& point, int level) const;
    /// The same, but interchangeable loops keep their order.
    void settle_order(TilingPoint& point, int level) const;
    /// Calls `visit` for every layout of a memory's fan-out of possibly different cost, until it returns false; then
    /// false. The first is that of lay_out(). `point` is changed and restored.
    bool visit_layouts(TilingPoint& point, int level, Cover cover, const std::function<bool()>& visit) const;
    /// The same for all fan-outs together.
    bool visit_layouts(TilingPoint& point, Cover cover, const std::function<bool()>& visit) const {
        return visit_layouts_from(point, 0, cover, visit);
    }
    /// Upper bound of the orders and axes of a memory's fan-out; most of them are alike.
    double orders_at_most(const TilingPoint& point, int level) const;
    /// Draws another layout. False, without change, if there is only one.
    bool redraw_layout(Random& random, TilingPoint& point, int level) const;

    /// Draws a point that meets all constraints and meshes; any such point is possible; spatial factors first, equally
    /// likely among those with room. False at a dead end: try again.
    bool sample(Random& random, TilingPoint& point) const;

    /// Redraws only the orders of loops (or the kept tensors).
    void sample_orders(Random& random, TilingPoint& point) const;
    void sample_keeps(Random& random, TilingPoint& point) const;

    bool contains(const TilingPoint& point) const;

    /// Calls `visit` for every point that meets constraints and meshes, until it returns false; then false. Orders
    /// differ only among loops that run more than once, layouts only if their cost may differ.
    bool enumerate(const std::function<bool(const TilingPoint&)>& visit) const;

    /// The same for the spatial factors alone, each in one layout: all other factors 1, compulsory kept tensors only.
    /// Only those completed by some temporal factors. With remainders the first visit comes after some work, which
    /// polls `stop`.
    bool enumerate_spatial(
        const std::function<bool(const TilingPoint&)>& visit,
        const std::function<bool()>& stop = [] { return false; }) const;

    /// Ways to deal one dimension to the fan-outs alone, by spatial slot, with a temporal completion and room on each
    /// mesh. enumerate_spatial() visits the combinations that fit together. Perfect factors only.
    std::vector<std::vector<std::int32_t>> spatial_factors(int dimension) const;
    /// The same with remainders; nothing if stopped by `stop`, polled.
    std::optional<std::vector<std::vector<std::int32_t>>> imperfect_spatial_factors(
        int dimension, const std::function<bool()>& stop) const;
    const Mesh& room(int level) const { return spatial_[level].room; }

    // For local searches.

    int level_count() const { return level_count_; }
    int dimension_count() const { return dimension_count_; }
    const std::vector<Slot>& slots() const { return slots_; }
    const std::vector<std::int32_t>& primes(int dimension) const { return dimensions_[dimension].primes(); }

    /// Moves a dimension's factor between slots. False, without change, if outside the space. Perfect factors only.
    bool move_factor(TilingPoint& point, int dimension, std::int32_t factor, int from_slot, int to_slot) const;

    /// Redraws a dimension's factors in two slots. False, without change, if outside the space. Only with remainders.
    bool redraw_factors(Random& random, TilingPoint& point, int dimension) const;

    /// Moves one dimension's loop in `slot` to the outermost memory. As redraw_factors().
    bool empty_slot(TilingPoint& point, int dimension, int slot) const;

    /// Copies another point's factors of one dimension, with their axes as far as possible. False, without change, if
    /// the result is outside the space. Requires contains(from).
    bool copy_factors(TilingPoint& point, const TilingPoint& from, int dimension) const;

    /// Dimensions with interchangeable temporal loops at `level`, and their first place in the order.
    const std::vector<std::uint8_t>& movable(int level) const { return temporal_[level].middle; }
    int first_movable(int level) const { return static_cast<int>(temporal_[level].inner.size()); }

    /// Bounds on the temporal factor of a dimension at `level`.
    const FactorBounds& temporal_bounds(int level, int dimension) const {
        return dimensions_[dimension].bounds(static_cast<int>(slots_.size()) - level_count_ + level);
    }

    /// A slot's bounds in a dimension's chains. Only with remainders.
    const ChainSlot& chain_slot(const Slot& slot, int dimension) const;

    TensorSet all_tensors() const { return all_tensors_; }
    /// Compulsory tensors of memory `level`.
    TensorSet kept_tensors(int level) const { return keep_[level]; }
    /// The dimension's spatial loop below memory `level` may run along this axis.
    bool may_spread(int level, int dimension, bool along_y) const;

    /// Optional tensors of memory `level`.
    TensorSet free_tensors(int level) const { return free_[level]; }

    /// The share of compute units in use meets the constraints.
    bool parallel_enough(const TilingPoint& point) const;
    /// That share in units.
    double least_units() const { return min_parallelism_ * compute_units_; }

    // For constructive mappers.

    const Constraints& constraints() const { return *constraints_; }

    /// Bounds on one dimension's factor in a slot; an absent slot takes none.
    FactorBounds factor_bounds(const Slot& slot, int dimension) const;
    /// The dimension's spatial loop at `level` may run along that axis.
    bool may_run(int level, int dimension, bool on_y) const;
    /// Brings the loops into an order of the space; interchangeable ones keep theirs.
    void arrange(TilingPoint& point) const;

   private:
    friend class TilingWalk;

    /// A permutation, innermost first: inner, then middle in any order, then outer.
    struct OrderRule {
        std::vector<std::uint8_t> inner;
        std::vector<std::uint8_t> middle;
        std::vector<std::uint8_t> outer;
    };
    struct SpatialRule {
        OrderRule order;
        Mesh room;
        std::uint32_t may_x = 0;  ///< bit d: dimension d may run along X
        std::uint32_t may_y = 0;
        std::array<std::uint8_t, kMaxDimensions> ranks{};  ///< in the given order; those in the middle share one
        bool may_both = true;                              ///< a dimension may lie along both
        bool ordered = false;                              ///< the constraints have an order
        bool x_inside = false;                             ///< loops along X are inside those along Y
        bool wires_cost = false;                           ///< by the place of a neighbour
        bool clustered = false;                            ///< some inner memory shares vector accesses among instances
    };

    ChainSlot make_chain_slot(const LoopConstraint& constraint, const Slot& slot, int dimension,
                              const FactorBounds& bounds) const;
    std::optional<std::vector<Chain>> spatial_chains(int dimension, const std::function<bool()>& stop) const;
    bool enumerate_spatial_chains(TilingPoint& point, int d, const std::vector<std::vector<Chain>>& chains,
                                  const std::function<bool(const TilingPoint&)>& visit) const;
    void set_chains(const Einsum& einsum, const Constraints& constraints);
    static std::string no_way(const Dimension& dimension);
    Chain chain_of(const TilingPoint& point, int dimension) const;
    void write_chain(TilingPoint& point, int dimension, const Chain& chain) const;
    bool put_chain(TilingPoint& point, int dimension, const Chain& chain) const;
    std::int64_t most_along_axis(Random& random, const TilingPoint& point, int level, int dimension) const;
    std::int64_t draw_neighbours(Random& random, TilingPoint& point, int dimension, int place,
                                 std::int64_t chunks) const;
    bool sample_chain(Random& random, TilingPoint& point, int dimension) const;
    bool sample_chains(Random& random, TilingPoint& point) const;
    bool enumerate_chains(TilingPoint& point, int d, const std::function<bool(const TilingPoint&)>& visit) const;
    bool sample_perfect(Random& random, TilingPoint& point) const;
    bool factors_fit(const TilingPoint& point, int dimension) const;
    OrderRule order_rule(const LoopConstraint& constraint) const;
    SpatialRule spatial_rule(const LoopConstraint& constraint, const Mesh& room) const;
    void set_keeps(const Architecture& architecture, const Constraints& constraints);
    void set_wires(const Architecture& architecture);
    bool fits_so_far(TilingPoint& point, Cover cover) const;
    LayoutKey key_of(const TilingLevel& at, int level) const;
    bool choose_axes(TilingPoint& point, int level, Cover cover) const;
    bool choose_one_axis_each(TilingLevel& at, const SpatialRule& rule) const;
    bool is_shared_out_whole(const TilingPoint& point, int level, int dimension) const;
    std::vector<SharedDimension> shared_dimensions(const TilingPoint& point, int level, Cover cover) const;
    std::uint32_t remainders_at(const TilingPoint& point, int level) const;
    int order_class(const SpatialLoop& loop, int level, std::uint32_t remainders) const;
    enum class Sorting { afresh, as_they_are };
    void sort_loops(TilingLevel& level, int index, std::uint32_t remainders, Sorting sorting) const;
    bool visit_orders(TilingLevel& level, int index, std::size_t placed, std::size_t count,
                      const std::function<bool()>& visit) const;
    bool has_layout(const TilingPoint& point, int level) const;
    bool visit_layouts_from(TilingPoint& point, int level, Cover cover, const std::function<bool()>& visit) const;
    Mesh room_left(const TilingPoint& point, int level) const;
    bool sample_spatial(Random& random, TilingPoint& point, std::array<int, kMaxDimensions>& rest) const;
    bool draw_spatial(Random& random, TilingPoint& point, int slot, int d, int& rest) const;
    bool place_again(TilingPoint& point, const Slot& slot) const;
    void draw_layouts(Random& random, TilingPoint& point) const;
    bool leaves_remainder(const TilingPoint& point, int level, int dimension) const;
    void write_order(const OrderRule& rule, std::array<std::uint8_t, kMaxDimensions>& order) const;
    using SpatialVisit = std::function<bool(int left)>;  ///< `left`: the dimension's rest
    bool enumerate_factors(TilingPoint& point, int d, int slot, int rest,
                           const std::function<bool(const TilingPoint&)>& visit) const;
    bool enumerate_spatial(TilingPoint& point, int d, int slot, int rest,
                           const std::function<bool(const TilingPoint&)>& visit) const;
    bool enumerate_spatial_factor(TilingPoint& point, int d, int slot, int rest, const SpatialVisit& next) const;
    void add_spatial_factors(int d, int slot, int rest, std::vector<std::int32_t>& factors,
                             std::vector<std::vector<std::int32_t>>& all) const;
    bool enumerate_keeps(TilingPoint& point, int level, const std::function<bool(const TilingPoint&)>& visit) const;
    bool enumerate_orders(TilingPoint& point, int level, const std::function<bool(const TilingPoint&)>& visit) const;

    int level_count_ = 0;
    int dimension_count_ = 0;
    TensorSet all_tensors_;
    std::vector<Slot> slots_;  ///< spatial ones first
    FactorRule rule_ = FactorRule::perfect;
    std::vector<Factorizations> dimensions_;
    std::vector<ChainSpace> chains_;    ///< by dimension; empty for perfect factors
    std::vector<int> chain_slots_;      ///< the slots, innermost first
    std::vector<OrderRule> temporal_;   ///< by level
    std::vector<SpatialRule> spatial_;  ///< by level
    std::vector<TensorSet> keep_;       ///< by level: compulsory
    std::vector<TensorSet> free_;
    double compute_units_ = 1.0;
    double min_parallelism_ = 0.0;
    std::string problem_;
    std::shared_ptr<const Constraints> constraints_;
};

}  // namespace tilewright
