#include "certificate/imperfect/charges.hpp"

#include <bit>
#include <cmath>

namespace tilewright::certificate {
namespace {

/// Some tensor has a rank of this and another dimension: two of its loops are not like one.
bool slides(const Ground& ground, int dimension) {
    return std::any_of(ground.tensors.begin(), ground.tensors.end(), [dimension](const Addresses& tensor) {
        return tensor.overlaps && tensor.moves(dimension) &&
               (!tensor.steady || std::popcount(tensor.beside(dimension)) > 1);
    });
}

}  // namespace

PartialCost& PartialCost::operator+=(const PartialCost& other) {
    pj += other.pj;
    for (std::size_t i = 0; i < loads.size(); ++i) loads[i] += other.loads[i];
    return *this;
}

PartialCost& PartialCost::operator-=(const PartialCost& other) {
    pj -= other.pj;
    for (std::size_t i = 0; i < loads.size(); ++i) loads[i] -= other.loads[i];
    return *this;
}

const Chain& Chains::of(int dimension, const TilingPoint& assignment) {
    std::vector<std::int64_t> key{dimension};
    for (int l = 0; l < assignment.level_count(); ++l) key.push_back(assignment[l].spatial[dimension]);
    const std::scoped_lock lock(mutex_);
    std::unique_ptr<Chain>& chain = known_[key];
    if (chain) return *chain;
    std::vector<ChainLevel> levels;
    for (int l = 0; l < assignment.level_count(); ++l) {
        ChainLevel level;
        level.spread = assignment[l].spatial[dimension];
        if (level.spread > 1) level.spatial = mapspace_.chain_slot({l, true}, dimension);
        level.temporal = mapspace_.chain_slot({l, false}, dimension);
        levels.push_back(level);
    }
    chain = std::make_unique<Chain>(static_cast<std::int64_t>(ground_.extents[dimension]), std::move(levels),
                                    slides(ground_, dimension));
    return *chain;
}

ImperfectCharges::ImperfectCharges(const Ground& ground, Chains& chains, const Mapspace& mapspace,
                                   const TilingPoint& assignment)
    : ground_(ground), assignment_(assignment), wires_(ground, mapspace, assignment) {
    set_geometry(chains);
    set_addressed(mapspace);
    set_boundaries();
    Box units{};
    units.fill(1.0);
    if (ground.wires_cost) units_ = wires_.hops(level_count() - 1, units);
    known_hops_.emplace_back();
    set_shares();
    set_least();
}

void ImperfectCharges::set_geometry(Chains& chains) {
    for (int d = 0; d < dimension_count(); ++d) {
        chains_[d] = &chains.of(d, assignment_);
        least_steps_ *= chains_[d]->least_steps();
        operations_ *= ground_.extents[d];
    }
    used_[0] = least_used_[0] = 1.0;
    for (int l = 0; l < level_count(); ++l) {
        used_[l + 1] = used_[l];
        least_used_[l + 1] = 1.0;
        for (int d = 0; d < dimension_count(); ++d) {
            used_[l + 1] *= spread(l, d);
            least_used_[l + 1] *= ways(d, l + 1, false);
            if (spread(l, d) > 1.0) blocks_[l] |= 1U << d;
        }
    }
    leak_pj_per_cycle_ = ground_.architecture.compute.leak_pj_per_cycle.value * least_used_[level_count()];
    const std::span used = std::span(least_used_).first(static_cast<std::size_t>(level_count()) + 1);
    for (int l = 0; l < level_count(); ++l)
        leak_pj_per_cycle_ += ground_.rates[l].leak_pj_per_cycle * leaking_instances(ground_.architecture, l, used);
}

// Vector accesses are shared by all addressed instances, also idle ones; in some layouts no others exist.
void ImperfectCharges::set_addressed(const Mapspace& mapspace) {
    bool all = false;
    for (int l = 0; l < level_count(); ++l) {
        addressed_[l] = all ? static_cast<double>(ground_.architecture.memories[l].instances) : used_[l];
        all = all || mapspace.counts_addressed(l);
        if (mapspace.has_layouts(l)) free_layouts_ |= 1U << l;
    }
}

void ImperfectCharges::set_boundaries() {
    for (int d = 0; d < dimension_count(); ++d) imperfect_ |= (chains_[d]->is_ever_imperfect() ? 1U : 0U) << d;
    for (int l = 0; l < level_count(); ++l) may_repack_ |= (repacks(l, imperfect_) ? 1U : 0U) << l;
    for (int t = 0; t < tensor_count(); ++t) {
        int outside = -1;
        for (int l = 0; l <= level_count(); ++l) {
            parent_[t][l] = outside;
            const bool fans = l > 0 && (blocks_[l - 1] != 0 || !ground_.wires[l - 1].is_free());
            if (l < level_count() && outside >= 0 && (keeps(t, l) || fans)) boundaries_[t] |= 1U << l;
            if (keeps(t, l)) outside = l;
        }
        if (tensor(t).written) results_[t] = tensor(t).words(ground_.extents);
        if (ground_.wires_cost) set_passing(t);
    }
}

// docs/model.md, rule 6. Without remainders in a fan-out all neighbours request in every step. Otherwise joint
// requesters are unknown; but a memory without gaps in its tiles would be sent no word more often than requested.
void ImperfectCharges::set_passing(int t) {
    const Addresses& form = tensor(t);
    bool has_gaps = form.overlaps || !form.steady;
    for (std::size_t r = 0; r < form.ranks.size(); ++r)
        for (std::uint32_t left = form.dims[r]; left != 0; left &= left - 1)
            has_gaps = has_gaps || std::abs(form.ranks[r][std::countr_zero(left)]) > 1.0;
    Box one;
    one.fill(1.0);
    for (int l = 1; l < level_count(); ++l) {
        if (keeps(t, l) || !is_boundary(t, l) || !wires_.cost(t, l - 1)) continue;
        const bool is_even = (blocks_[l - 1] & imperfect_) == 0;
        if (is_even)
            passing_hops_[t][l] = wires_.hops(l - 1, one)[t];
        else if (has_gaps)
            passing_hops_[t][l] = wires_.least_hops(l - 1);
        else
            as_if_kept_[t] |= 1U << l;
    }
}

double ImperfectCharges::passing_pj(int t, int level, double accesses) const {
    double pj = 0.0;
    for (int l = level - 1; l > parent(t, level); --l) {
        if (!is_boundary(t, l)) continue;
        accesses *= handed_on(t, l, nullptr);
        pj += wires_.hop_pj(t, l - 1) * accesses * passing_hops_[t][l] * kExactly;
    }
    return pj;
}

// ---------------------------------------------------------------- geometry

// One fan-out has work for all in some step. Of two, the last chunk of the outer one may not fill the inner one.
double ImperfectCharges::ways(int dimension, int level, bool most) const {
    double all = 1.0;
    double outermost = 1.0;
    int loops = 0;
    for (int l = 0; l < level; ++l) {
        const double extent = spread(l, dimension);
        if (extent == 1.0) continue;
        if (loops++ == 0) outermost = extent;
        all *= extent;
    }
    return most || loops < 2 ? all : all * (outermost - 1.0) / outermost + 1.0;
}

double ImperfectCharges::count_copies(int t, int level, bool most) const {
    double copies = 1.0;
    for (int d = 0; d < dimension_count(); ++d)
        if (!tensor(t).moves(d)) copies *= ways(d, level, most);
    return copies;
}

double ImperfectCharges::held(int dimension, int level, const Where& at) const {
    double inside = chain(dimension).node(at.node[dimension]).product;
    for (int l = at.crossed; l < level; ++l) inside /= spread(l, dimension);
    return std::min(inside, ground_.extents[dimension]);
}

Box ImperfectCharges::tile(const Where& at) const {
    Box tile{};
    for (int d = 0; d < dimension_count(); ++d)
        tile[d] = std::min(chain(d).node(at.node[d]).product, ground_.extents[d]);
    return tile;
}

double ImperfectCharges::room_taken(int level, const Where& at) const {
    const Box box = tile(at);
    double room = 0.0;
    for (int t = 0; t < tensor_count(); ++t)
        if (keeps(t, level)) room += ground_.room(t, level, tensor(t).words(box));
    return room;
}

double ImperfectCharges::room_taken(int t, int level, const Where& at) const {
    return ground_.room(t, level, tensor(t).words(tile(at)));
}

bool ImperfectCharges::allows(int level, const Where& at) const {
    if (ground_.limits[level].empty()) return true;
    std::uint32_t kept = 0;
    for (int t = 0; t < tensor_count(); ++t) kept |= (keeps(t, level) ? 1U : 0U) << t;
    return ground_.allows(level, kept, tile(at));
}

bool ImperfectCharges::fills(int level, const Where& at) const {
    return ground_.least_use[level] == 0.0 || room_taken(level, at) >= ground_.least_use[level];
}

// Along X inside Y, on each axis those without a remainder inside the others; or in any order.
bool ImperfectCharges::repacks(int level, std::uint32_t imperfect) const {
    imperfect &= blocks_[level];
    if ((free_layouts_ >> level & 1U) != 0) return imperfect != 0 && std::popcount(blocks_[level]) > 1;
    std::uint32_t x = 0;
    std::uint32_t y = 0;
    for (int d = 0; d < dimension_count(); ++d) {
        x |= (assignment_[level].along_x[d] > 1 ? 1U : 0U) << d;
        y |= (assignment_[level].along_y[d] > 1 ? 1U : 0U) << d;
    }
    if (std::popcount(x & imperfect) > 1 || std::popcount(y & imperfect) > 1) return true;
    return (x & imperfect) != 0 && y != 0;
}

bool ImperfectCharges::stays_open(int level, const Where& at) const { return repacking(level, at) == 0; }

// Fan-outs outside memory `level` that repack, possibly if unknown.
std::uint32_t ImperfectCharges::repacking(int level, const Where& at) const {
    const std::uint32_t known = ~0U << at.crossed;
    return ((at.repacking & known) | (may_repack_ & ~known)) & ~(~0U << level);
}

Where ImperfectCharges::worst(int crossed) const {
    Where at;
    at.crossed = crossed;
    at.repacking = may_repack_ & (~0U << crossed);
    at.deep = (1U << dimension_count()) - 1U;
    return at;
}

// Some neighbours change places in the last step of the dimension.
bool ImperfectCharges::swaps(int level, const Where& at, int dimension) const {
    for (int l = at.crossed; l < level; ++l)
        if ((at.repacking >> l & 1U) != 0 && (blocks_[l] >> dimension & 1U) != 0) return true;
    return false;
}

double ImperfectCharges::swapping(int t, int level, const Where& at, int dimension) const {
    double share = 0.0;
    const std::uint32_t others = swaps(level, at, dimension) ? at.deep & ~(1U << dimension) : 0U;
    for (std::uint32_t left = others; left != 0; left &= left - 1) {
        const Pairs& other = pairs(t, std::countr_zero(left), level, false, at);
        share += other.last / other.all;
    }
    return std::min(1.0, share);
}

const Pairs& ImperfectCharges::pairs(int t, int dimension, int level, bool shared, const Where& at) const {
    const bool once = shared && !tensor(t).moves(dimension);
    return chain(dimension).pairs(at.node[dimension], at.crossed, once ? level - 2 : level - 1);
}

double ImperfectCharges::all_pairs(int t, int level, bool shared, const Where& at, std::uint32_t dimensions) const {
    double product = 1.0;
    for (int d = 0; d < dimension_count(); ++d)
        if ((dimensions >> d & 1U) != 0) product *= pairs(t, d, level, shared, at).all;
    return product;
}

// ---------------------------------------------------------------- words

// Along one rank, the summed tile widths of all pairs depend on the pairs alone.
Sent ImperfectCharges::whole(int t, int level, const Where& at) const {
    const Addresses& form = tensor(t);
    if (!form.steady) return once(t);
    double words = 1.0;
    for (std::size_t r = 0; r < form.ranks.size(); ++r) {
        double all = 1.0;
        for (std::uint32_t left = form.dims[r]; left != 0; left &= left - 1)
            all *= pairs(t, std::countr_zero(left), level, false, at).all;
        double sum = all;
        for (std::uint32_t left = form.dims[r]; left != 0; left &= left - 1) {
            const int d = std::countr_zero(left);
            const double mine = pairs(t, d, level, false, at).all;
            sum += form.ranks[r][d] * (ground_.extents[d] - mine) * (all / mine);
        }
        words *= sum;
    }
    const std::uint32_t others = ~form.moving;
    Sent sent{words * all_pairs(t, level, false, at, others), words * all_pairs(t, level, true, at, others), 0.0,
              stays_open(level, at)};
    if (wires_.cost(t, level - 1)) sent.hops = sent.accesses * hops_at(level, at)[t];
    return sent;
}

// Tiles of steps with different indices of the loop differ, so only an instance idle in between saves its tile.
// Neighbours idle in some step are idle in shorter ones: that takes a loop of two steps, with the last one idle. If
// neighbours swap places in the last step, and another dimension's last chunk leaves places empty, some may work in the
// last step alone: their words may be saved.
Sent ImperfectCharges::moved(int t, int level, const Where& at, int dimension, double factor, double saved) const {
    Sent sent = whole(t, level, at);
    if (!tensor(t).steady) return sent;
    if (moves_all(t, level, at, dimension, factor)) return sent;
    const Pairs& along = pairs(t, dimension, level, false, at);
    double lost = factor > 2.0 ? 0.0 : along.slots - along.all;
    lost += (factor > 2.0 ? 1.0 : 2.0) * along.last * swapping(t, level, at, dimension);
    Box tile{};
    for (int d = 0; d < dimension_count(); ++d) tile[d] = tensor(t).moves(d) ? held(d, level, at) : 1.0;
    const double words = saved * lost * tensor(t).words(tile);
    const std::uint32_t others = ~(1U << dimension);
    const bool alike = stays_open(level, at);
    sent.delivered = std::max(0.0, sent.delivered - words * all_pairs(t, level, false, at, others));
    const double before = sent.accesses;
    sent.accesses = std::max(0.0, sent.accesses - words * all_pairs(t, level, alike, at, others));
    if (wires_.cost(t, level - 1))
        sent.hops = std::max(sent.accesses * wires_.least_hops(level - 1),
                             sent.hops - (before - sent.accesses) * wires_.most_hops(level - 1));
    sent.exact = false;
    return sent;
}

bool ImperfectCharges::moves_all(int t, int level, const Where& at, int dimension, double factor) const {
    if (!tensor(t).steady) return true;
    const Pairs& along = pairs(t, dimension, level, false, at);
    return along.slots == along.all || (factor > 2.0 && swapping(t, level, at, dimension) == 0.0);
}

// The instance holds its tile of another step of the next loop than that it resumes in, or of the last one of two loops
// of the same dimension.
bool ImperfectCharges::resumes_all(int t, int level, const Where& at, int dimension, double factor, int idled) const {
    if (moves_all(t, level, at, dimension, factor)) return true;
    return dimension == idled && swapping(t, level, at, dimension) == 0.0;
}

bool ImperfectCharges::is_spread_outside(int dimension, int level) const {
    for (int l = 0; l < level; ++l)
        if (spread(l, dimension) > 1.0) return true;
    return false;
}

Sent ImperfectCharges::once(int t) const {
    const double words = tensor(t).distinct_at_least(ground_.extents);
    return {words, words, 0.0, false};
}

double ImperfectCharges::overlap_of_neighbours(int t, int level) const {
    const Addresses& form = tensor(t);
    double ways = 1.0;
    double most = 1.0;
    bool meet = false;
    for (std::size_t r = 0; r < form.ranks.size(); ++r)
        meet = meet || std::popcount(form.dims[r] & blocks_[level - 1]) > 1;
    if (!form.steady) meet = std::popcount(form.moving & blocks_[level - 1]) > 1;
    for (int d = 0; d < dimension_count() && meet; ++d) {
        if (!form.moves(d)) continue;
        ways *= spread(level - 1, d);
        most = std::max(most, spread(level - 1, d));
    }
    return ways / most;
}

double ImperfectCharges::handed_on(int t, int level, const Sent* sent) const {
    if (level == 0) return 1.0;
    double least = 1.0 / overlap_of_neighbours(t, level);
    for (int d = 0; d < dimension_count(); ++d)
        if (!tensor(t).moves(d)) least /= spread(level - 1, d);
    if (sent == nullptr || !sent->exact || tensor(t).overlaps) return least;
    return std::max(least, sent->accesses / sent->delivered);
}

// ---------------------------------------------------------------- energy

// Over all instances in use, whole blocks each. Their number may depend on unknown loops.
double ImperfectCharges::energy_pj(int t, int level, const Accesses& all) const {
    const MemoryRates& rates = ground_.rates[level];
    const Rows& rows = ground_.rows[level][t];
    const double used = used_[level];
    if (rows.words != 1.0 && least_used_[level] != used) return energy_of_parts_pj(t, level, all);
    const double per = kExactly / used;
    const Accesses each{all.reads * per, all.fills * per, all.updates * per};
    const auto spread = static_cast<std::int64_t>(addressed_[level]);
    return access_energy_pj(rates, rows, each, spread, used) +
           address_generations(each, tensor(t).written) * rates.address_pj * address_generators(rates, spread, used);
}

double ImperfectCharges::energy_of_parts_pj(int t, int level, const Accesses& all) const {
    const MemoryRates& rates = ground_.rates[level];
    const double used = used_[level];
    const double share = address_generators(rates, static_cast<std::int64_t>(addressed_[level]), used) / used;
    const double words_pj = all.reads * rates.read_pj + all.fills * rates.fill_pj + all.updates * rates.update_pj;
    const double addresses_pj = address_generations(all, tensor(t).written) * rates.address_pj;
    return (words_pj / ground_.rows[level][t].words + addresses_pj) * share * kExactly;
}

void ImperfectCharges::add(int t, int level, const Accesses& all, PartialCost& partial_cost) const {
    partial_cost.pj += energy_pj(t, level, all);
    const double scale = ground_.bandwidth[level][t] / used_[level];
    partial_cost.loads[2 * level] += all.reads * scale;
    partial_cost.loads[2 * level + 1] += (all.fills + all.updates) * scale;
}

// A word may be at several places of a repacking fan-out: one per set of irrelevant dimensions in their last chunk.
double ImperfectCharges::moved_copies(int t, int level, const Where& at) const {
    std::uint32_t swapped = 0;
    for (std::uint32_t left = repacking(level, at); left != 0; left &= left - 1)
        swapped |= blocks_[std::countr_zero(left)] & imperfect_ & ~tensor(t).moving;
    return static_cast<double>(1U << std::popcount(swapped));
}

// ---------------------------------------------------------------- wires

std::int16_t ImperfectCharges::wires_below(int level, const Where& inside) {
    if (ground_.wires[level].is_free()) return 0;
    Box tiles{};
    std::vector<double> key;
    for (int d = 0; d < dimension_count(); ++d) {
        tiles[d] = chain(d).node(inside.node[d]).product;
        if ((blocks_[level] >> d & 1U) != 0) key.push_back(tiles[d]);
    }
    const auto [known, is_new] = ways_by_tiles_[level].try_emplace(key, static_cast<std::int16_t>(known_hops_.size()));
    if (is_new) known_hops_.push_back(wires_.hops(level, tiles));
    return known->second;
}

const HopsByTensor& ImperfectCharges::hops_at(int level, const Where& at) const {
    return level == level_count() ? units_ : known_hops_[at.wires[level - 1]];
}

double ImperfectCharges::wire_pj(int t, int level, const Sent& sent) const {
    if (level == 0 || !wires_.cost(t, level - 1)) return 0.0;
    return wires_.hop_pj(t, level - 1) * sent.hops * kExactly;
}

void ImperfectCharges::set_hops(int t, int level, const Where& at, Sent& sent) const {
    if (!wires_.cost(t, level - 1)) return;
    const bool alike = !may_disturb(t, level) && overlap_of_neighbours(t, level) == 1.0;
    sent.hops = sent.accesses * (alike ? hops_at(level, at)[t] : wires_.least_hops(level - 1));
}

// Upper bound of a result's words arriving without a read, or leaving without a fill.
double ImperfectCharges::first_words(int t, int memory, const Where& at) const {
    if (tensor(t).overlaps) return results_[t] * used_[memory];
    return results_[t] * copies(t, memory, true) * moved_copies(t, memory, at);
}

// Model rule 5.
PartialCost ImperfectCharges::partial_cost(int t, int level, const Sent& sent, double share, const Where& at) const {
    const bool written = tensor(t).written;
    const auto first = [&](int memory) { return written ? first_words(t, memory, at) : 0.0; };
    PartialCost partial_cost;
    partial_cost.pj += wire_pj(t, level, sent);
    if (ground_.wires_cost) partial_cost.pj += passing_pj(t, level, sent.accesses);
    if (level < level_count()) add(t, level, {0.0, std::max(0.0, sent.delivered - first(level)), 0.0}, partial_cost);
    const int outside = parent(t, level);
    const double asked = sent.accesses * share;
    add(t, outside, {std::max(0.0, asked - first(outside)), 0.0, written ? asked : 0.0}, partial_cost);
    return partial_cost;
}

// Rule 4: once per operation and distinct operand.
PartialCost ImperfectCharges::start() const {
    PartialCost all;
    all.pj = operations_ * ground_.architecture.compute.energy_pj.value;
    const int units = level_count();
    Where none;
    none.crossed = units;
    for (int t = 0; t < tensor_count(); ++t) {
        Sent sent{operations_, operations_, 0.0, false};
        for (int d = 0; d < dimension_count(); ++d) {
            const double extent = spread(units - 1, d);
            if (extent == 1.0 || tensor(t).moves(d)) continue;
            sent.accesses = sent.accesses / ground_.extents[d] * std::ceil(ground_.extents[d] / extent);
        }
        if (wires_.cost(t, units - 1)) sent.hops = sent.accesses * units_[t];
        if (const double overlap = overlap_of_neighbours(t, units); overlap > 1.0) {
            sent.accesses /= overlap;
            sent.hops = sent.accesses * wires_.least_hops(units - 1);
        }
        all += partial_cost(t, units, sent, handed_to_parent(t, units), none);
    }
    return all;
}

Cost ImperfectCharges::cost_of(const PartialCost& partial_cost, double steps) const {
    double cycles = steps;
    for (int l = 0; l < level_count(); ++l) {
        const MemoryRates& rates = ground_.rates[l];
        if (!rates.may_throttle()) continue;
        const double reads = partial_cost.loads[2 * l];
        const double writes = partial_cost.loads[2 * l + 1];
        cycles = std::max({cycles, reads / rates.read_words_per_cycle, writes / rates.write_words_per_cycle,
                           (reads + writes) / rates.shared_words_per_cycle});
    }
    const double whole = std::ceil(cycles * (1.0 - 1e-12));
    return {partial_cost.pj + leak_pj_per_cycle_ * whole, whole + static_cast<double>(ground_.link_latency_cycles)};
}

}  // namespace tilewright::certificate
