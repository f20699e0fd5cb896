// Layouts of spatial loops in a mapspace.
#include <algorithm>
#include <set>

#include "base/numbers/checked.hpp"
#include "mapspace/mapspace.hpp"
#include "model/exact/costs.hpp"

namespace tilewright {
namespace {

// A neighbour's place matters on meshes only; routers pay by the hop, too.
bool pays_by_place(const Link& link, double inner_tile_um2) {
    const LinkRates rates = rates_of(link, inner_tile_um2);
    return rates.kind == NetworkKind::legacy && !rates.wires_are_free();
}

void set_axes(TilingLevel& level, const std::vector<SharedDimension>& dimensions,
              const std::vector<AxisExtents>& axes) {
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
        level.along_x[dimensions[i].dimension] = axes[i].x;
        level.along_y[dimensions[i].dimension] = axes[i].y;
    }
}

bool y_is_inside(const TilingLevel& level, int dimension) {
    const auto at = std::ranges::find(level.spatial_order, dimension, &SpatialLoop::dimension);
    return at->along_y;
}

bool covers_all(const TilingLevel& level, const std::vector<SharedDimension>& dimensions) {
    return std::ranges::all_of(dimensions, [&](const SharedDimension& one) {
        const int d = one.dimension;
        return covers(level.spatial[d], {level.along_x[d], level.along_y[d]}, y_is_inside(level, d));
    });
}

}  // namespace

void Mapspace::set_wires(const Architecture& architecture) {
    const std::vector<double> areas = inner_tile_areas_um2(architecture);
    for (int l = 0; l < level_count_; ++l) {
        const Memory& memory = architecture.memories[l];
        const auto pays = [&](const Link& link) { return pays_by_place(link, areas[l]); };
        spatial_[l].wires_cost = pays(memory.link) || (memory.update_link && pays(*memory.update_link));
        for (int inner = l + 1; inner < level_count_; ++inner)
            spatial_[l].clustered = spatial_[l].clustered || architecture.memories[inner].cluster_size > 1;
    }
}

bool Mapspace::order_matters(int level) const {
    const SpatialRule& rule = spatial_[level];
    if (rule.room.size() == 1) return false;
    if (rule.wires_cost) return true;
    for (int d = 0; d < dimension_count_ && has_remainders(); ++d)
        if (chain_slot({level, true}, d).imperfect_up_to > 1) return true;
    return false;
}

// All neighbours at once: nothing of the dimension is left to loops outside the fan-out.
bool Mapspace::is_shared_out_whole(const TilingPoint& point, int level, int dimension) const {
    if (!has_remainders()) return false;
    std::int64_t chunks = chains_[dimension].extent();
    for (int l = level_count_ - 1; l > level; --l)
        chunks = ceil_div(ceil_div(chunks, point[l].spatial[dimension]), point[l].temporal[dimension]);
    return chunks == point[level].spatial[dimension];
}

std::vector<SharedDimension> Mapspace::shared_dimensions(const TilingPoint& point, int level, Cover cover) const {
    const SpatialRule& rule = spatial_[level];
    std::vector<SharedDimension> dimensions;
    for (int d = 0; d < dimension_count_; ++d) {
        const std::int32_t shared = point[level].spatial[d];
        if (shared == 1) continue;
        const bool may_leave_remainder =
            has_remainders() && rule.room.size() > 1 && chain_slot({level, true}, d).imperfect_up_to >= shared;
        const bool whole = cover == Cover::as_it_may_be || is_shared_out_whole(point, level, d);
        dimensions.push_back({.dimension = d,
                              .shared = shared,
                              .may_x = (rule.may_x >> d & 1U) != 0,
                              .may_y = (rule.may_y >> d & 1U) != 0,
                              .may_both = rule.may_both,
                              .may_be_partial = may_leave_remainder && whole,
                              .x_inside = rule.x_inside});
    }
    return dimensions;
}

