// Wire energy just outside a boundary, with spatial remainders.
#include <algorithm>
#include <bit>

#include "mapper/optimal/imperfect/delivery.hpp"

namespace tilewright::optimal {

// Turns of one dimension's loop of the block in one kind of steps. All steps but the very last have a full block and
// full tiles; so have all steps of a dimension with an inner loop, as its first step sends the words.
ImperfectDelivery::Turns ImperfectDelivery::turns(int tensor, int boundary, const Position& at, const Extents& tile,
                                                  int dimension) const {
    const int level = boundary - 1;
    const auto extent = static_cast<std::int32_t>(charges_.spread(level, dimension));
    const double steps = charges_.active(dimension, at, level - 1, boundary);
    const double full = tile[dimension];
    Turns turns;
    if (at.since[dimension] < boundary) {
        turns.push({steps, {extent, 0, extent}, full});
        return turns;
    }
    const std::int32_t trips = charges_.last_trips(dimension, at, level);
    const bool moves = charges_.is_relevant(tensor, dimension);
    const double chunks = fast_ceil(setup_.extents[dimension] / full);
    const double rest = moves ? setup_.extents[dimension] - full * (chunks - 1.0) : full;
    if (trips == extent && rest == full) {
        turns.push({steps, {extent, 0, extent}, full});
        return turns;
    }
    if (steps > 1.0) turns.push({steps - 1.0, {extent, 0, extent}, full});
    if (rest == full) {
        turns.push({1.0, {trips, 0, trips}, full});
        return turns;
    }
    if (trips > 1) turns.push({1.0, {trips, 0, trips - 1}, full});
    turns.push({1.0, {trips, trips - 1, trips}, rest});
    return turns;
}

// Hops of all words if every step sent its whole tile; or, not `whole`, of one word to every neighbour and step.
double ImperfectDelivery::hops(const Label& label, int tensor, int boundary, const Position& at, bool whole) const {
    const int level = boundary - 1;
    const ImperfectWires& wires = charges_.wires();
    const lean::TensorForm& form = setup_.tensors[tensor];
    Extents tile = held(boundary, at);
    double times = 1.0;
    std::array<Turns, kMaxDimensions> all;
    for (int d = 0; d < charges_.dimension_count(); ++d) {
        if ((wires.block(level) >> d & 1U) != 0) {
            all[d] = turns(tensor, boundary, at, tile, d);
        } else {
            const double steps = charges_.active(d, at, level, boundary);
            times *= steps;
            if (charges_.is_relevant(tensor, d) && !form.tangled) tile[d] = setup_.extents[d] / steps;  // on average
        }
    }
    double hops = 0.0;
    ImperfectWires::ByDimension indices;
    const auto add = [&](auto&& self, std::uint32_t left, double factor) -> void {
        if (left == 0) {
            const double words = whole ? lean::words_in(form, tile) : 1.0;
            hops += factor * words * wires.hops(tensor, level, label.imperfect[level], indices);
            return;
        }
        const int d = std::countr_zero(left);
        for (int i = 0; i < all[d].count; ++i) {
            const Turn& turn = all[d].items[i];
            indices[d] = turn.indices;
            tile[d] = turn.tile;
            self(self, left & (left - 1), factor * turn.times);
        }
    };
    add(add, wires.block(level), times);
    return hops;
}

Range ImperfectDelivery::whole_wires(const Label& label, int tensor, int boundary, const Position& at) const {
    if (!pays_wires(tensor, boundary)) return {};
    const double most = wire_pj(label, tensor, boundary, at, true);
    if (setup_.tensors[tensor].tangled) return {0.0, most};
    return {most / charges_.most_sharing(tensor, boundary - 1), most};
}

// All neighbours below the fan-out work in every step on spread tiles of one size: requests are equal up to place.
bool ImperfectDelivery::asks_evenly(const Label& label, int fanout) const {
    const auto leaves = [&](int l) { return l < crossed_ ? charges_.may_leave(l) : label.imperfect[l]; };
    std::uint32_t inside = 0;
    for (int l = fanout + 1; l < charges_.level_count(); ++l) inside |= leaves(l);
    return leaves(fanout) == 0 && (inside & charges_.wires().block(fanout)) == 0;
}

// Requests of a boundary not keeping the tensor, on their way to inner memories (docs/model.md, rule 6). Joint
// requesters may vary by step: at least the nearest one, at most all.
Range ImperfectDelivery::passing_wires(int tensor, int boundary, const Range& asked, const Label& label) const {
    const ImperfectWires& wires = charges_.wires();
    const int level = boundary - 1;
    if (!wires.cost(level)) return {};
    const double hop_pj = wires.hop_pj(tensor, level);
    if (asks_evenly(label, level)) {
        const double word_pj = wires.even_hops(tensor, level) * hop_pj;
        return {asked.lo * word_pj, asked.hi * word_pj};
    }
    return {asked.lo * wires.nearest_hops(level) * hop_pj, asked.hi * wires.most_hops(level) * hop_pj};
}

double ImperfectDelivery::wire_pj(const Label& label, int tensor, int boundary, const Position& at, bool whole) const {
    if (!pays_wires(tensor, boundary)) return 0.0;
    return hops(label, tensor, boundary, at, whole) * charges_.wires().hop_pj(tensor, boundary - 1);
}

// An outer loop saves these words at every advance, possibly at distant instances. One of the neighbours sharing a word
// may still have it: it is sent, over a shorter way. So instances count, not groups.
void ImperfectDelivery::save_wires(const Label& label, Pending& window, const Position& at, const Position& after,
                                   const Saving& saving) const {
    const ImperfectWires& of = charges_.wires();
    const int level = window.level - 1;
    if (!pays_wires(window.tensor, window.level) || saving.most == 0.0) return;
    const double advances =
        actives(window.tensor, window.level, false, at, ~0U) - actives(window.tensor, window.level, false, after, ~0U);
    const double furthest_pj = of.most_hops(level) * of.hop_pj(window.tensor, level);
    const double advances_pj = wire_pj(label, window.tensor, window.level, at, false) -
                               wire_pj(label, window.tensor, window.level, after, false);
    Range& wires = window.flow.wire_pj;
    wires.lo -= std::min(advances_pj * saving.most, advances * saving.on_average * furthest_pj);
    wires.lo = std::max(0.0, wires.lo);
    if (window.is_steady()) wires.hi -= advances_pj * saving.most;
}

}  // namespace tilewright::optimal
