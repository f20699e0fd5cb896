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
};

// The operand of the first leaf inside that uses the tensor: its width and its name in bandwidth scales.
const Tensor& operand_of(const Cascade& cascade, const FusedTree& tree, const StoreCounts& store) {
    for (const int leaf : tree.leaves(store.store)) {
        const CascadeEinsum& einsum = cascade.einsums[tree.leaf(leaf)->einsum];
        for (std::size_t t = 0; t < einsum.accesses.size(); ++t)
            if (einsum.accesses[t].tensor == store.tensor) return einsum.einsum.tensors[t];
    }
    throw std::logic_error("a store of a tensor without uses");
}

// Cycles of a memory that does nothing else.
std::int64_t cycles_of(const Memory& memory, const Tensor& tensor, double reads, double writes) {
    const MemoryRates rates = rates_of(memory);
    const double share = bandwidth_share(tensor, memory);
    const double cycles =
        std::max({reads * share / rates.read_words_per_cycle, writes * share / rates.write_words_per_cycle,
                  (reads + writes) * share / rates.shared_words_per_cycle});
    return cycles > 0.0 ? throttled_cycles(1, 1.0 / cycles) : 0;
}

// One memory's part: what it is read and written, and addresses.
double access_cost(const Memory& memory, const Tensor& tensor, const Accesses& accesses, double addresses,
                   TensorCost& cost) {
    const MemoryRates rates = rates_of(memory);
    const double energy =
        access_energy_pj(rates, rows_of(memory, tensor), accesses, 1, 1.0) + addresses * rates.address_pj;
    cost.reads += accesses.reads;
    cost.fills += accesses.fills;
    cost.updates += accesses.updates;
    cost.energy_pj += energy;
    return energy;
}

// Of words that pass the link below one memory on their way to the one neighbour inside.
double link_energy_pj(const Architecture& architecture, int memory, const Tensor& tensor, const Moved& moved) {
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
        energy += cost.energy_pj * link_share(tensor, link);
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
void add_corrections(const Architecture& architecture, int memory, const Tensor& tensor, double words, StoreCost& cost,
                     Evaluation& evaluation) {
    const Memory& holds = architecture.memories[memory];
    MemoryCost& memory_cost = evaluation.memories[memory];
    TensorCost& tensor_cost = memory_cost.tensors[cost.tensor];
    const double access_pj = access_cost(holds, tensor, {words, 0.0, words}, 2.0 * words, tensor_cost);
    const double units_pj = words * architecture.compute.energy_pj.value;
    const std::int64_t count = static_cast<std::int64_t>(words);
    const std::int64_t memory_cycles = cycles_of(holds, tensor, words, words);
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

}  // namespace

StoreCost store_cost(const Cascade& cascade, const Architecture& architecture, const FusedTree& tree,
                     const WalkCounts& counts, int store, Evaluation& evaluation) {
    const StoreCounts& one = counts.stores[store];
    const Moved moved{static_cast<double>(one.words_in), static_cast<double>(one.words_back),
                      static_cast<double>(one.words_out)};
    StoreCost cost{.store = one.store, .tensor = one.tensor, .words_in = moved.in + moved.back, .words_out = moved.out};
    cost.tile_words = one.tile_words;
    cost.throughout = is_reserved_throughout(tree, one);
    const Tensor& tensor = operand_of(cascade, tree, one);
    if (one.words_corrected > 0)
        add_corrections(architecture, tree.store(one.store)->memory, tensor, static_cast<double>(one.words_corrected),
                        cost, evaluation);
    if (one.outer < 0) return cost;
    const int outside = tree.store(counts.stores[one.outer].store)->memory;
    const int inside = tree.store(one.store)->memory;
    const Memory& outer = architecture.memories[outside];
    const Memory& inner = architecture.memories[inside];
    MemoryCost& outer_cost = evaluation.memories[outside];
    MemoryCost& inner_cost = evaluation.memories[inside];
    const auto t = static_cast<std::size_t>(one.tensor);
    const double in = moved.in + moved.back;
    const double outer_pj =
        access_cost(outer, tensor, {in, 0.0, moved.out}, moved.in + moved.out, outer_cost.tensors[t]);
    const double inner_pj = access_cost(inner, tensor, {0.0, in, 0.0}, in, inner_cost.tensors[t]);
    outer_cost.energy_pj += outer_pj;
    inner_cost.energy_pj += inner_pj;
    cost.energy_pj += outer_pj + inner_pj;
    for (int m = outside; m < inside; ++m) {
        const double link = link_energy_pj(architecture, m, tensor, moved);
        evaluation.memories[m].link_energy_pj += link;
        cost.energy_pj += link;
    }
    const std::int64_t outer_cycles = cycles_of(outer, tensor, in, moved.out);
    const std::int64_t inner_cycles = cycles_of(inner, tensor, 0.0, in);
    outer_cost.cycles = checked_add(outer_cost.cycles, outer_cycles);
    inner_cost.cycles = checked_add(inner_cost.cycles, inner_cycles);
    const std::int64_t cycles = std::max(outer_cycles, inner_cycles);
    cost.cycles = checked_add(cost.cycles, cycles);
    add_leakage(outer, cycles, outer_cost, cost.energy_pj);
    add_leakage(inner, cycles, inner_cost, cost.energy_pj);
    return cost;
}

}  // namespace tilewright::fused