bool Mapspace::choose_one_axis_each(TilingLevel& at, const SpatialRule& rule) const {
    SharedAlongOne shared;
    std::array<int, kMaxDimensions> dimension;
    for (int d = 0; d < dimension_count_; ++d) {
        if (at.spatial[d] == 1) continue;
        const auto i = static_cast<std::size_t>(shared.count++);
        dimension[i] = d;
        shared.shared[i] = at.spatial[d];
        shared.may_x |= (rule.may_x >> d & 1U) << i;
        shared.may_y |= (rule.may_y >> d & 1U) << i;
    }
    const std::optional<std::uint32_t> along_y = fit_along_one_axis(shared, rule.room);
    if (!along_y) return false;
    for (int i = 0; i < shared.count; ++i) {
        const int d = dimension[i];
        ((*along_y >> i & 1U) != 0 ? at.along_y : at.along_x)[d] = at.spatial[d];
    }
    return true;
}

// Fast paths: a mesh of one row or column, and dimensions along one axis each.
bool Mapspace::choose_axes(TilingPoint& point, int level, Cover cover) const {
    TilingLevel& at = point[level];
    const SpatialRule& rule = spatial_[level];
    std::fill_n(at.along_x.begin(), dimension_count_, 1);
    std::fill_n(at.along_y.begin(), dimension_count_, 1);
    if (rule.room.x > 1 && rule.room.y > 1) {
        if (choose_one_axis_each(at, rule)) return true;
        const std::vector<SharedDimension> dimensions = shared_dimensions(point, level, cover);
        const auto axes = fit_on_mesh(dimensions, rule.room);
        if (axes) set_axes(at, dimensions, *axes);
        return axes.has_value();
    }
    const bool on_y = rule.room.y > 1;
    std::int64_t left = rule.room.size();
    for (int d = 0; d < dimension_count_; ++d) {
        if (at.spatial[d] == 1) continue;
        if (((on_y ? rule.may_y : rule.may_x) >> d & 1U) == 0) return false;
        left /= at.spatial[d];
        (on_y ? at.along_y : at.along_x)[d] = at.spatial[d];
    }
    return left > 0;
}

bool Mapspace::lay_out(TilingPoint& point, int level, Cover cover) const {
    const bool fits = choose_axes(point, level, cover);
    sort_loops(point[level], level, cover == Cover::as_it_is ? remainders_at(point, level) : 0, Sorting::afresh);
    return fits;
}

// ---------------------------------------------------------------- orders

std::uint32_t Mapspace::remainders_at(const TilingPoint& point, int level) const {
    std::uint32_t remainders = 0;
    for (int d = 0; d < dimension_count_ && has_remainders(); ++d)
        remainders |= (leaves_remainder(point, level, d) ? 1U : 0U) << d;
    return remainders;
}

// A loop's place by the constraints: smaller ones are inside, equal ones are interchangeable.
int Mapspace::order_class(const SpatialLoop& loop, int level, std::uint32_t remainders) const {
    const SpatialRule& rule = spatial_[level];
    const int axis = rule.x_inside && loop.along_y ? 1 : 0;
    if (!rule.ordered) return axis;
    const int leaves = static_cast<int>(remainders >> loop.dimension & 1U);
    return (axis * 2 + leaves) * (kMaxDimensions + 1) + rule.ranks[loop.dimension];
}

