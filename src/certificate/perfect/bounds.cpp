#include "certificate/perfect/bounds.hpp"

#include <algorithm>
#include <bit>

#include "base/numbers/checked.hpp"
#include "base/numbers/factors.hpp"

namespace tilewright::certificate {
namespace {

// Upper bound of a result's distinct words, for any tile.
FirstWords most_first_words(const Charges& charges, int t) {
    if (!charges.tensor(t).written) return {};
    const double words = charges.tensor(t).words(charges.ground().extents);
    return {words, words};
}

// Words of a sweep over one instance's whole part.
double once(const Charges& charges, int t, int level) {
    return charges.tensor(t).distinct_at_least(charges.tile(level, charges.rest()));
}

double inside_pj(const Charges& charges, int t, const Sharing& sharing = {}) {
    Box none;
    none.fill(1.0);
    const int units = charges.level_count();
    return charges.energy_pj(t, units, charges.steps(), charges.first_words(t, units, none), sharing);
}

/// Words of one instance, and their sharing by neighbours.
struct LeastSent {
    double words = 0.0;
    Sharing sharing;
};

LeastSent sent_at_least(const Charges& charges, int t, int level, double words, const Unshared& unshared) {
    LeastSent sent{words, {}};
    const int parent = charges.parent(t, level);
    if (parent < 0) return sent;
    for (int fanout = parent; fanout < level; ++fanout) sent.sharing.groups *= unshared.groups[fanout];
    const double each = unshared.used / charges.senders(t, level) * kRoundedDown;
    if (charges.is_dynamic(t, level))
        sent.sharing.groups = std::max(sent.sharing.groups, each / words);
    else if (level < charges.level_count())
        sent.words = std::max(words, each);
    return sent;
}

// Minimum over all loops along these dimensions: the most sharing.
double least_across(const Charges& charges, int t, int fanout, std::uint32_t dimensions, Box& loops) {
    if (dimensions == 0) return charges.across(t, fanout, loops).groups;
    const int d = std::countr_zero(dimensions);
    double least = kInfinite;
    for (const std::int64_t factor : divisors(static_cast<std::int64_t>(charges.rest()[d]))) {
        loops[d] = static_cast<double>(factor);
        least = std::min(least, least_across(charges, t, fanout, dimensions & (dimensions - 1), loops));
    }
    loops[d] = 1.0;
    return least;
}

std::uint32_t shared_out(const Charges& charges, int fanout, std::uint32_t dimensions) {
    std::uint32_t shared = 0;
    for (; dimensions != 0; dimensions &= dimensions - 1) {
        const int d = std::countr_zero(dimensions);
        if (charges.assignment()[fanout].spatial[d] > 1) shared |= 1U << d;
    }
    return shared;
}

using ByPoint = std::vector<double>;

// Of one tensor with its own tile.
ByPoint delivery_alone_pj(const Charges& charges, TileNumbers& tiles, int t, int level) {
    ByPoint pj(static_cast<std::size_t>(tiles.lattice().size()), kInfinite);
    for (int point = 0; point < tiles.lattice().size(); ++point)
        if (charges.has_room(level, charges.room(t, level, tiles.words(t, level, point))))
            pj[point] = tiles.least_pj(charges, t, level, point);
    return pj;
}

// To all stages before memory `level` for tensor `t`.
void add(const ByPoint& pj, const std::vector<Stage>& stages, int t, int level, std::vector<ByPoint>& bounds) {
    for (std::size_t i = 0; i < stages.size(); ++i)
        if (stages[i].reached[t] > level)
            for (std::size_t point = 0; point < pj.size(); ++point) bounds[i][point] += pj[point];
}

}  // namespace

// Ranks are independent: one rank's groups are found with all others fixed.
Unshared unshared_of(const Charges& charges, int t) {
    Unshared unshared;
    unshared.groups.fill(1.0);
    const Addresses& tensor = charges.tensor(t);
    if (!tensor.overlaps) return unshared;
    unshared.used = used_at_least(tensor, charges.ground().extents);
    if (tensor.shares_dimensions()) return unshared;
    Box loops;
    loops.fill(1.0);
    for (int fanout = 0; fanout < charges.level_count(); ++fanout) {
        if (!charges.spreads_dynamically(t, fanout)) continue;
        const double groups = charges.across(t, fanout, loops).groups;
        const bool is_innermost = fanout + 1 == charges.level_count();  // no loops are inside
        double product = groups;
        for (std::size_t r = 0; r < tensor.ranks.size() && !is_innermost; ++r)
            product *= least_across(charges, t, fanout, shared_out(charges, fanout, tensor.dims[r]), loops) / groups;
        unshared.groups[fanout] = std::max(1.0, product * kRoundedDown);
    }
    return unshared;
}

double every_word_once_pj(const Charges& charges, int t, const Unshared& unshared) {
    const int units = charges.level_count();
    double pj = inside_pj(charges, t, sent_at_least(charges, t, units, charges.steps(), unshared).sharing);
    for (int l = 0; l < units; ++l) {
        if (!charges.delivers(t, l)) continue;
        const LeastSent sent = sent_at_least(charges, t, l, once(charges, t, l), unshared);
        pj += charges.energy_pj(t, l, sent.words, most_first_words(charges, t), sent.sharing);
    }
    return pj;
}

double every_word_once_pj(const Charges& charges, int t) {
    double pj = inside_pj(charges, t);
    for (int l = 0; l < charges.level_count(); ++l)
        if (charges.delivers(t, l)) pj += every_word_once_pj(charges, t, l);
    return pj;
}

double every_word_once_pj(const Charges& charges, int t, int level) {
    return charges.energy_pj(t, level, once(charges, t, level), most_first_words(charges, t));
}

double every_word_once_pj(const Charges& charges) {
    double pj = charges.compute_pj();
    for (int t = 0; t < charges.tensor_count(); ++t) pj += every_word_once_pj(charges, t);
    return pj;
}

double wires_once_pj(const Charges& charges) {
    const int units = charges.level_count();
    double pj = 0.0;
    for (int t = 0; t < charges.tensor_count(); ++t) {
        pj += charges.wire_pj(t, units) * charges.steps();
        for (int l = 0; l < units; ++l)
            if (charges.delivers(t, l)) pj += charges.wire_pj(t, l) * once(charges, t, l);
    }
    return pj;
}

void add_every_word_once(const Charges& charges, int t, const Unshared& unshared, Loads& loads) {
    const FirstWords first = most_first_words(charges, t);
    for (int l = 0; l <= charges.level_count(); ++l) {
        const bool is_unit = l == charges.level_count();
        if (!is_unit && !charges.delivers(t, l)) continue;
        const double words = is_unit ? charges.steps() : once(charges, t, l);
        const LeastSent sent = sent_at_least(charges, t, l, words, unshared);
        charges.add_loads(t, l, sent.words, first, sent.sharing, loads);
    }
}

void add_every_word_once(const Charges& charges, int t, Loads& loads) {
    const int units = charges.level_count();
    for (int l = 0; l < units; ++l)
        if (charges.delivers(t, l)) add_every_word_once(charges, t, l, loads);
    charges.add_loads(t, units, charges.steps(), most_first_words(charges, t), {}, loads);
}

void add_every_word_once(const Charges& charges, int t, int level, Loads& loads) {
    charges.add_loads(t, level, once(charges, t, level), most_first_words(charges, t), {}, loads);
}

double cycles_of(const Charges& charges, const Loads& loads) {
    double cycles = charges.compute_cycles();
    for (int l = 0; l < charges.level_count(); ++l) cycles = std::max(cycles, charges.cycles_for(l, loads));
    return cycles;
}

double every_word_once_cycles(const Charges& charges) {
    Loads loads{};
    for (int t = 0; t < charges.tensor_count(); ++t) add_every_word_once(charges, t, loads);
    return cycles_of(charges, loads);
}

std::optional<Completion> completion_pj(const Charges& charges, TileNumbers& tiles, Storage storage,
                                        const std::function<bool(double pj)>& out_of_reach) {
    Completion completion;
    const auto list_stages = [&] {
        completion.stages = stages_of(charges, storage);
        completion.pj.assign(completion.stages.size(), ByPoint(static_cast<std::size_t>(tiles.lattice().size()), 0.0));
    };
    if (storage == Storage::even) {
        const auto chained = chained_pj(charges, tiles, out_of_reach);
        if (!chained) return std::nullopt;
        list_stages();
        for (std::size_t i = 0; i < completion.stages.size(); ++i)
            if (const int reached = completion.stages[i].reached.front(); reached > 0)
                completion.pj[i] = (*chained)[static_cast<std::size_t>(reached) - 1];
        return completion;
    }
    list_stages();
    for (int l = 0; l < charges.level_count(); ++l)
        for (int t = 0; t < charges.tensor_count(); ++t) {
            if (!charges.delivers(t, l)) continue;
            ByPoint pj = delivery_alone_pj(charges, tiles, t, l);
            tiles.lattice().look_outwards((1U << charges.dimension_count()) - 1U, pj);
            add(pj, completion.stages, t, l, completion.pj);
        }
    if (out_of_reach(tiles.inside_pj(charges) + completion.pj.front().front())) return std::nullopt;
    return completion;
}

}  // namespace tilewright::certificate
