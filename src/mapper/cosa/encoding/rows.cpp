#include "mapper/cosa/encoding/encoding.hpp"

#include <algorithm>
#include <cmath>

namespace tilewright::cosa {
namespace {

using mip::Expression;

int place_of(const Layout& layout, int memory, LoopKind kind) {
    const std::vector<LoopSlot>& places = layout.places();
    for (std::size_t p = 0; p < places.size(); ++p)
        if (places[p].memory == memory && places[p].kind == kind) return static_cast<int>(p);
    return -1;
}

// As published, a dimension lies along one axis of a fan-out.
void choose_axes(const Encoding& encoding, int on_x, int on_y) {
    const Layout& layout = encoding.layout();
    for (int d = 0; d < layout.einsum().dimension_count(); ++d) {
        if (!layout.mapspace().may_run(layout.places()[on_x].memory, d, false) ||
            !layout.mapspace().may_run(layout.places()[on_x].memory, d, true))
            continue;
        int axis = -1;
        for (int g = 0; g < static_cast<int>(layout.groups().size()); ++g) {
            const FactorGroup& group = layout.groups()[g];
            if (group.dimension != d || (!layout.may_go(g, on_x) && !layout.may_go(g, on_y))) continue;
            if (axis < 0) axis = encoding.problem().add_binary();
            const Expression y = Expression::of(axis, group.count);
            encoding.problem().add_at_most(encoding.count(g, on_y), y);
            encoding.problem().add_at_most(encoding.count(g, on_x) + y, Expression(group.count));
        }
    }
}

void bound_factor(const Encoding& encoding, const Slot& slot, int d) {
    const FactorBounds bounds = encoding.layout().mapspace().factor_bounds(slot, d);
    const std::int64_t whole = encoding.layout().extents()[d];
    if (bounds.at_least <= 1 && bounds.at_most >= whole) return;
    const Expression factor = encoding.log_of(d, [&](int p) {
        const LoopSlot& place = encoding.layout().places()[p];
        return place.memory == slot.level && place.is_spatial() == slot.spatial;
    });
    const double most = static_cast<double>(std::min(bounds.at_most, whole));
    const double least = static_cast<double>(bounds.at_least);
    encoding.problem().add_row(factor, std::log2(least) - (log_room(least) - std::log2(least)), log_room(most));
}

}  // namespace

double log_room(double room) { return std::log2(room) + std::min(1e-7, std::log2(1.0 + 0.4 / room)); }

void add_fanouts(const Encoding& encoding) {
    const Layout& layout = encoding.layout();
    for (int m = 0; m < layout.architecture().memory_count(); ++m) {
        const Mesh fanout = layout.architecture().fanout(m);
        const int on_x = place_of(layout, m, LoopKind::spatial_x);
        const int on_y = place_of(layout, m, LoopKind::spatial_y);
        if (on_x >= 0)
            encoding.problem().add_row(encoding.log_of(-1, [on_x](int p) { return p == on_x; }), -mip::kInfinity,
                                       log_room(static_cast<double>(fanout.x)));
        if (on_y >= 0)
            encoding.problem().add_row(encoding.log_of(-1, [on_y](int p) { return p == on_y; }), -mip::kInfinity,
                                       log_room(static_cast<double>(fanout.y)));
        if (on_x >= 0 && on_y >= 0) choose_axes(encoding, on_x, on_y);
    }
}

void add_constraints(const Encoding& encoding) {
    const Layout& layout = encoding.layout();
    for (const Slot& slot : layout.mapspace().slots())
        for (int d = 0; d < layout.einsum().dimension_count(); ++d) bound_factor(encoding, slot, d);
    if (layout.mapspace().least_units() > 1.0)
        encoding.problem().add_row(encoding.log_of(-1, [&](int p) { return layout.places()[p].is_spatial(); }),
                                   std::log2(layout.mapspace().least_units()) - 1e-9, mip::kInfinity);
}

}  // namespace tilewright::cosa
