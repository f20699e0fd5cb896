#include "certificate/common/charges.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>

#include "certificate/common/union_size.hpp"

namespace tilewright::certificate {
namespace {

// Distinct positions of the neighbours along one rank: all sums of one multiple of each step.
double different_sums(const std::vector<std::pair<double, std::int32_t>>& steps) {
    std::vector<double> sums{0.0};
    for (const auto& [step, extent] : steps) {
        const std::size_t before = sums.size();
        for (std::int32_t i = 1; i < extent; ++i)
            for (std::size_t k = 0; k < before; ++k) sums.push_back(sums[k] + i * step);
    }
    std::sort(sums.begin(), sums.end());
    return static_cast<double>(std::unique(sums.begin(), sums.end()) - sums.begin());
}

// Distinct moves of the neighbours if a dimension moves several ranks.
double different_moves(const Addresses& tensor, const TilingLevel& level, std::uint32_t spread, const Box& box) {
    std::vector<Move> moves{Move{}};
    for (std::uint32_t left = spread; left != 0; left &= left - 1) {
        const int d = std::countr_zero(left);
        const Move step = tensor.step(d, box[d]);
        const std::size_t before = moves.size();
        for (std::int32_t i = 1; i < level.spatial[d]; ++i)
            for (std::size_t k = 0; k < before; ++k) {
                Move move = moves[k];
                for (std::size_t r = 0; r < tensor.ranks.size(); ++r) move[r] += i * step[r];
                moves.push_back(move);
            }
    }
    std::sort(moves.begin(), moves.end());
    return static_cast<double>(std::unique(moves.begin(), moves.end()) - moves.begin());
}

/// Shares are quotients: their excess over whole words is rounding.
constexpr double kBelowRounding = 1.0 - 2e-12;

Accesses part_of(const Accesses& accesses, double share) {
    return {accesses.reads * share, accesses.fills * share, accesses.updates * share};
}

// Bandwidth moves whole words.
Accesses whole_part_of(const Accesses& accesses, double share) {
    const auto whole = [share](double words) { return std::ceil(words * share * kBelowRounding); };
    return {whole(accesses.reads), whole(accesses.fills), whole(accesses.updates)};
}

std::uint32_t spread_dimensions(const TilingLevel& level, int dimensions, std::uint32_t among) {
    std::uint32_t spread = 0;
    for (int d = 0; d < dimensions; ++d)
        if ((among >> d & 1U) != 0 && level.spatial[d] > 1) spread |= 1U << d;
    return spread;
}

Ground::TileLimit limit_of(const TileRule& rule, int dimension, const std::vector<Addresses>& tensors) {
    Ground::TileLimit limit;
    limit.dimension = dimension;
    limit.multiple = static_cast<double>(rule.multiple_of);
    limit.least = static_cast<double>(rule.at_least);
    limit.most = rule.at_most ? static_cast<double>(*rule.at_most) : std::numeric_limits<double>::infinity();
    for (std::size_t t = 0; t < tensors.size(); ++t)
        for (const Box& rank : tensors[t].ranks) limit.tensors |= (rank[dimension] != 0.0 ? 1U : 0U) << t;
    return limit;
}

}  // namespace

Ground::Ground(const Einsum& the_einsum, const Architecture& the_architecture, const sparse::Design* what_zeros_do)
    : einsum(the_einsum), architecture(the_architecture), zeros(what_zeros_do) {
    for (const Tensor& tensor : einsum.tensors) tensors.emplace_back(einsum, tensor);
    extents.fill(1.0);
    for (int d = 0; d < einsum.dimension_count(); ++d) extents[d] = static_cast<double>(einsum.dimensions[d].extent);
    if (zeros != nullptr) {
        held = held_shares(einsum, *zeros);
    } else {
        ByTensor all;
        all.fill(1.0);
        held.assign(architecture.memories.size(), all);
    }
    for (int l = 0; l < architecture.memory_count(); ++l) {
        const Memory& memory = architecture.memories[l];
        rates.push_back(rates_of(memory));
        throttles = throttles || rates.back().may_throttle();
        constexpr double kNever = std::numeric_limits<double>::infinity();
        const MemoryRates& rate = rates.back();
        const auto reads = 2 * static_cast<std::size_t>(l);
        if (std::min(rate.read_words_per_cycle, rate.shared_words_per_cycle) < kNever) bind.push_back(reads);
        if (std::min(rate.write_words_per_cycle, rate.shared_words_per_cycle) < kNever || rate.write_stall_cycles > 0.0)
            bind.push_back(reads + 1);
        const Capacity room = capacity_of(memory, einsum);
        capacity.push_back(room.usable ? static_cast<double>(*room.usable) : std::numeric_limits<double>::infinity());
        least_use.push_back(zeros == nullptr ? room.least : 0.0);  // packed tiles have no minimum
        room_per_word.emplace_back();
        copies.emplace_back();
        limits.emplace_back();
        for (int d = 0; d < einsum.dimension_count(); ++d)
            if (const auto rule = memory.tile.find(einsum.dimensions[d].name); rule != memory.tile.end())
                limits.back().push_back(limit_of(rule->second, d, tensors));
        const auto units_per_word = static_cast<double>(room.units_per_word);
        const auto word_bits = static_cast<double>(memory.word_bits);
        granule.push_back(memory.alignment_words == 1 ? 1.0
                                                      : static_cast<double>(memory.alignment_words) * units_per_word);
        bandwidth.emplace_back();
        rows.emplace_back();
        for (int t = 0; t < einsum.tensor_count(); ++t) {
            const auto bits = static_cast<double>(bits_of(einsum.tensors[t], memory));
            room_per_word.back()[t] = bits * units_per_word / word_bits;
            copies.back()[t] = static_cast<double>(buffers_of(memory, einsum, t));
            bandwidth.back()[t] = bandwidth_share(einsum.tensors[t], memory);
            rows.back()[t] = rows_of(memory, einsum.tensors[t]);
        }
        link_latency_cycles += tilewright::link_latency_cycles(memory);
        wires.push_back(wire_costs(einsum, architecture, l, leaves_out_wires));
        wires_cost = wires_cost || !wires.back().is_free();
    }
}

Charges::Charges(const Ground& ground, const TilingPoint& assignment) : ground_(ground), assignment_(assignment) {
    set_geometry();
    set_prices();
    for (int t = 0; t < tensor_count(); ++t) set_deliveries(t);
    set_leakage();
    set_computes();
}

double Charges::whole_words(double words) { return std::ceil(words * kBelowRounding); }

// A price equal to a whole compute's counts as none (docs/sparsity.md, "Exactly", rule 8).
void Charges::set_computes() {
    double operations = 1.0;
    for (int d = 0; d < dimension_count(); ++d) operations *= ground_.extents[d];
    const double whole_pj = ground_.architecture.compute.energy_pj.value;
    compute_cycles_ = steps_;
    compute_pj_ = operations * whole_pj;
    if (ground_.zeros == nullptr) return;
    Keepers keepers{};
    for (int t = 0; t < tensor_count(); ++t)
        for (int l = 0; l < level_count(); ++l)
            if (keeps(t, l)) keepers[t] |= 1U << l;
    zeros_ = zero_shares(ground_.einsum, *ground_.zeros, keepers);
    const Shares& shares = zeros_->computes;
    const auto avoided_pj = [&](double pj) { return pj == whole_pj ? 0.0 : pj; };
    compute_cycles_ = whole_words(steps_ * shares.timed());
    compute_pj_ = operations * (shares.done * whole_pj + shares.gated * avoided_pj(ground_.zeros->gated_compute_pj) +
                                shares.skipped * avoided_pj(ground_.zeros->skipped_compute_pj));
}

void Charges::set_geometry() {
    const int levels = level_count();
    inside_[levels].fill(1.0);
    for (int l = levels - 1; l >= 0; --l) {
        inside_[l] = inside_[l + 1];
        for (int d = 0; d < dimension_count(); ++d) inside_[l][d] *= assignment_[l].spatial[d];
    }
    rest_.fill(1.0);
    for (int d = 0; d < dimension_count(); ++d) {
        rest_[d] = ground_.extents[d] / inside_[0][d];
        steps_ *= rest_[d];
    }
    used_[0] = 1.0;
    for (int l = 0; l < levels; ++l) {
        used_[l + 1] = used_[l];
        for (int d = 0; d < dimension_count(); ++d) used_[l + 1] *= assignment_[l].spatial[d];
    }
}

bool Charges::moves_a_rank_twice(int t, int level) const {
    const Addresses& form = tensor(t);
    if (!form.overlaps) return false;
    const auto are_several = [](std::uint32_t dimensions) { return (dimensions & (dimensions - 1)) != 0; };
    const std::uint32_t spread = spread_dimensions(assignment_[level], dimension_count(), form.moving);
    if (form.shares_dimensions()) return are_several(spread);
    return std::any_of(form.dims.begin(), form.dims.end(),
                       [&](std::uint32_t moved) { return are_several(spread & moved); });
}

void Charges::set_deliveries(int t) {
    const int levels = level_count();
    parent_[t].fill(-1);
    Box none;
    none.fill(1.0);
    for (int l = 0; l < levels; ++l) spreads_dynamically_[t][l] = moves_a_rank_twice(t, l);
    int outside = -1;  // the next outer memory keeping the tensor
    bool dynamic = false;
    double groups = 1.0;
    double spread = 1.0;
    for (int l = 0; l <= levels; ++l) {
        const bool here = l > 0 && spreads_dynamically(t, l - 1);
        if (l > 0) {
            const std::uint32_t across = spread_dimensions(assignment_[l - 1], dimension_count(), tensor(t).moving);
            for (std::uint32_t left = across; left != 0; left &= left - 1)
                spread *= assignment_[l - 1].spatial[std::countr_zero(left)];
            dynamic = dynamic || here;
            if (!here) across_[t][l - 1] = {groups_at(t, l - 1, none), wire_pj(t, l - 1, none)};
            if (!here) groups *= across_[t][l - 1].groups;
        }
        parent_[t][l] = outside;
        dynamic_[t][l] = dynamic;
        groups_[t][l] = groups;
        spread_[t][l] = spread;
        if (!keeps(t, l)) continue;
        set_wires(t, l);
        outside = l;
        dynamic = false;
        groups = spread = 1.0;
    }
}

// A bypassed memory forwards requests (docs/model.md, rule 6): a fan-out is crossed by those of all groups inside.
void Charges::set_wires(int t, int level) {
    if (parent_[t][level] < 0) return;
    double asking = 1.0;
    for (int l = level - 1; l >= parent_[t][level] && !spreads_dynamically(t, l); --l) {
        wire_pj_[t][level] += asking * across_[t][l].wire_pj;
        asking *= across_[t][l].groups;
    }
}

void Charges::add_sharing(int t, int level, int outside, const Sharing& across, Sharing& sharing) const {
    if (outside >= level || outside < parent_[t][level]) return;
    bool dynamic = spreads_dynamically(t, outside);
    double asking = sharing.groups;
    for (int l = outside + 1; l < level; ++l) {
        if (!spreads_dynamically(t, l)) asking *= across_[t][l].groups;
        dynamic = dynamic || spreads_dynamically(t, l);
    }
    if (!dynamic) return;
    sharing.wire_pj += asking * across.wire_pj;
    if (spreads_dynamically(t, outside)) sharing.groups *= across.groups;
}

double Charges::wire_pj(int t, int level, const Box& loops) const {
    const WireCosts& costs = ground_.wires[level];
    const double pj = costs.hop_pj[t];
    const double passages_pj = costs.word_pj[t] == 0.0 ? 0.0 : costs.word_pj[t] * groups_at(t, level, loops);
    if (pj == 0.0) return used_[level] * passages_pj;
    return used_[level] *
           (pj * hops_to_all(tensor(t), assignment_[level], dimension_count(), tile(level + 1, loops), costs.lattice) +
            passages_pj);
}

void Charges::set_leakage() {
    const int levels = level_count();
    leak_pj_per_cycle_ = ground_.architecture.compute.leak_pj_per_cycle.value * used_[levels];
    for (int l = 0; l < levels; ++l)
        leak_pj_per_cycle_ += ground_.rates[l].leak_pj_per_cycle *
                              leaking_instances(ground_.architecture, l, std::span(used_).first(levels + 1));
}

Box Charges::tile(int level, const Box& loops) const {
    Box tile = inside_[level];
    for (int d = 0; d < dimension_count(); ++d) tile[d] *= loops[d];
    return tile;
}

bool Ground::allows(int level, std::uint32_t kept, const Box& tile) const {
    return std::ranges::none_of(limits[level], [&](const TileLimit& limit) {
        const double extent = tile[limit.dimension];
        const bool holds = std::fmod(extent, limit.multiple) == 0.0 && extent >= limit.least && extent <= limit.most;
        return (kept & limit.tensors) != 0 && !holds;
    });
}

double Charges::room_for(int level, std::uint32_t tensors, const Box& loops) const {
    const Box box = tile(level, loops);
    double sum = 0.0;
    for (; tensors != 0; tensors &= tensors - 1) {
        const int t = std::countr_zero(tensors);
        sum += room(t, level, tensor(t).words(box));
    }
    return sum;
}

double Charges::groups_at(int t, int level, const Box& loops) const {
    const Addresses& form = tensor(t);
    const TilingLevel& block = assignment_[level];
    const std::uint32_t spread = spread_dimensions(block, dimension_count(), form.moving);
    if (!spreads_dynamically(t, level)) {
        double groups = 1.0;
        for (std::uint32_t left = spread; left != 0; left &= left - 1) groups *= block.spatial[std::countr_zero(left)];
        return groups;
    }
    const Box box = tile(level + 1, loops);
    if (form.shares_dimensions()) return different_moves(form, block, spread, box);
    double groups = 1.0;
    for (std::size_t r = 0; r < form.ranks.size(); ++r) {
        std::vector<std::pair<double, std::int32_t>> steps;
        for (std::uint32_t left = spread & form.dims[r]; left != 0; left &= left - 1) {
            const int d = std::countr_zero(left);
            steps.emplace_back(form.ranks[r][d] * box[d], block.spatial[d]);
        }
        groups *= different_sums(steps);
    }
    return groups;
}

FirstWords Charges::first_words(int t, int level, const Box& loops) const {
    const Addresses& form = tensor(t);
    if (!form.written) return {};
    if (!form.overlaps) {
        double words = form.words(tile(level, loops));
        for (int d = 0; d < dimension_count(); ++d)
            if (form.moves(d)) words *= rest_[d] / loops[d];
        return {words, words * spread_[t][level]};
    }
    const Box box = tile(level, loops);
    const double held = distinct_at_most(form, box, tile(level, rest_), ground_.extents);
    if (parent_[t][level] < 0) return {held, held};
    const double arriving = distinct_at_most(form, box, tile(parent_[t][level], rest_), ground_.extents);
    return {held, std::min(arriving, held * spread_[t][level])};
}

// Model rule 5: first arrivals are not read, words never sent out need no fill. A parent's instance serves all its
// neighbours.
Charges::Accessed Charges::accessed(int t, int level, double sent, const FirstWords& first, double groups) const {
    Accessed counts;
    if (level < level_count()) counts.fills.fills = std::max(0.0, sent - first.held);
    const double words = groups_[t][level] * groups * sent;
    counts.accesses.reads = words - std::min(words, first.arriving);
    if (tensor(t).written) counts.accesses.updates = words;
    return counts;
}

// Energy is proportional to one instance's accesses, up to whole blocks.
void Charges::set_prices() {
    for (int l = 0; l < level_count(); ++l) {
        MemoryRates one = ground_.rates[l];
        one.read_pj = 1.0;
        const auto spread = static_cast<std::int64_t>(used_[l]);
        Accesses read;
        read.reads = 1.0;
        access_factor_[l] = access_energy_pj(one, Rows{}, read, spread, used_[l]);
        address_pj_[l] = one.address_pj * address_generators(one, spread, used_[l]);
    }
}

double Charges::accesses_pj(int t, int level, const Accesses& accesses, const sparse::AccessEnergies& prices) const {
    const Rows& rows = ground_.rows[level][t];
    return (vectors(accesses.reads, rows) * prices.read_pj + vectors(accesses.fills, rows) * prices.fill_pj +
            vectors(accesses.updates, rows) * prices.update_pj) *
           access_factor_[level];
}

double Charges::addresses_pj(int t, int level, const Accesses& accesses) const {
    if (address_pj_[level] == 0.0) return 0.0;
    return address_generations(accesses, tensor(t).written) * address_pj_[level];
}

double Charges::memory_pj(int t, int level, const Accesses& accesses) const {
    const MemoryRates& rates = ground_.rates[level];
    return accesses_pj(t, level, accesses, {rates.read_pj, rates.fill_pj, rates.update_pj}) +
           addresses_pj(t, level, accesses);
}

// Reads and updates for the compute units or an inner memory.
double Charges::served_pj(int t, int level, const Accesses& accesses, const Shares& shares) const {
    const MemoryRates& rates = ground_.rates[level];
    const sparse::MemoryDesign& built = ground_.zeros->memories[level];
    const auto of = [&accesses](double share) { return part_of(accesses, share * kBelowRounding); };
    return accesses_pj(t, level, of(shares.done), {rates.read_pj, rates.fill_pj, rates.update_pj}) +
           accesses_pj(t, level, of(shares.gated), built.gated) +
           accesses_pj(t, level, of(shares.skipped), built.skipped) + addresses_pj(t, level, of(shares.timed()));
}

double Charges::with_zeros_pj(int t, int level, const Accessed& counts) const {
    const int parent = parent_[t][level];
    const Shares& served = zeros_->words[parent][t].served;
    double pj = served_pj(t, parent, counts.accesses, served);
    if (level == level_count()) return pj;
    const WordShares& words = zeros_->words[level][t];
    pj += memory_pj(t, level, part_of(counts.fills, words.filled * kBelowRounding));
    if (!words.decompressed) return pj;
    const sparse::MemoryDesign& built = ground_.zeros->memories[level];
    return pj + counts.fills.fills * words.filled * used_[level] * built.decompression_pj +
           counts.accesses.updates * served.done * used_[parent] * built.compression_pj;
}

double Charges::energy_pj(int t, int level, double sent, const FirstWords& first, const Sharing& sharing) const {
    double pj = (wire_pj_[t][level] + sharing.wire_pj) * sent;
    const Accessed counts = accessed(t, level, sent, first, sharing.groups);
    if (zeros_) return pj + with_zeros_pj(t, level, counts);
    pj += memory_pj(t, parent_[t][level], counts.accesses);
    return level < level_count() ? pj + memory_pj(t, level, counts.fills) : pj;
}

void Charges::add_loads(int t, int level, double sent, const FirstWords& first, const Sharing& sharing,
                        Loads& loads) const {
    Accessed counts = accessed(t, level, sent, first, sharing.groups);
    const int parent = parent_[t][level];
    if (zeros_) {
        counts.accesses = whole_part_of(counts.accesses, zeros_->words[parent][t].served.timed());
        if (level < level_count()) counts.fills = whole_part_of(counts.fills, zeros_->words[level][t].filled);
    }
    loads[2 * parent] += counts.accesses.reads * ground_.bandwidth[parent][t];
    loads[2 * parent + 1] += counts.accesses.updates * ground_.bandwidth[parent][t];
    if (level < level_count()) loads[2 * level + 1] += counts.fills.fills * ground_.bandwidth[level][t];
}

double Charges::cycles_for(int level, const Loads& loads) const {
    const MemoryRates& rates = ground_.rates[level];
    const double reads = loads[2 * level];
    const double writes = loads[2 * level + 1];
    const double ported = std::max({reads / rates.read_words_per_cycle, writes / rates.write_words_per_cycle,
                                    (reads + writes) / rates.shared_words_per_cycle});
    const double stalled = writes * rates.write_stall_cycles;  // comes on top of computing
    return stalled > 0.0 ? std::max(ported, compute_cycles_ + stalled) : ported;
}

}  // namespace tilewright::certificate
