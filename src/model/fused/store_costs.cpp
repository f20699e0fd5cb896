#include <algorithm>

#include "base/numbers/checked.hpp"
#include "model/exact/costs.hpp"
#include "model/exact/fanout.hpp"
#include "model/fused/costs.hpp"
#include "model/fused/lifetimes.hpp"

namespace tilewright::fused {
namespace {

struct Moved {
    double in = 0.0;    // to be read
    double back = 0.0;  // to be added to
    double out = 0.0;
    double unfinished = 0.0;  // of these, partial sums
};

// A tensor's words as operands and finished results, and as partial sums; the same where these have no other width.
struct Words {
    Tensor whole;
    Tensor partial;
};

bool has_sums(const Words& words) { return words.partial.bits != words.whole.bits; }

// The operand of the first leaf inside that uses the tensor: its width and its name in bandwidth scales.
const Tensor& operand_of(const Cascade& cascade, const FusedTree& tree, const StoreCounts& store) {
    for (const int leaf : tree.leaves(store.store)) {
        const CascadeEinsum& einsum = cascade.einsums[tree.leaf(leaf)->einsum];
        for (std::size_t t = 0; t < einsum.accesses.size(); ++t)
            if (einsum.accesses[t].tensor == store.tensor) return einsum.einsum.tensors[t];
    }
    throw std::logic_error("a store of a tensor without uses");
}

// What one memory is asked for, of either kind.
struct Asked {
    Accesses whole;
    Accesses partial;
};

double written(const Accesses& accesses) { return accesses.fills + accesses.updates; }

// Cycles of a memory that does nothing else.
std::int64_t cycles_of(const Memory& memory, const Words& words, const Asked& asked) {
    const MemoryRates rates = rates_of(memory);
    const double share = bandwidth_share(words.whole, memory);
    const double wide = bandwidth_share(words.partial, memory);
    const double reads = asked.whole.reads;
    const double writes = written(asked.whole);
    const double sums_in = asked.partial.reads * wide;
    const double sums_out = written(asked.partial) * wide;
    const double cycles = std::max({(reads * share + sums_in) / rates.read_words_per_cycle,
                                    (writes * share + sums_out) / rates.write_words_per_cycle,
                                    ((reads + writes) * share + (sums_in + sums_out)) / rates.shared_words_per_cycle});
    return cycles > 0.0 ? throttled_cycles(1, 1.0 / cycles) : 0;
}

// One memory's part: what it is read and written, and addresses.
double access_cost(const Memory& memory, const Words& words, const Asked& asked, double addresses, TensorCost& cost) {
    const MemoryRates rates = rates_of(memory);
    double energy =
        access_energy_pj(rates, rows_of(memory, words.whole), asked.whole, 1, 1.0) + addresses * rates.address_pj;
    const Accesses& partial = asked.partial;
    const double sums = partial.reads + written(partial);
    if (sums > 0.0) energy += access_energy_pj(rates, rows_of(memory, words.partial), partial, 1, 1.0);
    cost.reads += asked.whole.reads + partial.reads;
    cost.fills += asked.whole.fills + partial.fills;
    cost.updates += asked.whole.updates + partial.updates;
    cost.partial += sums;
    cost.energy_pj += energy;
    return energy;
}

// Of words that pass the link below one memory on their way to the one neighbour inside.
double link_energy_pj(const Architecture& architecture, int memory, const Words& kinds, const Moved& moved) {
    const Tensor& tensor = kinds.whole;
    const Memory& outer = architecture.memories[memory];
    const double area = inner_tile_areas_um2(architecture)[memory];
    const double hops = hops_to_each(architecture.fanout(memory), 1);
    double energy = 0.0;
    const auto add = [&](const Link& link, LinkDirection direction, double words, bool written) {
        if (words <= 0.0) return;
        const Deliveries deliveries{1, 1, words, hops * words};
        const bool back = written && reads_back(outer, direction);
        const LinkCost cost = link_cost(rates_of(link, area).for_tensor(tensor.name), direction, {&deliveries, 1},
                                        written, back ? std::optional<double>(words - moved.back) : std::nullopt, 1.0);
        const double share = link_share(tensor, link);
        const double sums = moved.unfinished + (back ? moved.back : 0.0);
        const double wide = written && has_sums(kinds) ? sums / (words + (back ? moved.back : 0.0)) : 0.0;
        energy += cost.energy_pj * (share + wide * (link_share(kinds.partial, link) - share));
    };
    const LinkDirection inwards = outer.update_link ? LinkDirection::operands : LinkDirection::both;
    add(outer.link, inwards, moved.in, false);
    add(outer.link, inwards, moved.out, true);
    if (outer.update_link) add(*outer.update_link, LinkDirection::results, moved.out, true);
    return energy;
}

void add_leakage(const Memory& memory, std::int64_t cycles, MemoryCost& cost, double& energy) {
    const double leakage = memory.energy.leak_pj_per_cycle.value * static_cast<double>(cycles);
    cost.leakage_pj += leakage;
    cost.energy_pj += leakage;
    energy += leakage;
}

// Sums that were begun with statistics that changed: each word is read, multiplied by a unit and written.
void add_corrections(const Architecture& architecture, int memory, const Words& kinds, double words, StoreCost& cost,
                     Evaluation& evaluation) {
    const Memory& holds = architecture.memories[memory];
    MemoryCost& memory_cost = evaluation.memories[memory];
    TensorCost& tensor_cost = memory_cost.tensors[cost.tensor];
    const Accesses accesses{words, 0.0, words};
    const Asked asked = has_sums(kinds) ? Asked{{}, accesses} : Asked{accesses, {}};
    const double access_pj = access_cost(holds, kinds, asked, 2.0 * words, tensor_cost);
    const double units_pj = words * architecture.compute.energy_pj.value;
    const std::int64_t count = static_cast<std::int64_t>(words);
    const std::int64_t memory_cycles = cycles_of(holds, kinds, asked);
    const std::int64_t cycles = std::max(memory_cycles, ceil_div(count, architecture.compute.instances));
    memory_cost.energy_pj += access_pj;
    memory_cost.cycles = checked_add(memory_cost.cycles, cycles);
    evaluation.compute_energy_pj += units_pj;
    evaluation.operations = checked_add(evaluation.operations, count);
    evaluation.correcting_operations = checked_add(evaluation.correcting_operations, count);
    cost.words_corrected += words;
    cost.energy_pj += access_pj + units_pj;
    cost.cycles = checked_add(cost.cycles, cycles);
    add_leakage(holds, cycles, memory_cost, cost.energy_pj);
}

// What moves between the store's memory and the one outside.
void add_traffic(const Architecture& architecture, int outside, int inside, const Words& words, const Moved& moved,
                 StoreCost& cost, Evaluation& evaluation) {
    const Memory& outer = architecture.memories[outside];
    const Memory& inner = architecture.memories[inside];
    MemoryCost& outer_cost = evaluation.memories[outside];
    MemoryCost& inner_cost = evaluation.memories[inside];
    const auto t = static_cast<std::size_t>(cost.tensor);
    const double in = moved.in + moved.back;
    Asked outwards{{in, 0.0, moved.out}, {}};
    Asked inwards{{0.0, in, 0.0}, {}};
    if (has_sums(words)) {
        outwards = {{moved.in, 0.0, moved.out - moved.unfinished}, {moved.back, 0.0, moved.unfinished}};
        inwards = {{0.0, moved.in, 0.0}, {0.0, moved.back, 0.0}};
    }
    const double outer_pj = access_cost(outer, words, outwards, in + moved.out, outer_cost.tensors[t]);
    const double inner_pj = access_cost(inner, words, inwards, in, inner_cost.tensors[t]);
    outer_cost.energy_pj += outer_pj;
    inner_cost.energy_pj += inner_pj;
    cost.energy_pj += outer_pj + inner_pj;
    for (int m = outside; m < inside; ++m) {
        const double link = link_energy_pj(architecture, m, words, moved);
        evaluation.memories[m].link_energy_pj += link;
        cost.energy_pj += link;
    }
    const std::int64_t outer_cycles = cycles_of(outer, words, outwards);
    const std::int64_t inner_cycles = cycles_of(inner, words, inwards);
    outer_cost.cycles = checked_add(outer_cost.cycles, outer_cycles);
    inner_cost.cycles = checked_add(inner_cost.cycles, inner_cycles);
    const std::int64_t cycles = std::max(outer_cycles, inner_cycles);
    cost.cycles = checked_add(cost.cycles, cycles);
    add_leakage(outer, cycles, outer_cost, cost.energy_pj);
    add_leakage(inner, cycles, inner_cost, cost.energy_pj);
}

}  // namespace

StoreCost store_cost(const Cascade& cascade, const Architecture& architecture, const FusedTree& tree,
                     const WalkCounts& counts, int store, Evaluation& evaluation, const PartialBits& partial) {
    const StoreCounts& one = counts.stores[store];
    const Tensor& tensor = operand_of(cascade, tree, one);
    Words words{tensor, tensor};
    if (const std::int64_t bits = partial_bits_of(partial, one.tensor); bits > 0) words.partial.bits = bits;
    const Moved moved{static_cast<double>(one.words_in), static_cast<double>(one.words_back),
                      static_cast<double>(one.words_out),
                      has_sums(words) ? static_cast<double>(one.words_out - one.words_finished) : 0.0};
    StoreCost cost{.store = one.store, .tensor = one.tensor, .words_in = moved.in + moved.back, .words_out = moved.out};
    cost.tile_words = one.tile_words;
    cost.throughout = is_reserved_throughout(tree, one);
    const int inside = tree.store(one.store)->memory;
    if (one.words_corrected > 0)
        add_corrections(architecture, inside, words, static_cast<double>(one.words_corrected), cost, evaluation);
    if (one.outer >= 0)
        add_traffic(architecture, tree.store(counts.stores[one.outer].store)->memory, inside, words, moved, cost,
                    evaluation);
    return cost;
}

}  // namespace tilewright::fused
