#include "mapper/optimal/imperfect/completion_bound.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/numbers/checked.hpp"
#include "mapper/optimal/geometry/sweep.hpp"

namespace tilewright::optimal {
namespace {

Waiting nothing() {
    Waiting waiting;
    waiting.open.fill(-1);
    return waiting;
}

double largest_root(double extent) { return std::floor(std::sqrt(extent)); }

}  // namespace

ImperfectCompletionBound::ImperfectCompletionBound(const Mapspace& mapspace, const lean::Setup& setup)
    : mapspace_(mapspace), setup_(setup) {
    for (int d = 0; d < kMaxDimensions; ++d) roots_[d] = largest_root(setup.extents[d]);
}

void ImperfectCompletionBound::look_at(const ImperfectCharges& charges, bool passing) {
    charges_ = &charges;
    has_passing_ = false;
    Position start;
    start.crossed = charges.level_count();
    start.chunks = setup_.extents;
    start.since.fill(static_cast<std::int8_t>(start.crossed));
    Extents spread;
    spread.fill(1.0);
    double floor_pj = 0.0;
    for (int l = 0; l < charges.level_count(); ++l) {
        outspread_[l] = spread;
        may_repack_[l] = l > 1 && (may_repack_[l - 1] || charges.may_repack(l - 2));
        for (int d = 0; d < charges.dimension_count(); ++d) {
            ways_[l][d] = charges.ways(d, l, start).lo;
            spread[d] *= charges.spread(l, d);
        }
        for (int t = 0; t < charges.tensor_count(); ++t) {
            set_boundary(t, l, passing);
            if (boundaries_[l][t].is_one) floor_pj += boundaries_[l][t].wires_pj + boundaries_[l][t].least_pj;
        }
        floor_pj_[l] = floor_pj;
    }
    choose_tables();
}

void ImperfectCompletionBound::set_boundary(int tensor, int level, bool passing) {
    Boundary& boundary = boundaries_[level][tensor];
    boundary = {};
    boundary.is_one = charges_->is_boundary(tensor, level);
    if (!boundary.is_one) return;
    const lean::TensorForm& form = setup_.tensors[tensor];
    boundary.keeps = charges_->keeps(tensor, level);
    boundary.parent = charges_->next(tensor, level);
    boundary.parent_keeps = charges_->keeps(tensor, boundary.parent);
    boundary.most_sharing = charges_->most_sharing(tensor, level - 1);
    boundary.distinct = charges_->least_distinct(tensor, level);
    boundary.wires_pj = charges_->least_wires_pj(tensor, level);
    boundary.least_pj = charges_->least_pj(tensor, level) - boundary.wires_pj;
    boundary.fills_pj = charges_->least_fills_pj(tensor, level);
    boundary.is_alone = charges_->most_instances(level) == 1.0;
    boundary.is_whole = form.plain;
    const bool is_passed_on = boundary.keeps && !boundary.parent_keeps && form.plain;
    has_passing_ = has_passing_ || is_passed_on;
    if (is_passed_on && passing) set_passed_by(tensor, boundary);
    boundary.here = charges_->least_per_word(tensor, level);
    boundary.there = charges_->least_per_word(tensor, boundary.parent);
    for (std::size_t rank = 0; rank < form.rank_ends.size(); ++rank)
        boundary.distinct_along[rank] = distinct_at_least(rank_terms(form, rank), setup_.extents, ways_[level]);
    double first[2] = {1.0, 1.0};
    for (const lean::Term& term : form.terms) first[0] *= 1.0 + term.reach * (setup_.extents[term.dimension] - 1.0);
    first[1] = first[0];
    for (int l = 0; l < level; ++l)
        for (int d = 0; d < charges_->dimension_count(); ++d)
            for (const bool at_parent : {false, true}) {
                if (at_parent && l >= boundary.parent) continue;
                if (charges_->may_repack(l)) first[at_parent ? 1 : 0] = kInfinite;
                if (!charges_->is_relevant(tensor, d)) first[at_parent ? 1 : 0] *= charges_->spread(l, d);
            }
    boundary.most_first_here = first[0];
    boundary.most_first_at_parent = first[1];
    boundary.by_tiles = boundary.is_alone && boundary.keeps;
    boundary.words = 1.0;
    for (const lean::Term& term : form.terms) boundary.words *= setup_.extents[term.dimension];
    if (form.plain && !boundary.by_tiles)
        boundary.still_pj = std::max(boundary.least_pj, energy_pj(tensor, level, still(tensor, level, setup_.extents)));
}

// Words for memories not keeping the tensor are requested of the next keeping one. Each fan-out on the way may share.
void ImperfectCompletionBound::set_passed_by(int tensor, Boundary& boundary) const {
    for (int l = boundary.parent; !charges_->keeps(tensor, l); l = charges_->next(tensor, l)) {
        boundary.passed_by = l;
        boundary.passed_on /= charges_->most_sharing(tensor, l - 1);
        for (int d = 0; d < charges_->dimension_count(); ++d)
            if (!charges_->is_relevant(tensor, d)) boundary.passed_on /= charges_->spread(l - 1, d);
    }
}

// ---------------------------------------------------------------- tables

std::size_t ImperfectCompletionBound::SignatureHash::operator()(const Signature& signature) const {
    const auto* bytes = reinterpret_cast<const char*>(signature.data());
    return std::hash<std::string_view>{}({bytes, signature.size() * sizeof(double)});
}

// A table's key: the part outside the memory, and the deliveries possibly open there.
void ImperfectCompletionBound::choose_tables() {
    signature_.clear();
    for (int l = 0; l < charges_->level_count(); ++l) {
        sign_memory(l);
        choose_table(l, signature_.size());
        for (int d = 0; d < charges_->dimension_count(); ++d) signature_.push_back(charges_->spread(l, d));
        signature_.insert(signature_.end(),
                          {charges_->may_repack(l) ? 1.0 : 0.0, static_cast<double>(charges_->remainders().decided[l]),
                           static_cast<double>(charges_->remainders().left[l])});
    }
}

void ImperfectCompletionBound::sign_memory(int level) {
    signature_.push_back(static_cast<double>(charges_->assignment()[level].keep.bits()));
    signature_.insert(signature_.end(), ways_[level].begin(), ways_[level].begin() + charges_->dimension_count());
    for (int t = 0; t < charges_->tensor_count(); ++t) {
        const Boundary& boundary = boundaries_[level][t];
        signature_.insert(signature_.end(), {boundary.most_first_here, boundary.most_first_at_parent, boundary.distinct,
                                             boundary.least_pj, boundary.wires_pj});
    }
}

void ImperfectCompletionBound::choose_table(int level, std::size_t outside) {
    if (entries_[level] > kMostEntries) {
        tables_[level].clear();
        entries_[level] = 0;
    }
    settled_table_[level] = &tables_[level][signature_];
    sign_waiting(level);
    table_[level] = &tables_[level][signature_];
    signature_.resize(outside);
}

void ImperfectCompletionBound::sign_waiting(int level) {
    for (int l = level + 1; l < charges_->level_count(); ++l)
        for (int t = 0; t < charges_->tensor_count(); ++t) {
            const Boundary& boundary = boundaries_[l][t];
            if (!boundary.may_wait()) continue;
            const auto flags = static_cast<double>((boundary.keeps ? 1 : 0) + (boundary.parent_keeps ? 2 : 0) +
                                                   (boundary.is_alone ? 4 : 0));
            signature_.insert(
                signature_.end(),
                {static_cast<double>(t), static_cast<double>(l), static_cast<double>(boundary.parent), flags,
                 boundary.most_sharing, boundary.distinct, boundary.most_first_here, boundary.most_first_at_parent,
                 boundary.least_pj, charges_->most_instances(boundary.parent), static_cast<double>(boundary.passed_by),
                 boundary.passed_on});
            signature_.insert(signature_.end(), ways_[l - 1].begin(),
                              ways_[l - 1].begin() + charges_->dimension_count());
        }
}

// ---------------------------------------------------------------- tiles by chunks

std::size_t ImperfectCompletionBound::Hash::operator()(const Key& key) const {
    std::uint64_t hash = key.chunks;
    const auto mix = [&hash](std::uint64_t part) { hash = (hash ^ hash >> 29U ^ part) * 0x9e3779b97f4a7c15U; };
    mix(key.waiting);
    for (int half = 0; half < 2; ++half) {
        std::uint64_t part = 0;
        std::memcpy(&part, key.idle.data() + 8 * half, sizeof part);
        mix(part);
    }
    return static_cast<std::size_t>(hash ^ hash >> 32U);
}

// Numbers of chunks are at most the root of the extent, or known by their tile, then at most the root.
ImperfectCompletionBound::Key ImperfectCompletionBound::key(int level, const Extents& chunks,
                                                            const Waiting& waiting) const {
    Key key;
    for (int d = 0; d < charges_->dimension_count(); ++d) {
        const double root = roots_[d];
        const double index = chunks[d] <= root ? chunks[d] - 1.0 : root + tile(d, chunks[d]);
        key.chunks = key.chunks * static_cast<std::uint64_t>(2.0 * root + 3.0) + static_cast<std::uint64_t>(index);
    }
    std::uint32_t moving = 0;  // dimensions with idle neighbours that matter
    for (int t = 0; t < charges_->tensor_count(); ++t) {
        std::uint64_t innermost = 0;
        for (int l = level + 1; l <= waiting.open[t]; ++l) {
            if (!boundaries_[l][t].may_wait()) continue;
            innermost = static_cast<std::uint64_t>(l);
            if (!boundaries_[l][t].is_alone) moving |= setup_.tensors[t].relevant;
        }
        if (waiting.open[t] == Waiting::kAsked && is_passed_by(t, level)) innermost = kMaxMemories;
        key.waiting = key.waiting * (kMaxMemories + 1) + innermost;
    }
    for (int d = 0; d < charges_->dimension_count(); ++d)
        if ((moving >> d & 1U) != 0) key.idle[d] = waiting.idle[d];
    return key;
}

double ImperfectCompletionBound::tile(int dimension, double chunks) const {
    return fast_ceil(setup_.extents[dimension] / chunks);
}

double ImperfectCompletionBound::largest_tile(int dimension, double chunks) const {
    const double extent = setup_.extents[dimension];
    return chunks == 1.0 ? extent : fast_ceil(extent / (chunks - 1.0)) - 1.0;
}

bool ImperfectCompletionBound::fits(int level, const Extents& chunks) const {
    Extents tiles{};
    for (int d = 0; d < charges_->dimension_count(); ++d) tiles[d] = tile(d, chunks[d]);
    const lean::LevelForm& form = setup_.levels[level];
    double room = 0.0;
    for (std::uint32_t left = charges_->assignment()[level].keep.bits(); left != 0; left &= left - 1) {
        const int t = std::countr_zero(left);
        room += form.room(t, lean::words_in(setup_.tensors[t], tiles));
    }
    return room <= form.capacity;
}

Extents ImperfectCompletionBound::crossed(int level, const Extents& chunks) const {
    Extents outside = chunks;
    for (int d = 0; d < charges_->dimension_count(); ++d)
        if (const double spread = charges_->spread(level, d); spread != 1.0) outside[d] = fast_ceil(chunks[d] / spread);
    return outside;
}

Extents ImperfectCompletionBound::largest_tiles(const Extents& chunks) const {
    Extents tiles{};
    for (int d = 0; d < charges_->dimension_count(); ++d) tiles[d] = largest_tile(d, chunks[d]);
    return tiles;
}

// ---------------------------------------------------------------- the least over all tiles

double ImperfectCompletionBound::all_pj(double limit_pj) {
    const int units = charges_->level_count();
    const double inside_pj = charges_->least_computing_pj();
    return inside_pj + after_store_pj(units, setup_.extents, nothing(), limit_pj - inside_pj);
}

double ImperfectCompletionBound::after_store_pj(int level, const Extents& chunks, const Waiting& waiting,
                                                double limit_pj) {
    return level == 0 ? 0.0 : across_pj(level - 1, chunks, largest_tiles(chunks), waiting, limit_pj);
}

// Across the fan-out below memory `level`. Idle neighbours in the last step number as many as are missing there.
double ImperfectCompletionBound::across_pj(int level, const Extents& chunks, const Extents& largest, Waiting waiting,
                                           double limit_pj) {
    const Extents outside = crossed(level, chunks);
    Extents tiles = largest_tiles(outside);
    for (int d = 0; d < charges_->dimension_count(); ++d) {
        const double spread = charges_->spread(level, d);
        tiles[d] = std::min(tiles[d], spread * largest[d]);
        const double idle = outside[d] * spread - chunks[d];
        const bool divides = std::fmod(chunks[d], spread) == 0.0;
        const Remainders& remainders = charges_->remainders();
        if ((remainders.decided[level] >> d & 1U) != 0 && ((remainders.left[level] >> d & 1U) != 0) == divides)
            return kInfinite;
        if (idle > 0.0) waiting.add_idle(d, idle * largest[d] / setup_.extents[d]);
    }
    if (level > 0 && !has_loops(level, outside))
        return fits(level, outside) ? stored_pj(level, outside, tiles, waiting, limit_pj) : kInfinite;
    return before_loops_pj(level, outside, waiting, limit_pj);
}

bool ImperfectCompletionBound::has_loops(int level, const Extents& chunks) const {
    for (int d = 0; d < charges_->dimension_count(); ++d)
        if (chunks[d] > 1.0 && mapspace_.chain_slot({level, false}, d).at_most > 1) return true;
    return false;
}

double ImperfectCompletionBound::before_loops_pj(int level, const Extents& chunks, const Waiting& waiting,
                                                 double limit_pj) {
    if (level == 0) return at_the_end_pj(chunks, waiting);
    if (floor_pj_[level] >= limit_pj) return floor_pj_[level];
    const Key here = key(level, chunks, waiting);
    double floor_pj = floor_pj_[level];
    if (here.waiting != 0 && std::ranges::count(waiting.open, Waiting::kAsked) == 0) {  // open deliveries make it
                                                                                        // dearer
        floor_pj = before_loops_pj(level, chunks, nothing(), limit_pj);
        if (floor_pj >= limit_pj) return floor_pj;
    }
    Table& table = here.waiting == 0 ? *settled_table_[level] : *table_[level];
    const auto [found, is_new] = table.try_emplace(here);
    Least& known = found->second;  // stable as the table grows
    if (is_new) ++entries_[level];
    if (known.is_exact || known.pj >= limit_pj) return known.pj;
    known.pj = std::max({floor_pj, known.pj, least_pj(level, chunks, waiting, limit_pj)});
    known.is_exact = known.pj < limit_pj;
    return known.pj;
}

const std::vector<PrimePower>& ImperfectCompletionBound::primes_of(double chunks) {
    const auto [found, is_new] = primes_.try_emplace(chunks);
    if (is_new) found->second = prime_factors(static_cast<std::int64_t>(chunks));
    return found->second;
}

// Factor constraints are met loop by loop; the limit of one loop each is relaxed.
double ImperfectCompletionBound::least_pj(int level, const Extents& chunks, const Waiting& waiting, double limit_pj) {
    if (!fits(level, chunks)) return kInfinite;
    double least = stored_pj(level, chunks, largest_tiles(chunks), waiting, limit_pj);
    for (int d = 0; d < charges_->dimension_count(); ++d) {
        const ChainSlot& slot = mapspace_.chain_slot({level, false}, d);
        for (const bool two : {true, false}) {
            std::optional<double> settled;  // the same for all primes but two
            Waiting after = waiting;
            for (const PrimePower& power : primes_of(chunks[d])) {
                if (power.prime > slot.at_most || (power.prime == 2) != two) continue;
                const auto factor = static_cast<double>(power.prime);
                const double limit = std::min(limit_pj, least);
                if (!settled) settled = settle_pj(level, chunks, after, d, factor, limit - floor_pj_[level]);
                Extents more = chunks;
                more[d] = chunks[d] / factor;
                least = std::min(least, *settled + before_loops_pj(level, more, after, limit - *settled));
            }
        }
    }
    return least;
}

double ImperfectCompletionBound::stored_pj(int level, const Extents& chunks, const Extents& largest, Waiting waiting,
                                           double limit_pj) {
    double energy = 0.0;
    for (int t = 0; t < charges_->tensor_count(); ++t) {
        const Boundary& boundary = boundaries_[level][t];
        if (!boundary.is_one) continue;
        energy += boundary.wires_pj;
        if (waiting.open[t] == Waiting::kAsked && !boundary.keeps) {
            energy += boundary.least_pj;
            continue;
        }
        energy += charged_pj(t, level, chunks);
        if (waiting.open[t] < 0) waiting.open[t] = static_cast<std::int8_t>(level);
    }
    return energy + across_pj(level - 1, chunks, largest, waiting, limit_pj - energy);
}

// The loops of the outermost memory: only the first matters. A loop of two steps is the cheapest.
double ImperfectCompletionBound::at_the_end_pj(const Extents& chunks, const Waiting& waiting) const {
    double least = kInfinite;
    for (int d = 0; d < charges_->dimension_count() && least > 0.0; ++d) {
        if (chunks[d] == 1.0) continue;
        Waiting after = waiting;
        const double factor = std::fmod(chunks[d], 2.0) == 0.0 ? 2.0 : chunks[d];
        least = std::min(least, settle_pj(0, chunks, after, d, factor, least));
    }
    return least == kInfinite ? 0.0 : least;
}

// ---------------------------------------------------------------- one loop, one memory

// Places a loop of `dimension`: additional cost of its open deliveries over every word once; or more than `limit_pj`.
double ImperfectCompletionBound::settle_pj(int level, const Extents& chunks, Waiting& waiting, int dimension,
                                           double factor, double limit_pj) const {
    double energy = 0.0;
    const double moving = factor == 2.0 ? waiting.moving(dimension) : 1.0;
    for (int t = 0; t < charges_->tensor_count(); ++t)
        if (waiting.open[t] >= 0 && charges_->is_relevant(t, dimension))
            energy += settle_tensor_pj(t, level, chunks, waiting, dimension, moving, limit_pj - energy);
    return energy;
}

// From the outside inwards: memories passing on requests come before the requesting ones. If they are not placed, large
// requests are paid at once.
double ImperfectCompletionBound::settle_tensor_pj(int tensor, int level, const Extents& chunks, Waiting& waiting,
                                                  int dimension, double moving, double limit_pj) const {
    constexpr double kMuch = 1.0;  // small differences would only distinguish labels soon dropped
    double energy = 0.0;
    double passed_pj = 0.0;  // additional cost of the memory passing on
    const int open = std::exchange(waiting.open[tensor], std::int8_t{-1});
    for (int l = level + 1; l <= open && energy < limit_pj; ++l) {
        const Boundary& here = boundaries_[l][tensor];
        if (!here.may_wait()) continue;
        const double more_pj =
            here.passed_by > 0 && !here.is_alone ? 0.0 : dearer_pj(tensor, l, chunks, dimension, moving);
        energy += more_pj;
        if (!here.keeps) passed_pj = more_pj;
        if (here.passed_by == 0) continue;
        const int outside = here.passed_by;
        const double asked = asked_again(tensor, l, chunks, moving) / here.most_sharing * here.passed_on;
        const double asked_pj = energy_pj(tensor, outside, {0.0, asked});
        if (outside > level) {
            energy += std::max(0.0, asked_pj - charged_pj(tensor, outside, chunks) - passed_pj);
            continue;
        }
        const double least_pj = boundaries_[outside][tensor].least_pj;
        if (asked_pj - least_pj < kMuch * floor_pj_[level]) continue;
        energy += asked_pj - least_pj;
        waiting.open[tensor] = Waiting::kAsked;
    }
    return energy;
}

// Words delivered to the memory over the run, if the next loop moves the tensor.
double ImperfectCompletionBound::asked_again(int tensor, int boundary, const Extents& chunks, double moving) const {
    double words = words_of(tensor, boundary, chunks, -1) * moving;
    for (int d = 0; d < charges_->dimension_count(); ++d)
        if (!charges_->is_relevant(tensor, d)) words *= std::max(ways_[boundary - 1][d], chunks[d]);
    return words;
}

// While it is open.
double ImperfectCompletionBound::charged_pj(int tensor, int boundary, const Extents& chunks) const {
    const Boundary& here = boundaries_[boundary][tensor];
    if (here.is_whole && !here.by_tiles) return here.still_pj;
    return std::max(here.least_pj, energy_pj(tensor, boundary, still(tensor, boundary, chunks)));
}

// The next memory with a boundary is bypassed.
bool ImperfectCompletionBound::is_passed_by(int tensor, int level) const {
    while (level > 0 && !boundaries_[level][tensor].is_one) --level;
    return level > 0 && !boundaries_[level][tensor].keeps;
}

// A tile comes once per chunk of irrelevant dimensions. Neighbours idle in the last of two steps may keep theirs.
double ImperfectCompletionBound::dearer_pj(int tensor, int boundary, const Extents& chunks, int dimension,
                                           double moving) const {
    const Boundary& here = boundaries_[boundary][tensor];
    double words = words_of(tensor, boundary, chunks, dimension);
    double ways = 1.0;
    double steps = 1.0;
    for (int d = 0; d < charges_->dimension_count(); ++d) {
        if (charges_->is_relevant(tensor, d)) continue;
        ways *= ways_[boundary - 1][d];
        steps *= std::max(ways_[boundary - 1][d], chunks[d]);
    }
    const double least = here.is_alone ? here.least_pj : here.least_pj - here.fills_pj;
    const auto energy = [&](double sent) {
        return energy_pj(tensor, boundary, {here.is_alone ? sent : 0.0, sent / here.most_sharing});
    };
    const double all_pj = energy(here.is_alone ? words * steps : words * moving * steps);
    if (all_pj <= least) return 0.0;
    if (here.is_alone) words = words_of(tensor, boundary, chunks, -1);
    return std::max(0.0, all_pj - std::max(least, energy(words * ways)));
}

// First arrivals of results cost less.
double ImperfectCompletionBound::energy_pj(int tensor, int level, const Flow& flow) const {
    const Boundary& boundary = boundaries_[level][tensor];
    const bool written = setup_.tensors[tensor].written;
    double energy = 0.0;
    if (boundary.keeps) {
        const double fills = written ? std::max(0.0, flow.delivered - boundary.most_first_here) : flow.delivered;
        energy += fills * boundary.here.fill_pj;
    }
    if (boundary.parent_keeps) {
        const double reads = written ? std::max(0.0, flow.words - boundary.most_first_at_parent) : flow.words;
        energy += reads * boundary.there.read_pj + (written ? flow.words * boundary.there.update_pj : 0.0);
    }
    return energy;
}

// An irrelevant first loop outside: words are sent once to all instances told apart by the other loops.
ImperfectCompletionBound::Flow ImperfectCompletionBound::still(int tensor, int level, const Extents& chunks) const {
    const double words = words_of(tensor, level, chunks, -1);
    Flow flow{words, words / boundaries_[level][tensor].most_sharing};
    for (int d = 0; d < charges_->dimension_count(); ++d) {
        if (charges_->is_relevant(tensor, d)) continue;
        flow.delivered *= ways_[level][d];
        flow.words *= ways_[level - 1][d];
    }
    return flow;
}

// ---------------------------------------------------------------- words of all tiles

namespace {

// Of a rank: sum of all tile widths, with the given chunks of its dimensions.
double all_widths(const lean::Setup& setup, std::span<const lean::Term> terms, const Extents& chunks) {
    double tiles = 1.0;
    for (const lean::Term& term : terms) tiles *= chunks[term.dimension];
    double words = tiles;
    for (const lean::Term& term : terms) {
        const double ways = chunks[term.dimension];
        words += term.reach * (setup.extents[term.dimension] - ways) * tiles / ways;
    }
    return words;
}

}  // namespace

// Neighbours depend on the step: an instance may move to an overlap with its current words.
bool ImperfectCompletionBound::repacks(int level, const Extents& chunks) const {
    if (may_repack_[level]) return true;
    if (!charges_->may_repack(level - 1)) return false;
    for (int d = 0; d < charges_->dimension_count(); ++d)
        if (std::fmod(chunks[d], charges_->spread(level - 1, d)) != 0.0) return true;
    return false;
}

// Per irrelevant index. `first`: the dimension of the innermost moving loop, if the innermost of all; -1: any.
double ImperfectCompletionBound::words_of(int tensor, int level, const Extents& chunks, int first) const {
    const lean::TensorForm& form = setup_.tensors[tensor];
    double words = 1.0;
    if (form.plain) {
        if (!boundaries_[level][tensor].by_tiles) return boundaries_[level][tensor].words;
        for (std::size_t rank = 0; rank < form.rank_ends.size(); ++rank)
            words *= all_widths(setup_, rank_terms(form, rank), chunks);
        return words;
    }
    // A bypassed memory does not receive requests of whole tiles.
    if (form.tangled || form.written || !boundaries_[level][tensor].keeps) return 0.0;
    return window_words(tensor, level, chunks, first);
}

// A tile moving along a rank keeps at most `kept` of its width; an instance's words over the run are a box.
ImperfectCompletionBound::Sweep ImperfectCompletionBound::sweep(int tensor, std::size_t rank, int level,
                                                                const Extents& chunks, const Extents& rest) const {
    const auto terms = rank_terms(setup_.tensors[tensor], rank);
    Sweep sweep;
    sweep.widths = all_widths(setup_, terms, chunks);
    double advances = 1.0;
    double kept = 1.0;
    for (const lean::Term& term : terms) {
        const int d = term.dimension;
        sweep.tiles *= chunks[d];
        if (rest[d] > 1.0) {
            ++sweep.movers;
            kept -= term.reach;
            advances = 1.0 - ways_[level][d] / chunks[d];
        } else {
            kept += term.reach * (largest_tile(d, chunks[d]) - 1.0);
        }
    }
    sweep.kept = std::max(0.0, kept);
    sweep.all = boundaries_[level][tensor].distinct_along[rank];
    if (sweep.movers == 0) sweep.all = sweep.widths;
    if (sweep.movers == 1) sweep.all = std::max(sweep.all, sweep.widths - sweep.tiles * advances * sweep.kept);
    return sweep;
}

// The innermost moving loop decides the rank of the overlap.
double ImperfectCompletionBound::window_words(int tensor, int level, const Extents& chunks, int first) const {
    if (repacks(level, chunks)) return boundaries_[level][tensor].distinct;
    const lean::TensorForm& form = setup_.tensors[tensor];
    const Extents& spread = outspread_[level];
    Extents rest = chunks;
    for (int d = 0; d < charges_->dimension_count(); ++d)
        if (spread[d] != 1.0) rest[d] = fast_ceil(chunks[d] / spread[d]);
    double least = 1.0;
    double widths = 1.0;
    double slides = kInfinite;  // words of the best rank over its widths
    bool idles = false;
    for (std::size_t rank = 0; rank < form.rank_ends.size(); ++rank) {
        const Sweep one = sweep(tensor, rank, level, chunks, rest);
        bool is_first = first < 0;
        for (const lean::Term& term : rank_terms(form, rank)) {
            const int d = term.dimension;
            is_first = is_first || d == first;
            idles = idles || (rest[d] > 1.0 && spread[d] * rest[d] != chunks[d]);
        }
        least *= one.all;
        widths *= one.widths;
        if (one.movers == 0 || !is_first) continue;
        slides = std::min(slides, one.movers > 1 ? 0.0 : std::max(0.0, 1.0 - one.tiles * one.kept / one.widths));
    }
    if (idles || slides == kInfinite) return least;
    return std::max(least, widths * slides);
}

}  // namespace tilewright::optimal