// Afresh: loops that divide are inside, those of a dimension adjacent, dimensions by their number.
void Mapspace::sort_loops(TilingLevel& level, int index, std::uint32_t remainders, Sorting sorting) const {
    struct Entry {
        int key;
        SpatialLoop loop;
    };
    constexpr int kPlaces = 1024;
    std::array<Entry, 2 * std::size_t{kMaxDimensions}> entries;
    std::size_t count = 0;
    std::size_t place = static_cast<std::size_t>(2 * dimension_count_);
    for (int k = 0; k < 2 * dimension_count_; ++k) {
        const SpatialLoop loop = sorting == Sorting::as_they_are
                                     ? level.spatial_order[k]
                                     : SpatialLoop{static_cast<std::uint8_t>(k / 2), k % 2 != 0};
        if (level.extent_of(loop) == 1) continue;
        int tie = k;
        if (sorting == Sorting::afresh) {
            const int d = loop.dimension;
            const bool both = level.lies_on_both_axes(d);
            const bool y_first = both && !covers(level.spatial[d], {level.along_x[d], level.along_y[d]}, false);
            const int axis = both ? 1 : loop.along_y ? 2 : 0;
            const int leaves = static_cast<int>(remainders >> d & 1U);
            tie = ((leaves * 3 + axis) * kMaxDimensions + d) * 2 + (loop.along_y != y_first ? 1 : 0);
        }
        const Entry entry{order_class(loop, index, remainders) * kPlaces + tie, loop};
        std::size_t at = count++;
        for (; at > 0 && entries[at - 1].key > entry.key; --at) entries[at] = entries[at - 1];
        entries[at] = entry;
    }
    for (int d = dimension_count_ - 1; d >= 0; --d)
        for (const bool along_y : {true, false})
            if (const SpatialLoop loop{static_cast<std::uint8_t>(d), along_y}; level.extent_of(loop) == 1)
                level.spatial_order[--place] = loop;
    for (std::size_t k = 0; k < count; ++k) level.spatial_order[k] = entries[k].loop;
}

void Mapspace::order_spatial(TilingPoint& point, int level) const {
    sort_loops(point[level], level, remainders_at(point, level), Sorting::afresh);
}

void Mapspace::settle_order(TilingPoint& point, int level) const {
    if (spatial_[level].ordered || spatial_[level].x_inside)
        sort_loops(point[level], level, remainders_at(point, level), Sorting::as_they_are);
}

// ---------------------------------------------------------------- all of them

// Chooses the next loop outwards among those allowed there.
bool Mapspace::visit_orders(TilingLevel& level, int index, std::size_t placed, std::size_t count,
                            const std::function<bool()>& visit) const {
    if (placed == count) return visit();
    const auto at = level.spatial_order.begin() + static_cast<std::ptrdiff_t>(placed);
    const auto end = level.spatial_order.begin() + static_cast<std::ptrdiff_t>(count);
    for (auto next = at; next != end; ++next) {
        if (order_class(*next, index, 0) > order_class(*at, index, 0)) break;
        std::rotate(at, next, next + 1);
        const bool go_on = visit_orders(level, index, placed + 1, count, visit);
        std::rotate(at, at + 1, next + 1);
        if (!go_on) return false;
    }
    return true;
}

bool Mapspace::visit_layouts(TilingPoint& point, int level, Cover cover, const std::function<bool()>& visit) const {
    const TilingLevel before = point[level];
    TilingLevel& at = point[level];
    const std::vector<SharedDimension> dimensions = shared_dimensions(point, level, cover);
    bool go_on = true;
    if (!order_matters(level) || dimensions.empty()) {
        go_on = !lay_out(point, level, cover) || visit();
        at = before;
        return go_on;
    }
    std::set<LayoutKey> seen;
    const auto visit_new = [&] {
        const auto order = at.spatial_order;
        if (cover == Cover::as_it_is) settle_order(point, level);
        const bool is_new = covers_all(at, dimensions) && seen.insert(key_of(at, level)).second;
        const bool more = !is_new || visit();
        at.spatial_order = order;
        return more;
    };
    if (lay_out(point, level, cover)) go_on = visit_new();
    go_on = go_on && visit_axes(dimensions, spatial_[level].room, [&](const std::vector<AxisExtents>& axes) {
                set_axes(at, dimensions, axes);
                sort_loops(at, level, 0, Sorting::afresh);
                std::size_t count = 0;  // of the loops present: they come first
                for (const AxisExtents& one : axes)
                    count += static_cast<std::size_t>(one.x > 1) + static_cast<std::size_t>(one.y > 1);
                return visit_orders(at, level, 0, count, visit_new);
            });
    at = before;
    return go_on;
}

bool Mapspace::visit_layouts_from(TilingPoint& point, int level, Cover cover,
                                  const std::function<bool()>& visit) const {
    if (level == level_count_) return visit();
    if (spatial_[level].room.size() == 1) return visit_layouts_from(point, level + 1, cover, visit);
    return visit_layouts(point, level, cover, [&] { return visit_layouts_from(point, level + 1, cover, visit); });
}

