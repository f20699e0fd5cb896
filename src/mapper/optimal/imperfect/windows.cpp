// Tiles moved on by outer loops: words kept by all instances, idle ones, and those at another node.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "mapper/optimal/geometry/first_words.hpp"
#include "mapper/optimal/imperfect/delivery.hpp"

namespace tilewright::optimal {
namespace {

// Shares of instances are fractions; whole words stay whole, as vectors are rounded up.
double subtract(double words, double saved) {
    const double left = words - saved;
    const double whole = std::round(left);
    return std::max(0.0, std::abs(left - whole) <= 1e-12 * words ? whole : left);
}

}  // namespace

ImperfectDelivery::Pending ImperfectDelivery::begin(const Label& label, int tensor, int boundary, const Position& at,
                                                    const Position& after, int dimension, double factor) const {
    Pending pending;
    pending.tensor = static_cast<std::int8_t>(tensor);
    pending.level = static_cast<std::int8_t>(boundary);
    pending.flow = whole_flow(label, tensor, boundary, at, pending.distinct);
    const lean::TensorForm& form = setup_.tensors[tensor];
    const bool resumes = factor == 2.0 && idle(dimension, boundary, at) > 0.0;
    pending.repacks = repacks(label, tensor, boundary, resumes);
    if (pending.repacks && !repacks(label, tensor, boundary, false))
        allow_for_more(label, pending.flow, tensor, boundary, at);
    if (form.plain) {
        pending.tile.words = lean::words_in(form, held(boundary, at));
        pending.settled = true;
    } else {
        set_off(pending, at, dimension, factor);
        save(label, pending, at, after, {pending.tile.kept, pending.tile.kept});
        allow_for_moves(label, pending, at);
    }
    if (resumes && pending.settled) idle_through(pending, dimension, at, after);
    return pending;
}

// Share of the instances below the boundary idle in the last step of a loop placed here.
double ImperfectDelivery::stray_share(int dimension, int boundary, const Position& at) const {
    double all = 1.0;
    for (int l = at.crossed; l < boundary; ++l) all *= charges_.spread(l, dimension);
    return idle(dimension, boundary, at) / all;
}

void ImperfectDelivery::set_off(Pending& window, const Position& at, int dimension, double factor) const {
    const lean::TensorForm& form = setup_.tensors[window.tensor];
    const Extents tile = held(window.level, at);
    window.shorter = false;
    for (int d = 0; d < charges_.dimension_count(); ++d)
        if (charges_.is_relevant(window.tensor, d) && std::fmod(setup_.extents[d], tile[d]) != 0.0)
            window.shorter = true;
    const double shift = form.key[dimension] * at.tile[dimension];
    window.tile = {rank_of(form, dimension), shift, 0.0, lean::words_in(form, tile),
                   kept_words(form, tile, dimension, at.tile[dimension])};
    window.tile.run(shift, factor);
    window.dimension = static_cast<std::int8_t>(dimension);
    window.settled = settles_early(form) && std::popcount(window.tile.along) == 1;
    double width = 1.0;
    for (const lean::Term& term : form.terms)
        if (window.tile.slides_along(term.dimension)) width += term.reach * (tile[term.dimension] - 1.0);
    window.travel = Travel(width);
    travel_on(window, at, dimension, factor);
}

void ImperfectDelivery::travel_on(Pending& window, const Position& at, int dimension, double factor) const {
    window.travel.add(dimension, rank_shift(window, dimension, at), factor, idle(dimension, window.level, at),
                      stray_share(dimension, window.level, at));
}

// Upper bound of the words kept at each advance of a loop.
void ImperfectDelivery::save(const Label& label, Pending& window, const Position& at, const Position& after,
                             const Saving& saving) const {
    for (const bool shared : {false, true}) {
        const double advances = actives(window.tensor, window.level, shared, at, ~0U) -
                                actives(window.tensor, window.level, shared, after, ~0U);
        Range& words = shared ? window.flow.words : window.flow.delivered;
        words.lo = subtract(words.lo, advances * saving.on_average);
        if (window.is_steady()) words.hi -= advances * saving.on_average;
    }
    save_wires(label, window, at, after, saving);
}

// A move without overlap sends whole tiles, but to instances idle in the second of two steps the next loop is the
// first.
void ImperfectDelivery::idle_through(Pending& window, int dimension, const Position& at, const Position& after) const {
    window.share = std::min(window.share, stray_share(dimension, window.level, at));
    window.idled |= 1U << dimension;
    window.settled = false;
    window.settled = still_to_save(window, after).most == 0.0;
}

void ImperfectDelivery::resume(const Label& label, Pending& window, const Position& at, const Position& after,
                               int dimension, double factor) const {
    if ((window.idled >> dimension & 1U) != 0) {  // more than two steps
        window.settled = true;
        return;
    }
    const bool plain = setup_.tensors[window.tensor].plain;
    const bool moves = charges_.is_relevant(window.tensor, dimension);
    const double kept = plain && moves ? 0.0 : window.tile.words * kept_across(window, at, dimension);
    const double jumps = plain ? 0.0 : may_jump(label, window, dimension);
    double steps = std::numeric_limits<double>::infinity();  // idle in the last of them
    for (std::uint32_t left = window.idled; left != 0; left &= left - 1)
        steps = std::min(steps, at.chunks[std::countr_zero(left)]);
    const double share = window.share / steps;
    const double saved = share * kept + std::min(share, jumps) * (window.tile.words - kept);
    save(label, window, at, after, {saved, jumps > 0.0 ? window.tile.words : kept});
    if (moves && plain) {
        window.settled = true;
    } else if (moves) {
        const Pending before = window;
        set_off(window, at, dimension, factor);
        window.tile.kept *= before.tile.words / window.tile.words;  // of the tile before any move
        window.tile.words = before.tile.words;
        window.shorter = before.shorter;
        if (!window.settled) window.idled = 0;
    } else {
        window.settled = still_to_save(window, after).most == 0.0;
    }
    if (moves && window.settled && factor == 2.0 && idle(dimension, window.level, at) > 0.0)
        idle_through(window, dimension, at, after);
}

// Words of a tile kept as a loop of `dimension` moves on by `along`, or (-1) a loop of another rank; instances without
// missed steps keep `regular`.
ImperfectDelivery::Saving ImperfectDelivery::kept(const Pending& window, const Travel::Kept& late, double along,
                                                  double regular) const {
    const double whole = window.share * window.tile.words;
    if (!settles_early(setup_.tensors[window.tensor])) return {whole, window.tile.words};
    // Different tile sizes give different directions.
    const double others =
        window.shorter ? std::max(regular, window.tile.words * window.travel.kept_by_others(along)) : regular;
    const double average = late.others * others + window.tile.words * late.on_average;
    return {std::min(whole, average), std::max(window.tile.words * late.most, others)};
}

Travel::Pairs ImperfectDelivery::pairs_of(const Pending& window, const Position& at) const {
    Travel::Pairs pairs;
    pairs.fill(1.0);
    for (std::uint32_t left = window.travel.late(); left != 0; left &= left - 1) {
        const int d = std::countr_zero(left);
        pairs[d] = charges_.active(d, at, window.level - 1, window.level);
    }
    return pairs;
}

// Share of a tile kept when a loop of `dimension` advances, along ranks not moved before.
double ImperfectDelivery::kept_across(const Pending& window, const Position& at, int dimension) const {
    const lean::TensorForm& form = setup_.tensors[window.tensor];
    if (!charges_.is_relevant(window.tensor, dimension) || form.tangled) return 1.0;
    if ((charges_.moves_alone(window.tensor) >> dimension & 1U) != 0) return 0.0;
    for (std::uint32_t rank = rank_of(form, dimension); rank != 0; rank &= rank - 1)
        if (at.since[std::countr_zero(rank)] < window.level) return 1.0;
    const Extents tile = held(window.level, at);
    return kept_words(form, tile, dimension, at.tile[dimension]) / lean::words_in(form, tile);
}

// Shift of the tile's start along the first moved rank by a loop of `dimension`.
double ImperfectDelivery::rank_shift(const Pending& window, int dimension, const Position& at) const {
    if (!window.tile.slides_along(dimension)) return 0.0;
    double shift = 0.0;
    for (const lean::Term& term : setup_.tensors[window.tensor].terms)
        if (term.dimension == dimension) shift += term.reach * at.tile[dimension];
    return shift;
}

// The next loop outwards. Rules: docs/model.md, "Perfect nests".
void ImperfectDelivery::slide(const Label& label, Pending& window, const Position& at, const Position& after,
                              int dimension, double factor) const {
    if (window.settled || window.is_chain) return;
    if (window.idled != 0) {
        resume(label, window, at, after, dimension, factor);
        return;
    }
    const lean::TensorForm& form = setup_.tensors[window.tensor];
    const double shift = form.key[dimension] * at.tile[dimension];
    const double saved = window.tile.saved(shift);
    const double along = rank_shift(window, dimension, at);
    Saving saving{window.share * saved, saved};
    const bool alike = window.travel.is_steady() && !window.shorter;
    if (!alike) {
        Travel::Kept late = window.travel.kept_by_late(dimension, along, pairs_of(window, at), window.share);
        const double across = kept_across(window, at, dimension);
        late.on_average *= across;
        late.most *= across;
        saving = kept(window, late, along, saved);
    }
    if (const double jumps = may_jump(label, window, dimension); jumps > 0.0) {
        // Instances taking others' places may be late ones with fewer words kept.
        saving.on_average += std::min(window.share, jumps) * (window.tile.words - (alike ? saved : 0.0));
        saving.on_average = std::min(saving.on_average, window.share * window.tile.words);
        saving.most = window.tile.words;
    }
    save(label, window, at, after, saving);
    window.tile.run(shift, factor);
    if (shift != 0.0) travel_on(window, at, dimension, factor);
    window.mixed = window.mixed || (along != 0.0 && dimension != window.dimension);
    // An instance that has moved less than others may still slide on.
    window.settled =
        window.moves_together() && shift != 0.0 && settles_early(form) && !window.tile.slides_along(dimension);
    window.settled = window.settled || still_to_save(window, after).most == 0.0;
}

}  // namespace tilewright::optimal
