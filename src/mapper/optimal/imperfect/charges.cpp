#include "mapper/optimal/imperfect/charges.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "mapper/optimal/geometry/sweep.hpp"

namespace tilewright::optimal {
namespace {

double trips(double chunks, double extent) {
    return static_cast<double>((static_cast<std::int64_t>(chunks) - 1) % static_cast<std::int64_t>(extent) + 1);
}

}  // namespace

bool ImperfectCharges::shares_unevenly(int tensor, int level) const {
    std::uint32_t spread = 0;
    for (int d = 0; d < dimensions_; ++d) spread |= (spread_[level][d] > 1.0 ? 1U : 0U) << d;
    return meet(setup_.tensors[tensor], spread);
}

ImperfectCharges::ImperfectCharges(const Mapspace& mapspace, const lean::Setup& setup, const TilingPoint& assignment,
                                   LayoutChoice layouts, const Remainders& remainders)
    : setup_(setup),
      assignment_(assignment),
      levels_(assignment.level_count()),
      dimensions_(assignment.dimension_count()),
      tensors_(static_cast<int>(setup.tensors.size())),
      layouts_(layouts),
      remainders_(remainders) {
    for (int l = 0; l < levels_; ++l) orders_.emplace_back(mapspace, assignment_, l, layouts_);
    set_geometry(mapspace, remainders);
    set_remainders();
    wires_ = std::make_unique<ImperfectWires>(mapspace, setup_, assignment_, orders_, may_leave_);
    set_boundaries();
    set_least();
}

void ImperfectCharges::set_geometry(const Mapspace& mapspace, const Remainders& remainders) {
    used_[0] = 1.0;
    for (int l = 0; l < levels_; ++l) {
        used_[l + 1] = used_[l];
        for (int d = 0; d < dimensions_; ++d) {
            spread_[l][d] = assignment_[l].spatial[d];
            used_[l + 1] *= spread_[l][d];
        }
    }
    set_shares(mapspace);
    for (int d = 0; d < dimensions_; ++d) {
        std::vector<ImperfectTiles::Level> levels(static_cast<std::size_t>(levels_));
        for (int l = 0; l < levels_; ++l) {
            ImperfectTiles::Level& level = levels[l];
            level.spread = assignment_[l].spatial[d];
            if (level.spread > 1) level.spatial = mapspace.chain_slot({l, true}, d);
            level.only_whole = order(l).is_partial(d);
            if ((remainders.decided[l] >> d & 1U) != 0) level.leaves_remainder = (remainders.left[l] >> d & 1U) != 0;
            level.temporal = mapspace.chain_slot({l, false}, d);
        }
        tiles_.emplace_back(static_cast<std::int64_t>(setup_.extents[d]), levels);
        const int start = tiles_.back().across(levels_ - 1, 0);
        least_steps_ *= start < 0 ? 1e300 : tiles_.back().least_steps(levels_ - 1, start);
    }
}

// Vector accesses are shared by all addressed instances, also idle ones. In some layouts no others exist.
void ImperfectCharges::set_shares(const Mapspace& mapspace) {
    double addressed = 1.0;
    bool some_layout = false;
    for (int l = 0; l < levels_; ++l) {
        const MemoryRates& rates = setup_.levels[l].rates;
        const auto clusters = static_cast<double>(rates.clusters);
        if (some_layout) addressed = setup_.levels[l].instances;
        share_[l] = addressed <= clusters ? 1.0 : clusters / addressed;
        for (int d = 0; d < dimensions_; ++d)
            addressed *= static_cast<double>(assignment_[l].along_x[d]) * assignment_[l].along_y[d];
        some_layout = some_layout || (layouts_ == LayoutChoice::any && mapspace.has_partial_layouts(l));
    }
}

void ImperfectCharges::set_remainders() {
    std::uint32_t once = 0;
    for (int l = 0; l < levels_; ++l) {
        for (int d = 0; d < dimensions_; ++d) {
            if (spread_[l][d] == 1.0) continue;
            for (int tile = 0; tile < tiles(d).size(); ++tile)
                if (tiles(d).across(l, tile) >= 0 && std::fmod(tiles(d).chunks(tile), spread_[l][d]) != 0.0)
                    may_leave_[l] |= 1U << d;
        }
        if (order(l).moving(may_leave_[l]).imperfect != 0) repacking_ |= 1U << l;
        twice_ |= once & may_leave_[l];
        for (int d = 0; d < dimensions_; ++d) once |= (spread_[l][d] > 1.0 ? 1U : 0U) << d;
    }
    set_places();
    for (int l = 0; l <= levels_; ++l) {
        known_instances_[l] = 1.0;
        for (int d = 0; d < dimensions_; ++d) {
            if (l < levels_ && spread_[l][d] > 1.0) spread_at_[d] |= 1U << l;
            known_ways_[l][d] = ways_outside(d, l);
            if (known_ways_[l][d].is_exact()) known_instances_[l] *= known_ways_[l][d].hi;
        }
    }
}

// A shorter step of a block's outermost loop leaves all neighbours in place.
void ImperfectCharges::set_places() {
    for (int l = 0; l < levels_; ++l) {
        if (!may_repack(l)) continue;
        moves_neighbours_[l] = may_leave_[l];
        if (const int d = order(l).leaves_in_place(may_leave_[l]); d >= 0) moves_neighbours_[l] &= ~(1U << d);
    }
}

void ImperfectCharges::set_boundaries() {
    for (int t = 0; t < tensors_; ++t) {
        const lean::TensorForm& form = setup_.tensors[t];
        for (std::size_t rank = 0; rank < form.rank_ends.size() && !form.tangled; ++rank)
            if (const auto terms = rank_terms(form, rank); terms.size() == 1 && terms.front().reach == 1.0)
                moves_alone_[t] |= dimensions_of(terms);
        while (!keeps(t, outermost_[t])) ++outermost_[t];
        for (int l = outermost_[t] + 1; l < levels_; ++l) {
            const bool spreads = std::any_of(spread_[l - 1].begin(), spread_[l - 1].begin() + dimensions_,
                                             [](double factor) { return factor > 1.0; });
            if (keeps(t, l) || spreads || wires_->cost(l - 1)) boundaries_[t] |= 1U << l;
        }
        int next = outermost_[t];
        for (int l = outermost_[t] + 1; l <= levels_; ++l) {
            next_[t][l] = static_cast<std::int8_t>(next);
            if (l < levels_ && is_boundary(t, l)) next = l;
        }
    }
}

void ImperfectCharges::set_least() {
    for (int t = 0; t < tensors_; ++t) {
        for (int l = 0; l < levels_; ++l) least_words_[t][l] = words_at_least(t, l);
        for (int l = 0; l < levels_; ++l) least_asked_[t][l] = asked_at_least(t, l);
    }
    outside_pj_.assign(static_cast<std::size_t>(levels_) + 1, 0.0);
    for (int l = 0; l < levels_; ++l) {
        outside_pj_[static_cast<std::size_t>(l) + 1] = outside_pj_[l];
        for (int t = 0; t < tensors_; ++t) {
            if (!is_boundary(t, l)) continue;
            least_pj_[t][l] = least_of(t, l);
            outside_pj_[static_cast<std::size_t>(l) + 1] += least_pj_[t][l];
        }
    }
    const Position start = start_position();
    compute_pj_ = setup_.compute_energy_pj;
    for (int t = 0; t < tensors_; ++t) compute_pj_ += operands_at_least_pj(t);
    leak_pj_per_cycle_ = setup_.compute_leak_pj_per_cycle * instances(levels_, start).lo;
    for (int l = 0; l < levels_; ++l) {
        const lean::LevelForm& form = setup_.levels[l];
        const double leaking =
            form.under_gate > 1.0 ? form.under_gate * instances(form.gate, start).lo : instances(l, start).lo;
        leak_pj_per_cycle_ += form.rates.leak_pj_per_cycle * leaking;
    }
    set_least_moved();
    least_cycles_ = cycles_at_least();
}

// Lower bound of an extent's part in steps with all neighbours below the memory at work, for any tile.
double ImperfectCharges::least_in_full_steps(int dimension, int level) const {
    const double extent = setup_.extents[dimension];
    const double spread = spread_[level][dimension];
    const ImperfectTiles& tiles = tiles_[dimension];
    double least = extent;
    for (int tile = 0; tile < tiles.size(); ++tile) {
        const double steps = std::floor(tiles.chunks(tile) / spread);
        if (tiles.across(level, tile) >= 0 && steps > 0.0)
            least = std::min(least, steps * spread * tiles.product(tile));
    }
    return least;
}

// Every index of a dimension belongs to one instance, unless blocks repack and move it to another one. Within steps of
// one length places are fixed, though. Other indices of a dimension alone on its rank are other words: full and shorter
// steps add up. For dimensions sharing a rank only full steps count.
double ImperfectCharges::least_distinct(int tensor, int level) const {
    const lean::TensorForm& form = setup_.tensors[tensor];
    if (form.tangled) return distinct_at_least(form, setup_.extents);
    const Position start = start_position();
    Extents extents = setup_.extents;
    Extents all{};
    double words = 1.0;
    for (std::size_t rank = 0; rank < form.rank_ends.size(); ++rank) {
        const auto terms = rank_terms(form, rank);
        for (const lean::Term& term : terms) {
            const int d = term.dimension;
            all[d] = ways(d, level, start).lo;
            for (int l = 0; l < level && terms.size() > 1; ++l) {
                if ((moves_neighbours_[l] >> d & 1U) == 0) continue;
                extents[d] = std::min(extents[d], least_in_full_steps(d, l));
                if (spreads_often(d, level)) all[d] = 1.0;
            }
        }
        words *= distinct_at_least(terms, extents, all);
    }
    return std::max(words, distinct_at_least(form, setup_.extents));
}

double ImperfectCharges::words_at_least(int tensor, int level) const {
    double words = least_distinct(tensor, level);
    for (int d = 0; d < dimensions_; ++d)
        if (!is_relevant(tensor, d)) words *= ways(d, level, start_position()).lo;
    return words;
}

// Accesses from inside have passed memories not keeping the tensor: each fan-out on the way may share.
double ImperfectCharges::asked_at_least(int tensor, int level) const {
    double words = operands(tensor).lo;
    for (int b = next(tensor, levels_); b > level; b = next(tensor, b)) {
        if (keeps(tensor, b)) words = least_words(tensor, b);
        words /= most_sharing(tensor, b - 1);
        for (int d = 0; d < dimensions_; ++d)
            if (!is_relevant(tensor, d)) words /= spread_[b - 1][d];
    }
    return std::max(words, least_words(tensor, level));
}

// Of results at one memory, for any outer loops. With repacking an instance may hold others' words of its block.
double ImperfectCharges::most_first_words(int tensor, int level, const Position& at) const {
    const lean::TensorForm& form = setup_.tensors[tensor];
    if (!form.plain) return std::numeric_limits<double>::infinity();
    double words = 1.0;
    for (const lean::Term& term : form.terms) words *= 1.0 + term.reach * (setup_.extents[term.dimension] - 1.0);
    for (int d = 0; d < dimensions_; ++d) {
        if (!is_relevant(tensor, d)) words *= ways(d, level, at).hi;
        for (int l = 0; l < level && is_relevant(tensor, d); ++l)
            if (may_repack(l)) words *= spread_[l][d];
    }
    return words;
}

AllAccesses ImperfectCharges::least_accesses(int tensor, int level, double words) const {
    if (!setup_.tensors[tensor].written) return {Range::exactly(words), {}, {}};
    const double again = std::max(0.0, words - most_first_words(tensor, level, start_position()));
    return {Range::exactly(again), {}, Range::exactly(words)};
}

double ImperfectCharges::least_access_pj(int tensor, int level, double words) const {
    return energy_pj(tensor, level, least_accesses(tensor, level, words), {1.0, used_[level]}).lo;
}

void ImperfectCharges::set_least_moved() {
    for (int t = 0; t < tensors_; ++t)
        for (int l = 0; l < levels_; ++l) {
            if (!keeps(t, l)) continue;
            const auto moved = [&](const AllAccesses& accesses) {
                Range reads;
                Range writes;
                add_words(t, l, accesses, {1.0, used_[l]}, reads, writes);
                return WordsMoved{reads.lo, writes.lo};
            };
            least_serving_[t][l] = moved(least_accesses(t, l, least_asked(t, l)));
            if (is_boundary(t, l) && !setup_.tensors[t].written)
                least_filling_[t][l] = moved({{}, Range::exactly(least_words(t, l)), {}});
        }
}

double ImperfectCharges::cycles_at_least() const {
    double cycles = least_steps_;
    for (int l = 0; l < levels_; ++l) {
        WordsMoved all;
        for (int t = 0; t < tensors_; ++t)
            for (const bool fills : {false, true}) {
                all.reads += least_moved(t, l, fills).reads;
                all.writes += least_moved(t, l, fills).writes;
            }
        cycles = std::max(cycles, cycles_for(l, all.reads, all.writes));
    }
    return cycles;
}

// All fills of results may be first arrivals.
double ImperfectCharges::least_fills_pj(int tensor, int level) const {
    if (!keeps(tensor, level) || setup_.tensors[tensor].written) return 0.0;
    const Range words = Range::exactly(least_words(tensor, level));
    return energy_pj(tensor, level, {{}, words, {}}, {1.0, used_[level]}).lo;
}

double ImperfectCharges::operands_at_least_pj(int tensor) const {
    const int parent = next(tensor, levels_);
    return wires_->operands_pj(tensor) +
           (keeps(tensor, parent) ? least_access_pj(tensor, parent, operands(tensor).lo) : 0.0);
}

double ImperfectCharges::least_pj(int tensor) const {
    double energy = operands_at_least_pj(tensor);
    for (int l = 0; l < levels_; ++l) energy += least_pj_[tensor][l];
    return energy;
}

double ImperfectCharges::least_of(int tensor, int level) const {
    double energy = least_fills_pj(tensor, level) + least_wires_pj(tensor, level);
    const int parent = next(tensor, level);
    if (keeps(tensor, parent)) energy += least_access_pj(tensor, parent, least_asked(tensor, parent));
    return energy;
}

double ImperfectCharges::least_wires_pj(int tensor, int level) const {
    if (!wires_->cost(level - 1)) return 0.0;
    return least_words(tensor, level - 1) * wires_->least_hops(tensor, level - 1) * wires_->hop_pj(tensor, level - 1);
}

Position ImperfectCharges::start_position() const {
    Position start;
    start.crossed = levels_;
    start.chunks = setup_.extents;
    start.since.fill(static_cast<std::int8_t>(levels_));
    return start;
}

std::int32_t ImperfectCharges::last_trips(int dimension, const Position& at, int level) const {
    double outside = 1.0;
    for (int l = at.crossed; l <= level; ++l) outside *= spread_[l][dimension];
    const double chunks = fast_ceil(setup_.extents[dimension] * outside / at.tile[dimension]);
    return static_cast<std::int32_t>(trips(chunks, spread_[level][dimension]));
}

double ImperfectCharges::active(int dimension, const Position& at, int first, int boundary) const {
    const std::uint32_t inside = (1U << static_cast<std::uint32_t>(first + 1)) - 1U;  // of fan-out `first` and outside
    if (first < at.crossed || (spread_at_[dimension] & inside) >> at.crossed == 0) return at.chunks[dimension];
    double full = 1.0;
    double last = 1.0;
    int level = first;
    if (at.since[dimension] < boundary) {  // an instance idle in the last step works in another one
        for (; level >= std::max<int>(at.since[dimension], at.crossed); --level) full *= spread_[level][dimension];
        last = full;
    }
    double outside = 1.0;
    for (int l = at.crossed; l <= level; ++l) outside *= spread_[l][dimension];
    for (; level >= at.crossed; --level) {
        const double extent = spread_[level][dimension];
        if (extent == 1.0) continue;
        const double chunks = fast_ceil(setup_.extents[dimension] * outside / at.tile[dimension]);
        last += (trips(chunks, extent) - 1.0) * full;
        full *= extent;
        outside /= extent;
    }
    return (at.chunks[dimension] - 1.0) * full + last;
}

// The fan-outs outside `level`, none crossed with certainty.
Range ImperfectCharges::ways_outside(int dimension, int level) const {
    double all = 1.0;
    double outermost = 1.0;
    int loops = 0;
    bool is_full = false;  // the outermost one surely, in some step: then all inside work
    for (int l = 0; l < level; ++l) {
        if (spread_[l][dimension] == 1.0) continue;
        if (loops++ == 0) {
            outermost = spread_[l][dimension];
            is_full = ((remainders_.decided[l] & remainders_.left[l]) >> dimension & 1U) != 0;
        }
        all *= spread_[l][dimension];
    }
    const bool uncertain = loops > 1 && spreads_twice(dimension) && !is_full;
    return {uncertain ? all * (outermost - 1.0) / outermost + 1.0 : all, all};
}

// Without a temporal loop outside two fan-outs, the last chunk of the outer one may not fill the inner one.
Range ImperfectCharges::ways(int dimension, int level, const Position& at) const {
    const Range& unknown = known_ways_[level][dimension];
    if (unknown.is_exact()) return unknown;
    int outer = 0;
    while (spread_[outer][dimension] == 1.0) ++outer;
    if (at.since[dimension] <= outer) return Range::exactly(unknown.hi);
    if (outer < at.crossed) return unknown;
    if (at.chunks[dimension] > 1.0) return Range::exactly(unknown.hi);
    double full = 0.0;
    double outside = 1.0;
    for (int l = outer; l < std::min<int>(level, at.since[dimension]); ++l) {
        const double extent = spread_[l][dimension];
        outside *= extent;
        const double chunks = fast_ceil(setup_.extents[dimension] * outside / at.tile[dimension]);
        full = full * extent + trips(chunks, extent) - 1.0;
    }
    double ways = full + 1.0;
    for (int l = std::max<int>(outer, at.since[dimension]); l < level; ++l) ways *= spread_[l][dimension];
    return Range::exactly(ways);
}

Range ImperfectCharges::instances(int level, const Position& at) const {
    if (twice_ == 0) return Range::exactly(used_[level]);
    Range all = Range::exactly(known_instances_[level]);
    for (std::uint32_t left = twice_; left != 0; left &= left - 1) {
        const int d = std::countr_zero(left);
        if (known_ways_[level][d].is_exact()) continue;
        const Range one = ways(d, level, at);
        all.lo *= one.lo;
        all.hi *= one.hi;
    }
    return all;
}

double ImperfectCharges::vectors_pj(int tensor, int level, double words, double pj, double instances) const {
    if (words <= 0.0 || pj == 0.0) return 0.0;
    if (std::isinf(words)) return words;
    return vectors(words / instances, setup_.levels[level].rows[tensor]) * instances * pj * share_[level];
}

// Partial rows are rounded up per instance.
Range ImperfectCharges::priced_pj(const lean::Price& price, double share, const Range& words,
                                  const Range& instances) const {
    Range energy;
    if (words.hi <= 0.0 || price.count == 0) return energy;
    const bool knows = instances.is_exact();
    const double per_word = price.per_word();
    energy.lo = knows ? price.pj(words.lo * kRoundedDown / instances.hi) * instances.hi : words.lo * per_word;
    energy.hi = std::isinf(words.hi) ? words.hi
                : knows              ? price.pj(words.hi / instances.hi) * instances.hi
                                     : words.hi * per_word + instances.hi * price.pj_of_rows();
    return {energy.lo * share, energy.hi * share};
}

Range ImperfectCharges::energy_pj(int tensor, int level, const AllAccesses& accesses, const Range& instances) const {
    if (setup_.levels[level].prices != nullptr) {
        const lean::TensorPrices& prices = (*setup_.levels[level].prices)[tensor];
        Range energy;
        for (const auto& [price, words] : {std::pair{&prices.read, &accesses.reads},
                                           {&prices.fill, &accesses.fills},
                                           {&prices.update, &accesses.updates}}) {
            const Range one = priced_pj(*price, share_[level], *words, instances);
            energy.lo += one.lo;
            energy.hi += one.hi;
        }
        return energy;
    }
    const MemoryRates& rates = setup_.levels[level].rates;
    const Rows& rows = setup_.levels[level].rows[tensor];
    const bool written = setup_.tensors[tensor].written;
    Range energy;
    const auto add = [&](const Range& words, double pj) {
        if (pj == 0.0) return;
        if (instances.is_exact() || rows.words == 1.0) {
            const double least = rows.words == 1.0 ? words.lo : words.lo * kRoundedDown;
            energy.lo += vectors_pj(tensor, level, least, pj, instances.hi);
            energy.hi += vectors_pj(tensor, level, words.hi, pj, instances.hi);
        } else {  // rounded up per instance, their number being unknown
            energy.lo += words.lo / rows.words * pj * share_[level];
            energy.hi += (words.hi / rows.words + instances.hi) * pj * share_[level];
        }
    };
    add(accesses.reads, rates.read_pj);
    add(accesses.fills, rates.fill_pj);
    add(accesses.updates, rates.update_pj);
    if (rates.address_pj == 0.0) return energy;
    const double word_pj = share_[level] * rates.address_pj;
    const Range& counted = written ? accesses.updates : accesses.reads;
    energy.lo += (counted.lo + accesses.fills.lo) * word_pj;
    energy.hi += (counted.hi + accesses.fills.hi) * word_pj;
    return energy;
}

WordEnergy ImperfectCharges::least_per_word(int tensor, int level) const {
    if (setup_.levels[level].prices != nullptr) {
        const lean::TensorPrices& prices = (*setup_.levels[level].prices)[tensor];
        return {prices.read.per_word() * share_[level], prices.fill.per_word() * share_[level],
                prices.update.per_word() * share_[level]};
    }
    const MemoryRates& rates = setup_.levels[level].rates;
    const bool written = setup_.tensors[tensor].written;
    const double share = share_[level] / setup_.levels[level].rows[tensor].words;
    const double addressed = rates.address_pj * share_[level];
    return {rates.read_pj * share + (written ? 0.0 : addressed), rates.fill_pj * share + addressed,
            rates.update_pj * share + (written ? addressed : 0.0)};
}

void ImperfectCharges::add_words(int tensor, int level, const AllAccesses& accesses, const Range& instances,
                                 Range& reads, Range& writes) const {
    const lean::LevelForm& form = setup_.levels[level];
    if (!form.throttles) return;
    if (form.prices != nullptr) return add_priced_words(tensor, level, accesses, instances, reads, writes);
    const double scale = form.bandwidth_share[tensor];
    reads.lo += fast_ceil(accesses.reads.lo / instances.hi * kRoundedDown) * scale;
    reads.hi += std::ceil(accesses.reads.hi / instances.lo) * scale;
    const double lo = (accesses.fills.lo + accesses.updates.lo) / instances.hi;
    // Fills and updates of a result are rounded together, but become known one after the other.
    writes.lo += (setup_.tensors[tensor].written ? lo : fast_ceil(lo * kRoundedDown)) * scale;
    writes.hi += (std::ceil(accesses.fills.hi / instances.lo) + std::ceil(accesses.updates.hi / instances.lo)) * scale;
}

void ImperfectCharges::add_priced_words(int tensor, int level, const AllAccesses& accesses, const Range& instances,
                                        Range& reads, Range& writes) const {
    const lean::LevelForm& form = setup_.levels[level];
    const double word = tilewright::bandwidth_share(setup_.einsum.tensors[tensor], setup_.architecture.memories[level]);
    const auto add = [&](const Range& words, double share, Range& sum) {
        if (words.hi <= 0.0) return;
        sum.lo += words.lo / instances.hi * share;
        sum.hi += words.hi / instances.lo * share + word;
    };
    add(accesses.reads, form.bandwidth_share[tensor], reads);
    add(accesses.reads, form.read_written_share[tensor], writes);
    add(accesses.fills, form.fill_share[tensor], writes);
    add(accesses.updates, form.update_share[tensor], writes);
}

double ImperfectCharges::cycles_for(int level, double reads, double writes) const {
    const MemoryRates& rates = setup_.levels[level].rates;
    if (std::isinf(reads + writes)) return reads + writes;
    return port_cycles(rates, least_steps_, reads, writes);
}

// Neighbours differing in irrelevant indices only share a word.
Range ImperfectCharges::operands(int tensor) const {
    double words = setup_.operations;
    for (int d = 0; d < dimensions_; ++d)
        if (const double extent = spread_[levels_ - 1][d]; extent != 1.0 && !is_relevant(tensor, d))
            words = words / setup_.extents[d] * fast_ceil(setup_.extents[d] / extent);
    return {words / most_sharing(tensor, levels_ - 1), words};
}

// If two dimensions move one rank, one of them still tells neighbours apart.
double ImperfectCharges::most_sharing(int tensor, int level) const {
    if (!shares_unevenly(tensor, level)) return 1.0;
    double ways = 1.0;
    double most = 1.0;
    for (int d = 0; d < dimensions_; ++d) {
        if (!is_relevant(tensor, d)) continue;
        ways *= spread_[level][d];
        most = std::max(most, spread_[level][d]);
    }
    return ways / most;
}

}  // namespace tilewright::optimal