LayoutKey Mapspace::key_of(const TilingLevel& at, int level) const {
    return layout_key(at, dimension_count_, spatial_[level].clustered);
}

bool Mapspace::counts_addressed(int level) const { return spatial_[level].clustered && has_partial_layouts(level); }

double Mapspace::orders_at_most(const TilingPoint& point, int level) const {
    if (!has_layouts(level)) return 1.0;
    double orders = 0.0;
    constexpr double kEnough = 1e12;
    visit_axes(shared_dimensions(point, level, Cover::as_it_may_be), spatial_[level].room,
               [&](const std::vector<AxisExtents>& axes) {
                   double ways = 1.0;
                   int loops = 0;
                   for (const AxisExtents& one : axes)
                       for (const std::int32_t extent : {one.x, one.y})
                           if (extent > 1) ways *= ++loops;
                   orders += ways;
                   return orders < kEnough;
               });
    return orders;
}

bool Mapspace::has_layouts(int level) const {
    const SpatialRule& rule = spatial_[level];
    if (!order_matters(level)) return false;
    return !rule.ordered || rule.order.middle.size() > 1 || (rule.may_x & rule.may_y) != 0;
}

bool Mapspace::has_partial_layouts(int level) const {
    const SpatialRule& rule = spatial_[level];
    if (!has_remainders() || !rule.may_both || rule.room.x == 1 || rule.room.y == 1) return false;
    for (int d = 0; d < dimension_count_; ++d)
        if (chain_slot({level, true}, d).imperfect_up_to > 1) return true;
    return false;
}

bool Mapspace::redraw_layout(Random& random, TilingPoint& point, int level) const {
    if (!has_layouts(level)) return false;
    TilingLevel& at = point[level];
    const TilingLevel before = at;
    const std::vector<SharedDimension> dimensions = shared_dimensions(point, level, Cover::as_it_is);
    std::vector<std::vector<AxisExtents>> choices;
    constexpr std::size_t kMost = 64;
    visit_axes(dimensions, spatial_[level].room, [&](const std::vector<AxisExtents>& axes) {
        choices.push_back(axes);
        return choices.size() < kMost;
    });
    if (dimensions.empty() || choices.empty()) return false;
    set_axes(at, dimensions, choices[random.below(choices.size())]);
    const auto loops = static_cast<std::size_t>(2 * dimension_count_);
    for (std::size_t i = loops; i > 1; --i) std::swap(at.spatial_order[i - 1], at.spatial_order[random.below(i)]);
    settle_order(point, level);
    if (covers_all(at, dimensions) && key_of(at, level) != key_of(before, level)) return true;
    at = before;
    return false;
}

// ---------------------------------------------------------------- membership

Mesh Mapspace::room_left(const TilingPoint& point, int level) const {
    Mesh used;
    for (int d = 0; d < dimension_count_; ++d) {
        used.x *= point[level].along_x[d];
        used.y *= point[level].along_y[d];
    }
    return {spatial_[level].room.x / used.x, spatial_[level].room.y / used.y};
}

bool Mapspace::has_layout(const TilingPoint& point, int level) const {
    const TilingLevel& at = point[level];
    const SpatialRule& rule = spatial_[level];
    const Mesh room = room_left(point, level);
    if (room.x < 1 || room.y < 1) return false;
    for (int d = 0; d < dimension_count_; ++d) {
        if (at.along_x[d] > 1 && (rule.may_x >> d & 1U) == 0) return false;
        if (at.along_y[d] > 1 && (rule.may_y >> d & 1U) == 0) return false;
        if (at.lies_on_both_axes(d) && !rule.may_both) return false;
        if (std::int64_t{at.along_x[d]} * at.along_y[d] == at.spatial[d]) continue;
        const bool whole = is_shared_out_whole(point, level, d);
        if (!whole || chain_slot({level, true}, d).imperfect_up_to < at.spatial[d]) return false;
        if (!covers(at.spatial[d], {at.along_x[d], at.along_y[d]}, y_is_inside(at, d))) return false;
    }
    return true;
}

}  // namespace tilewright
