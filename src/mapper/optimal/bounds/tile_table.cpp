#include "mapper/optimal/bounds/tile_table.hpp"

#include <algorithm>
#include <bit>

#include "base/numbers/checked.hpp"
#include "mapper/optimal/geometry/sweep.hpp"

namespace tilewright::optimal {
namespace {

constexpr std::int8_t kStill = -1;

}  // namespace

TileTable::TileTable(const Mapspace& mapspace, const Charges& charges, const Lattice& lattice)
    : charges_(charges), lattice_(lattice) {
    const auto has_loops = [&](int level) {
        for (int d = 0; d < charges.dimension_count(); ++d)
            if (mapspace.temporal_bounds(level, d).at_most > 1 && charges.rest()[d] > 1.0) return true;
        return charges.setup().levels[level].stores;
    };
    for (int l = 1; l <= charges.level_count(); ++l) around_[l] = l == 1 || has_loops(l - 1) ? l - 1 : around_[l - 1];
    for (int t = 0; t < charges.tensor_count(); ++t) {
        number_tiles(t);
        all_words_[t] = lean::words_in(charges.setup().tensors[t], charges.setup().extents);
        if (!charges.setup().tensors[t].plain)
            distinct_[t] = distinct_at_least(charges.setup().tensors[t], charges.setup().extents);
    }
}

void TileTable::number_tiles(int tensor) {
    const lean::TensorForm& form = charges_.setup().tensors[tensor];
    const bool as_one = form.plain || form.tangled;  // one number for all moving ranks, even none
    ranks_[tensor].fill(kStill);
    double positions = 1.0;
    for (std::size_t rank = 0; rank < form.rank_ends.size(); ++rank) {
        for (const lean::Term& term : rank_terms(form, rank)) {
            if (ranks_[tensor][term.dimension] == kStill) positions *= charges_.rest()[term.dimension];
            ranks_[tensor][term.dimension] = static_cast<std::int8_t>(as_one ? 0 : rank_counts_[tensor]);
        }
        if (!as_one && !rank_terms(form, rank).empty()) ++rank_counts_[tensor];
    }
    if (as_one) rank_counts_[tensor] = 1;
    positions_[tensor].assign(1, positions);
    std::vector<std::int32_t>& indices = indices_[tensor];
    std::vector<std::int32_t>& samples = samples_[tensor];
    indices.resize(static_cast<std::size_t>(lattice_.size()), 0);
    samples.assign(1, 0);
    for (const Axis& axis : lattice_.axes()) {  // the points below this axis's stride are there
        const bool moves = ranks_[tensor][axis.dimension] != kStill;
        const auto tiles = static_cast<std::int32_t>(samples.size());
        for (int point = axis.stride; point < axis.stride * (axis.most + 1); ++point)
            indices[point] = indices[static_cast<std::size_t>(point - axis.stride)] + (moves ? tiles : 0);
        for (std::int32_t inside = 0; moves && inside < tiles * axis.most; ++inside) {
            samples.push_back(samples[inside] + axis.stride);
            positions_[tensor].push_back(positions_[tensor][inside] / axis.prime);
        }
    }
}

Extents TileTable::tile(int tensor, int level, std::size_t index) const {
    Extents tile = charges_.inner(level);
    const Extents& loops = lattice_.loops(samples_[tensor][index]);
    for (int d = 0; d < charges_.dimension_count(); ++d) tile[d] *= loops[d];
    return tile;
}

void TileTable::measure_words(int tensor, int level, std::size_t index) const {
    std::vector<double>& words = sizes_[tensor][level].words;
    if (words.empty()) words.resize(samples_[tensor].size(), -1.0);
    words[index] = lean::words_in(charges_.setup().tensors[tensor], tile(tensor, level, index));
}

TileTable::Sent TileTable::sent_at(int tensor, int level, std::size_t index) const {
    std::vector<double>& all = sizes_[tensor][level].sent;
    const auto count = static_cast<std::size_t>(rank_counts_[tensor]) + 1;
    if (all.empty()) all.resize(samples_[tensor].size() * count, -1.0);
    const std::span<double> sent = std::span(all).subspan(index * count, count);
    if (sent.front() < 0.0) measure(tensor, level, index, sent);
    return {sent.front(), sent.subspan(1)};
}

double TileTable::asked_pj(int level, int point) const {
    const int units = charges_.level_count();
    const bool within = level + 1 < units && around_[level + 1] < level;  // fan-outs handled at the next level
    double energy = 0.0;
    if (within) return energy;
    for (int t = 0; t < charges_.tensor_count() && level > 0; ++t) {
        const Delivery& delivery = charges_.delivery(t, units);
        if (delivery.parent >= level || !shares_by_tile(t, level)) continue;
        const double distinct = this->distinct(t, level, point);
        const FirstWords first{distinct, distinct * delivery.relevant};
        const double groups = groups_at(t, level, index(t, point));
        energy += charges_.energy_pj(t, units, charges_.steps(), first, groups) -
                  charges_.energy_pj(t, units, charges_.steps(), first, 1.0);
    }
    return energy;
}

bool TileTable::shares_by_tile(int tensor, int level) const {
    for (int l = level - 1; l >= around_[level]; --l)
        if (charges_.is_dynamic(tensor, l)) return true;
    return false;
}

// Sharing across fan-outs further out depends on the loops between: groups_outside().
double TileTable::groups_at(int tensor, int level, std::size_t index) const {
    if (level == 0 || !shares_by_tile(tensor, level)) return 1.0;
    std::vector<double>& groups = sizes_[tensor][level].groups;
    if (groups.empty()) groups.resize(samples_[tensor].size(), -1.0);
    if (groups[index] >= 0.0) return groups[index];
    Extents tile = this->tile(tensor, level, index);
    double product = 1.0;
    for (int l = level - 1; l >= around_[level]; --l) {
        if (charges_.is_dynamic(tensor, l)) product *= charges_.groups(tensor, l, tile);
        for (int d = 0; d < charges_.dimension_count(); ++d) tile[d] *= charges_.assignment()[l].spatial[d];
    }
    return groups[index] = product;
}

// Across the fan-outs further out, up to the next keeping memory, for any loops between.
double TileTable::groups_outside(int tensor, int level, int point) const {
    const int parent = charges_.delivery(tensor, level).parent;
    double groups = 1.0;
    for (int l = around_[level]; l > parent; l = around_[l])
        if (shares_by_tile(tensor, l)) groups *= least_groups_at(tensor, l, point);
    return groups;
}

// Larger tiles mostly share less, but their moves may coincide.
double TileTable::least_groups_at(int tensor, int level, int point) const {
    std::vector<double>& least = sizes_[tensor][level].least_groups;
    if (least.empty()) {
        least.resize(static_cast<std::size_t>(lattice_.size()));
        for (int at = 0; at < lattice_.size(); ++at) least[at] = groups_at(tensor, level, index(tensor, at));
        lattice_.take_least(~0U, least);
    }
    return least[point];
}

void TileTable::measure(int tensor, int level, std::size_t index, std::span<double> sent) const {
    const lean::TensorForm& form = charges_.setup().tensors[tensor];
    if (!form.plain && !form.tangled) {
        measure_windows(tensor, level, index, sent);
        return;
    }
    const double words = words_at(tensor, level, index);
    sent[0] = form.tangled ? words : words * positions_[tensor][index];
    sent[1] = words;
}

// Windows slide along one rank only: the first to move.
void TileTable::measure_windows(int tensor, int level, std::size_t index, std::span<double> sent) const {
    const lean::TensorForm& form = charges_.setup().tensors[tensor];
    const Extents tile = this->tile(tensor, level, index);
    const double words = words_at(tensor, level, index);
    double least = kInfinite;
    auto next = sent.begin() + 1;
    for (std::size_t rank = 0; rank < form.rank_ends.size(); ++rank) {
        const auto terms = rank_terms(form, rank);
        if (terms.empty()) continue;
        double width = 1.0;
        double advances = 1.0;
        for (const lean::Term& term : terms) {
            const int d = term.dimension;
            width += term.reach * (tile[d] - 1.0);
            advances *= charges_.inner(level)[d] * charges_.rest()[d] / tile[d];
        }
        *next = words / width * swept_words(charges_, level, terms, tile) / advances * kRoundedDown;
        least = std::min(least, *next++);
    }
    sent[0] = least * positions_[tensor][index];
}

double TileTable::distinct(int tensor, int level, int point) const {
    const lean::TensorForm& form = charges_.setup().tensors[tensor];
    if (!form.written) return 0.0;
    if (!form.plain) return all_words_[tensor];
    const std::size_t at = index(tensor, point);
    return positions_[tensor][at] * words_at(tensor, level, at);
}

bool TileTable::fits(int level, TensorSet tensors, int point) const {
    const lean::LevelForm& form = charges_.setup().levels[level];
    double room = 0.0;
    for (std::uint32_t left = tensors.bits(); left != 0; left &= left - 1) {
        const int t = std::countr_zero(left);
        room += form.room(t, words(t, level, point));
    }
    return room <= form.capacity;
}

bool TileTable::allows(int level, TensorSet tensors, int point) const {
    const lean::LevelForm& form = charges_.setup().levels[level];
    if (form.tile_bounds.empty()) return true;
    Extents tile = charges_.inner(level);
    for (int d = 0; d < charges_.dimension_count(); ++d) tile[d] *= lattice_.loops(point)[d];
    return form.allows(tensors.bits(), tile);
}

void TileTable::keep_fitting(int level, TensorSet tensors, PointSet& points) const {
    const PointSet none(lattice_.size());
    Fitting& known = fitting_.try_emplace({level, tensors.bits()}, Fitting{none, none}).first->second;
    PointSet unknown = points;
    unknown.remove(known.asked);
    unknown.visit([&](int point) {
        known.asked.add(point);
        if (fits(level, tensors, point)) known.fits.add(point);
    });
    points.keep(known.fits);
}

double TileTable::moving_pj(int tensor, int level, int point) const {
    return charges_.energy_pj(tensor, level, lattice_.around(point) * words(tensor, level, point),
                              distinct(tensor, level, point));
}

double TileTable::least_pj(int tensor, int level, int point) const {
    const std::size_t at = index(tensor, point);
    return charges_.energy_pj(tensor, level, sent_at(tensor, level, at).still, distinct(tensor, level, point));
}

TileTable::ByRank TileTable::pj_by_rank(int tensor, int level, int point) const {
    std::vector<double>& all = pj_[tensor][level][charges_.delivery(tensor, level).parent];
    const auto count = static_cast<std::size_t>(rank_counts_[tensor]) + 1;
    if (all.empty()) all.resize(static_cast<std::size_t>(lattice_.size()) * count, -1.0);
    const std::span<double> pj = std::span(all).subspan(static_cast<std::size_t>(point) * count, count);
    if (pj.front() < 0.0) price(tensor, level, point, pj);
    return {pj.front(), pj.subspan(1)};
}

void TileTable::price(int tensor, int level, int point, std::span<double> pj) const {
    const Sent sent = sent_at(tensor, level, index(tensor, point));
    pj[0] = shared_pj(tensor, level, point, sent.still);
    const bool tangled = charges_.setup().tensors[tensor].tangled;
    for (std::size_t rank = 0; rank < sent.moving.size(); ++rank)
        pj[rank + 1] = tangled ? pj[0] : shared_pj(tensor, level, point, sent.moving[rank] * lattice_.around(point));
}

double TileTable::shared_pj(int tensor, int level, int point, double sent) const {
    const double different = distinct(tensor, level, point);
    double groups = 1.0;
    if (!charges_.setup().tensors[tensor].plain) {
        sent = sent_at_least(charges_, tensor, level, sent, distinct_[tensor]);
        groups = std::max(groups_at(tensor, level, index(tensor, point)) * groups_outside(tensor, level, point),
                          groups_at_least(charges_, tensor, level, sent, distinct_[tensor]));
    }
    return charges_.energy_pj(tensor, level, sent, {different, different * charges_.delivery(tensor, level).relevant},
                              groups);
}

void TileTable::add_first_loops(int level, int point, FirstLoops& loops) const {
    for (int t = 0; t < charges_.tensor_count(); ++t) {
        if (!charges_.delivers(t, level)) continue;
        const ByRank pj = pj_by_rank(t, level, point);
        loops.still[t] += pj.still;
        for (int d = 0; d < charges_.dimension_count(); ++d)
            loops.along[d] += ranks_[t][d] == kStill ? pj.still : pj.moving[ranks_[t][d]];
    }
}

double TileTable::least_moving_pj(int tensor, int level, int point) const {
    return std::ranges::min(pj_by_rank(tensor, level, point).moving);
}

double TileTable::least_pj(int level, int point) const {
    FirstLoops loops;
    add_first_loops(level, point, loops);
    double least = kInfinite;
    for (int d = 0; d < charges_.dimension_count(); ++d)
        if (lattice_.loops(point)[d] < charges_.rest()[d]) least = std::min(least, loops.along[d]);
    return least < kInfinite ? least : loops.along[0];
}

}  // namespace tilewright::optimal
