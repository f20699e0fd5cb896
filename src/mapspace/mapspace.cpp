#include "mapspace/mapspace.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

#include "base/numbers/checked.hpp"

namespace tilewright {
namespace {

const LevelConstraint kUnconstrained{};

const LevelConstraint& constraint_of(const Constraints& constraints, int level) {
    return constraints.levels.empty() ? kUnconstrained : constraints.levels[level];
}

const LoopConstraint& constraint_of(const Constraints& constraints, const Slot& slot) {
    const LevelConstraint& level = constraint_of(constraints, slot.level);
    return slot.spatial ? level.spatial : level.temporal;
}

FactorBounds bounds_of(const LoopConstraint& constraint, int dimension) {
    FactorBounds bounds;
    if (constraint.factors.empty()) return bounds;
    const FactorConstraint& factor = constraint.factors[dimension];
    bounds.at_least = factor.exactly.value_or(factor.at_least);
    if (factor.at_most) bounds.at_most = *factor.at_most;
    if (factor.exactly) bounds.at_most = *factor.exactly;
    return bounds;
}

template <typename Order>
void shuffle(Random& random, Order first, std::size_t count) {
    for (std::size_t i = count; i > 1; --i) std::swap(first[i - 1], first[random.below(i)]);
}

std::int32_t& factor_at(TilingPoint& point, const Slot& slot, int dimension) {
    TilingLevel& level = point[slot.level];
    return slot.spatial ? level.spatial[dimension] : level.temporal[dimension];
}

}  // namespace

Mapspace::Mapspace(const Einsum& einsum, const Architecture& architecture, const Constraints& constraints,
                   FactorRule rule)
    : level_count_(architecture.memory_count()),
      dimension_count_(einsum.dimension_count()),
      all_tensors_(TensorSet::all(einsum.tensor_count())),
      rule_(rule),
      compute_units_(static_cast<double>(architecture.compute.instances)),
      min_parallelism_(constraints.min_parallelism),
      constraints_(std::make_shared<const Constraints>(constraints)) {
    for (int l = 0; l < level_count_; ++l)
        if (architecture.fanout(l).size() > 1) slots_.push_back({l, true});
    for (int l = 0; l < level_count_; ++l) slots_.push_back({l, false});
    for (int d = 0; d < dimension_count_; ++d) {
        const Dimension& dimension = einsum.dimensions[d];
        if (dimension.extent > std::numeric_limits<std::int32_t>::max()) throw OverflowError();
        std::vector<FactorBounds> bounds;
        bounds.reserve(slots_.size());
        for (const Slot& slot : slots_) bounds.push_back(bounds_of(constraint_of(constraints, slot), d));
        dimensions_.emplace_back(dimension.extent, std::move(bounds));
    }
    for (int l = 0; l < level_count_; ++l) {
        const LevelConstraint& level = constraint_of(constraints, l);
        temporal_.push_back(order_rule(level.temporal));
        spatial_.push_back(spatial_rule(level.spatial, architecture.fanout(l)));
    }
    set_wires(architecture);
    set_chains(einsum, constraints);
    for (int d = 0; d < dimension_count_ && !has_remainders(); ++d)
        if (dimensions_[d].ways(0, dimensions_[d].whole()) == 0.0) problem_ = no_way(einsum.dimensions[d]);
    set_keeps(architecture, constraints);
    TensorSet keepable;
    for (int l = 0; l < level_count_; ++l)
        keepable = TensorSet::from_bits(keepable.bits() | keep_[l].bits() | free_[l].bits());
    if (keepable != all_tensors_) problem_ = "the constraints leave a tensor without any memory to keep it";
}

Mapspace Mapspace::without_remainders() const {
    Mapspace even = *this;
    even.rule_ = FactorRule::perfect;
    even.chains_.clear();
    for (const Factorizations& dimension : dimensions_)
        if (dimension.ways(0, dimension.whole()) == 0.0)
            even.problem_ =
                "without remainders the constraints leave no way to factorise " + std::to_string(dimension.extent());
    return even;
}

bool Mapspace::may_spread(int level, int dimension, bool along_y) const {
    const auto slot = std::ranges::find(slots_, Slot{level, true});
    if (slot == slots_.end()) return false;
    const FactorBounds& bounds = dimensions_[dimension].bounds(static_cast<int>(slot - slots_.begin()));
    return bounds.at_most > 1 && ((along_y ? spatial_[level].may_y : spatial_[level].may_x) >> dimension & 1U) != 0;
}

std::string Mapspace::no_way(const Dimension& dimension) {
    return "the constraints leave no way to factorise " + dimension.name + " = " + std::to_string(dimension.extent);
}

Mapspace::OrderRule Mapspace::order_rule(const LoopConstraint& constraint) const {
    OrderRule rule;
    std::uint32_t placed = 0;
    for (const int d : constraint.inner) {
        rule.inner.push_back(static_cast<std::uint8_t>(d));
        placed |= 1U << d;
    }
    for (const int d : constraint.outer) {
        if ((placed >> d & 1U) != 0) continue;
        rule.outer.push_back(static_cast<std::uint8_t>(d));
        placed |= 1U << d;
    }
    for (int d = 0; d < dimension_count_; ++d)
        if ((placed >> d & 1U) == 0) rule.middle.push_back(static_cast<std::uint8_t>(d));
    return rule;
}

// With a split, the place in the order decides the axis; a dimension of free place may go either way if the split is
// within the free places.
Mapspace::SpatialRule Mapspace::spatial_rule(const LoopConstraint& constraint, const Mesh& room) const {
    SpatialRule rule{order_rule(constraint), room};
    rule.may_both = !constraint.split && !constraint.one_axis;
    rule.ordered = !constraint.inner.empty() || !constraint.outer.empty();
    rule.x_inside = rule.ordered || constraint.split.has_value() || constraint.one_axis;
    rule.ranks.fill(static_cast<std::uint8_t>(rule.order.inner.size()));
    for (std::size_t i = 0; i < rule.order.inner.size(); ++i)
        rule.ranks[rule.order.inner[i]] = static_cast<std::uint8_t>(i);
    for (std::size_t i = 0; i < rule.order.outer.size(); ++i)
        rule.ranks[rule.order.outer[i]] = static_cast<std::uint8_t>(rule.order.inner.size() + 1 + i);
    const std::uint32_t all = (1U << dimension_count_) - 1U;
    if (room.x > 1 || room.y == 1) rule.may_x = all;
    if (room.y > 1) rule.may_y = all;
    if (!constraint.split) return rule;
    rule.may_x = rule.may_y = 0;
    const int split = *constraint.split;
    int place = 0;
    const auto add = [&](int d, int first_place, int last_place) {
        if (first_place < split) rule.may_x |= 1U << d;
        if (last_place >= split) rule.may_y |= 1U << d;
    };
    for (const int d : rule.order.inner) {
        add(d, place, place);
        ++place;
    }
    const int free_places = static_cast<int>(rule.order.middle.size());
    for (const int d : rule.order.middle) add(d, place, place + free_places - 1);
    place += free_places;
    for (const int d : rule.order.outer) {
        add(d, place, place);
        ++place;
    }
    return rule;
}

// The outermost memory keeps everything by default: the data is there.
void Mapspace::set_keeps(const Architecture& architecture, const Constraints& constraints) {
    for (int l = 0; l < level_count_; ++l) {
        const Memory& memory = architecture.memories[l];
        const LevelConstraint& level = constraint_of(constraints, l);
        TensorSet keep = level.must_keep;
        std::uint32_t free = all_tensors_.bits() & ~level.must_keep.bits() & ~level.must_bypass.bits();
        if (memory.spreads_only || memory.usable_words() == 0) free = 0;
        if (l == 0) {
            keep = TensorSet::from_bits(keep.bits() | free);
            free = 0;
        }
        keep_.push_back(keep);
        free_.push_back(TensorSet::from_bits(free));
    }
}

MapspaceSize Mapspace::size() const {
    MapspaceSize size;
    for (int d = 0; d < dimension_count_; ++d) size.tilings *= tilings_of(d);
    for (int l = 0; l < level_count_; ++l) {
        for (std::size_t i = 2; i <= temporal_[l].middle.size(); ++i) size.orders *= static_cast<double>(i);
        for (std::uint32_t bits = free_[l].bits(); bits != 0; bits &= bits - 1) size.bypasses *= 2.0;
        if (spatial_[l].room.size() == 1) continue;
        for (std::uint32_t both = spatial_[l].may_x & spatial_[l].may_y; both != 0; both &= both - 1)
            size.axes *= spatial_[l].may_both ? 3.0 : 2.0;
    }
    return size;
}

void Mapspace::write_order(const OrderRule& rule, std::array<std::uint8_t, kMaxDimensions>& order) const {
    auto place = std::copy(rule.inner.begin(), rule.inner.end(), order.begin());
    place = std::copy(rule.middle.begin(), rule.middle.end(), place);
    std::copy(rule.outer.begin(), rule.outer.end(), place);
}

FactorBounds Mapspace::factor_bounds(const Slot& slot, int dimension) const {
    const auto found = std::find(slots_.begin(), slots_.end(), slot);
    if (found == slots_.end()) return {1, 1};
    return dimensions_[dimension].bounds(static_cast<int>(found - slots_.begin()));
}

bool Mapspace::may_run(int level, int dimension, bool on_y) const {
    return ((on_y ? spatial_[level].may_y : spatial_[level].may_x) >> dimension & 1U) != 0;
}

void Mapspace::arrange(TilingPoint& point) const {
    for (int l = 0; l < level_count_; ++l) {
        auto& order = point[l].order;
        std::vector<std::uint8_t> movable;
        std::copy_if(order.begin(), order.begin() + dimension_count_, std::back_inserter(movable), [&](int d) {
            const std::vector<std::uint8_t>& middle = temporal_[l].middle;
            return std::find(middle.begin(), middle.end(), d) != middle.end();
        });
        write_order(temporal_[l], order);
        std::copy(movable.begin(), movable.end(), order.begin() + first_movable(l));
        settle_order(point, l);
    }
}

void Mapspace::sample_orders(Random& random, TilingPoint& point) const {
    for (int l = 0; l < level_count_; ++l) {
        write_order(temporal_[l], point[l].order);
        shuffle(random, point[l].order.begin() + first_movable(l), temporal_[l].middle.size());
    }
}

void Mapspace::sample_keeps(Random& random, TilingPoint& point) const {
    for (int l = 0; l < level_count_; ++l) {
        point[l].keep = keep_[l];
        if (free_[l].empty()) continue;
        const std::uint32_t chosen = static_cast<std::uint32_t>(random.next() >> 32) & free_[l].bits();
        point[l].keep = TensorSet::from_bits(keep_[l].bits() | chosen);
    }
}

// One dimension's factor in one spatial slot: all factors with room on the mesh are equally likely.
bool Mapspace::draw_spatial(Random& random, TilingPoint& point, int slot, int d, int& rest) const {
    const Factorizations& dimension = dimensions_[d];
    const int l = slots_[slot].level;
    std::int32_t& shared = point[l].spatial[d];
    int choices = 0;
    int chosen = -1;
    for (const int factor : dimension.allowed(slot)) {
        const int left = dimension.without(rest, factor);
        if (left < 0 || dimension.ways(slot + 1, left) == 0.0) continue;
        shared = static_cast<std::int32_t>(dimension.value(factor));
        if (shared > spatial_[l].room.size()) break;
        if (!choose_axes(point, l, Cover::as_it_is)) continue;
        if (random.below(static_cast<std::uint64_t>(++choices)) == 0) chosen = factor;
    }
    if (chosen < 0) return false;
    rest = dimension.without(rest, chosen);
    shared = static_cast<std::int32_t>(dimension.value(chosen));
    return choose_axes(point, l, Cover::as_it_is);
}

bool Mapspace::sample_spatial(Random& random, TilingPoint& point, std::array<int, kMaxDimensions>& rest) const {
    std::array<std::uint8_t, kMaxDimensions> order;
    for (int d = 0; d < dimension_count_; ++d) order[d] = static_cast<std::uint8_t>(d);
    for (int slot = 0; slot < static_cast<int>(slots_.size()) && slots_[slot].spatial; ++slot) {
        point[slots_[slot].level].spatial.fill(1);
        shuffle(random, order.begin(), static_cast<std::size_t>(dimension_count_));
        for (int k = 0; k < dimension_count_; ++k)
            if (!draw_spatial(random, point, slot, order[k], rest[order[k]])) return false;
        order_spatial(point, slots_[slot].level);
    }
    return true;
}

bool Mapspace::sample_perfect(Random& random, TilingPoint& point) const {
    std::array<int, kMaxDimensions> rest;
    for (int d = 0; d < dimension_count_; ++d) rest[d] = dimensions_[d].whole();
    if (!sample_spatial(random, point, rest)) return false;
    for (int d = 0; d < dimension_count_; ++d) {
        const Factorizations& dimension = dimensions_[d];
        for (int slot = 0; slot < static_cast<int>(slots_.size()); ++slot) {
            if (slots_[slot].spatial) continue;
            const int factor = dimension.draw(random, slot, rest[d]);
            rest[d] = dimension.without(rest[d], factor);
            point[slots_[slot].level].temporal[d] = static_cast<std::int32_t>(dimension.value(factor));
        }
    }
    return true;
}

bool Mapspace::sample(Random& random, TilingPoint& point) const {
    if (!problem_.empty()) return false;
    if (!(has_remainders() ? sample_chains(random, point) : sample_perfect(random, point))) return false;
    draw_layouts(random, point);
    sample_orders(random, point);
    sample_keeps(random, point);
    return parallel_enough(point);
}

// Half of the points have the first layout, often a good one.
void Mapspace::draw_layouts(Random& random, TilingPoint& point) const {
    for (int l = 0; l < level_count_; ++l)
        if (has_layouts(l) && random.chance(0.5)) redraw_layout(random, point, l);
}

bool Mapspace::parallel_enough(const TilingPoint& point) const {
    if (min_parallelism_ <= 0.0) return true;
    double used = 1.0;
    for (int l = 0; l < level_count_; ++l)
        for (int d = 0; d < dimension_count_; ++d) used *= point[l].spatial[d];
    return used >= min_parallelism_ * compute_units_;
}

bool Mapspace::move_factor(TilingPoint& point, int dimension, std::int32_t factor, int from_slot, int to_slot) const {
    if (has_remainders()) return false;
    std::int32_t& from = factor_at(point, slots_[from_slot], dimension);
    std::int32_t& to = factor_at(point, slots_[to_slot], dimension);
    if (from_slot == to_slot || from % factor != 0) return false;
    const Factorizations& bounds = dimensions_[dimension];
    if (!bounds.bounds(from_slot).allows(from / factor)) return false;
    if (!bounds.bounds(to_slot).allows(std::int64_t{to} * factor)) return false;
    from /= factor;
    to *= factor;
    if (place_again(point, slots_[from_slot]) && place_again(point, slots_[to_slot])) return true;
    from *= factor;
    to /= factor;
    place_again(point, slots_[from_slot]);
    place_again(point, slots_[to_slot]);
    return false;
}

bool Mapspace::place_again(TilingPoint& point, const Slot& slot) const {
    return !slot.spatial || lay_out(point, slot.level);
}

bool Mapspace::factors_fit(const TilingPoint& point, int dimension) const {
    if (has_remainders()) return chains_[dimension].contains(chain_of(point, dimension));
    std::int64_t product = 1;
    for (std::size_t s = 0; s < slots_.size(); ++s) {
        const TilingLevel& level = point[slots_[s].level];
        const std::int64_t factor = slots_[s].spatial ? level.spatial[dimension] : level.temporal[dimension];
        if (!dimensions_[dimension].bounds(static_cast<int>(s)).allows(factor)) return false;
        product *= factor;
    }
    return product == dimensions_[dimension].extent();
}

bool Mapspace::contains(const TilingPoint& point) const {
    if (!problem_.empty() || !parallel_enough(point)) return false;
    for (int d = 0; d < dimension_count_; ++d)
        if (!factors_fit(point, d)) return false;
    for (int l = 0; l < level_count_; ++l) {
        if (!has_layout(point, l)) return false;
        const std::uint32_t keep = point[l].keep.bits();
        if ((keep & keep_[l].bits()) != keep_[l].bits()) return false;
        if ((keep & ~(keep_[l].bits() | free_[l].bits())) != 0) return false;
        const OrderRule& rule = temporal_[l];
        if (!std::equal(rule.inner.begin(), rule.inner.end(), point[l].order.begin())) return false;
        const auto outer = point[l].order.begin() + static_cast<std::ptrdiff_t>(rule.inner.size() + rule.middle.size());
        if (!std::equal(rule.outer.begin(), rule.outer.end(), outer)) return false;
    }
    return true;
}

}  // namespace tilewright
