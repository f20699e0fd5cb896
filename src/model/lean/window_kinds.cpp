#include "model/lean/window_kinds.hpp"

#include <cmath>

namespace tilewright::lean {

bool InstanceKinds::add_dimension(int d) {
    dimensions_[count_] = d;
    variant_count_[count_] = 0;
    Growing growing;
    growing.same = !at_.is_relevant(d) || at_.nest.full[at_.child][d] == at_.nest.last[at_.child][d];
    growing.active = true;
    growing.walked = 0;
    grow(growing, d, at_.nest.from[at_.child][d]);
    ++count_;
    return !failed_;
}

void InstanceKinds::grow(Growing growing, int d, int j) {
    for (; j < at_.nest.loop_count; j = at_.nest.loops[j].next) {
        const ImperfectLoop& loop = at_.nest.loops[j];
        if (loop.spatial) return spread(growing, d, loop);
        temporal(growing, loop, j);
    }
    finish(growing);
}

void InstanceKinds::temporal(Growing& growing, const ImperfectLoop& loop, int j) const {
    if (j < at_.innermost) {
        if (loop.remainder > 1.0) growing.same = growing.active = true;
        return;
    }
    const int k = at_.walk_index(j);
    mark(growing, k);
    const std::int32_t trips = static_cast<std::int32_t>(loop.remainder) - (growing.active ? 0 : 1);
    const bool ends_last = growing.active && !growing.same;
    growing.variant.trips[k] = trips;
    growing.variant.ends_last |= static_cast<std::uint32_t>(ends_last) << k;
    growing.active = trips > 0;
    growing.same = !ends_last && static_cast<double>(trips) == loop.extent;
    growing.walked = k + 1;
}

// The state holds inside walk loops up to and with k.
void InstanceKinds::mark(Growing& growing, int k) {
    for (; growing.walked <= k; ++growing.walked)
        growing.variant.differs |= static_cast<std::uint32_t>(!growing.same) << growing.walked;
}

void InstanceKinds::spread(const Growing& growing, int d, const ImperfectLoop& loop) {
    const bool stands = loop.level >= at_.level && !at_.is_relevant(d);  // index 0 represents all
    const bool merge = growing.same && growing.active;
    const double before = loop.remainder - (merge ? 0.0 : 1.0);
    const double idle = loop.extent - loop.remainder;
    const int end = at_.walk_index(static_cast<int>(&loop - at_.nest.loops.data()));
    Growing base = growing;
    if (end > 0) mark(base, end - 1);
    const auto branch = [&](double count, bool has_first, bool same, bool active) {
        if (count == 0.0) return;
        Growing next = base;
        next.variant.delivered *= count;
        next.variant.groups *= stands ? (has_first ? 1.0 : 0.0) : count;
        next.same = same;
        next.active = active;
        grow(next, d, loop.next);
    };
    branch(before, true, true, true);
    if (!merge) branch(1.0, loop.remainder == 1.0, growing.same, growing.active);
    branch(idle, false, false, false);
    if (stands && idle > 0.0)
        for (int k = 0; k < at_.loop_count; ++k)
            if (at_.loops[k].dimension == d) at_.loops[k].must_settle = true;
}

void InstanceKinds::finish(Growing& growing) {
    if (!growing.active) return;
    mark(growing, at_.loop_count);
    int& count = variant_count_[count_];
    const int d = dimensions_[count_];
    for (int v = 0; v < count; ++v) {
        Variant& known = variants_[count_][v];
        if (!alike(known, growing.variant, d)) continue;
        known.delivered += growing.variant.delivered;
        known.groups += growing.variant.groups;
        return;
    }
    if (count == kMaxVariants) {
        failed_ = true;
        return;
    }
    variants_[count_][count++] = growing.variant;
}

bool InstanceKinds::alike(const Variant& a, const Variant& b, int d) const {
    if (a.differs != b.differs || a.ends_last != b.ends_last) return false;
    for (int k = 0; k < at_.loop_count; ++k)
        if (at_.loops[k].dimension == d && a.trips[k] != b.trips[k]) return false;
    return true;
}

WindowNest::WindowNest(const Setup& problem, const ImperfectNest& loop_nest, int memory, int asking, int number)
    : setup(problem),
      nest(loop_nest),
      level(memory),
      child(asking),
      form(problem.tensors[number]),
      tensor(problem.einsum.tensors[number]) {}

void WindowNest::choose_ranks() {
    rank_of.fill(-1);
    std::int64_t next_unit = 1;
    for (const Rank& one : tensor.ranks) {
        bool changes = false;
        double width = 1.0;
        double whole = 1.0;
        for (const tilewright::Term& term : one.terms) {
            const double reach = std::abs(static_cast<double>(term.coefficient));
            changes = changes || (nest.looped[child] >> term.dimension & 1U) != 0;
            width += reach * (nest.last[child][term.dimension] - 1.0);
            whole += reach * setup.extents[term.dimension];
        }
        if (!changes) {
            unchanging_words *= width;
            continue;
        }
        for (const tilewright::Term& term : one.terms) {
            rank_of[term.dimension] = ranks;
            coefficient[term.dimension] = term.coefficient;
        }
        rank[ranks] = &one;
        unit[ranks++] = next_unit;
        next_unit *= 8 * static_cast<std::int64_t>(whole);
    }
}

// Loops inside the innermost moving one only decide whether there is work.
bool WindowNest::choose_loops() {
    innermost = nest.outside[child];
    while (innermost < nest.loop_count &&
           (nest.loops[innermost].spatial || !is_relevant(nest.loops[innermost].dimension)))
        ++innermost;
    for (int j = innermost; j < nest.loop_count; ++j) {
        const ImperfectLoop& loop = nest.loops[j];
        if (loop.spatial) continue;
        if (loop_count == kMaxWalkLoops - 1) return false;
        const int moved = rank_of[loop.dimension];
        const std::int64_t step = static_cast<std::int64_t>(loop.step);
        loops[loop_count++] = {loop.dimension, moved, moved < 0 ? 0 : coefficient[loop.dimension] * step,
                               static_cast<std::int64_t>(loop.extent), false};
    }
    return true;
}

int WindowNest::walk_index(int j) const {
    int index = 0;
    for (int i = innermost; i < j; ++i) index += nest.loops[i].spatial ? 0 : 1;
    return index;
}

}  // namespace tilewright::lean
