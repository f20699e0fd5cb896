#include "model/exact/model.hpp"

#include <stdexcept>

#include "base/numbers/checked.hpp"
#include "mapping/tile.hpp"
#include "mapping/uneven.hpp"
#include "model/exact/costs.hpp"
#include "model/exact/nest.hpp"
#include "model/exact/traffic.hpp"

namespace tilewright {
namespace {

// Totals of one tensor at one memory over all instances, after bypass.
struct Share {
    bool on_link = false;                ///< the link below carries this tensor (also if the memory is bypassed)
    std::vector<Deliveries> deliveries;  ///< per instance
    Accesses total;
    double link_words = 0.0;
    double link_delivered = 0.0;
    double passing = 0.0;
    int asking = 0;  ///< source of tiles arriving from inside (asking_level)
};

std::vector<Deliveries> deliveries_of(const Traffic& traffic) {
    std::vector<Deliveries> deliveries;
    for (const Multicast& m : traffic.by_copies)
        deliveries.push_back({m.copies, 1, static_cast<double>(m.words), m.hops});
    return deliveries;
}

// Of a result, from inside; they need no read.
double first_arrivals(const Nest& nest, int level, const Share& share, int tensor) {
    return static_cast<double>(arriving_words(nest, level, share.asking, tensor));
}

// All shares of one tensor, outermost memory first.
std::vector<Share> shares_of(const Nest& nest, int tensor, const std::vector<bool>& keeps, bool resumed) {
    const bool written = nest.einsum->tensors[tensor].written;
    const bool gapless = !written || is_gapless(nest.einsum->tensors[tensor]);
    std::vector<Traffic> below;  // first as if every memory kept the tensor
    for (int i = 0; i < nest.level_count(); ++i) below.push_back(traffic_below(nest, i, tensor));
    std::vector<double> arriving(keeps.size(), 0.0);
    for (std::size_t i = 1; i < keeps.size(); ++i) arriving[i] = static_cast<double>(below[i - 1].delivered);
    for (int i = 0; i < nest.level_count(); ++i)
        if (keeps[i]) pass_on(nest, i, asking_level(keeps, i), tensor, below);

    std::vector<Share> shares(keeps.size());
    bool outermost = true;
    for (std::size_t i = 0; i < keeps.size(); ++i) {
        if (outermost && !keeps[i]) continue;  // no traffic outside the outermost keeping memory
        Share& share = shares[i];
        share.on_link = true;
        share.deliveries = deliveries_of(below[i]);
        share.passing = static_cast<double>(below[i].words);
        const int level = static_cast<int>(i);
        share.asking = asking_level(keeps, level);
        if (keeps[i]) {
            const auto words = static_cast<double>(below[i].words);
            share.link_words = words;
            share.link_delivered = static_cast<double>(below[i].delivered);
            const double held = written && !resumed ? static_cast<double>(distinct_words(nest, level, tensor)) : 0.0;
            const double arrived = gapless || resumed ? held : first_arrivals(nest, level, share, tensor);
            share.total.reads = written ? words - arrived : words;
            share.total.updates = written ? words : 0.0;
            share.total.fills = outermost ? 0.0 : arriving[i] - held;
        }
        outermost = false;
    }
    for (std::size_t i = 0; i < keeps.size(); ++i)
        for (Deliveries& d : shares[i].deliveries) {
            d.words /= static_cast<double>(nest.levels[i].instances);
            d.hops /= static_cast<double>(nest.levels[i].instances);
        }
    return shares;
}

struct Context {
    const Einsum& einsum;
    const Architecture& architecture;
    std::vector<Nest> nests;  ///< by tensor
    std::int64_t compute_cycles;
    TensorSet resumed;

    /// The part equal for all tensors: instances, fan-outs.
    const Nest& nest() const { return nests.front(); }
};

TensorTraffic tensor_traffic(const Context& context, int level, int tensor, const Share& share, bool kept,
                             std::int64_t tile_words) {
    TensorTraffic traffic;
    const double instances = static_cast<double>(context.nest().levels[level].instances);
    traffic.instances = instances;
    traffic.kept = kept;
    if (!kept) return traffic;
    const std::int64_t spread = context.nest().levels[level].addressed;
    const MemoryRates rates = rates_of(context.architecture.memories[level]);
    const Accesses each{share.total.reads / instances, share.total.fills / instances, share.total.updates / instances};
    const double generations = address_generations(each, context.einsum.tensors[tensor].written);
    traffic.tile_words = tile_words;
    traffic.reads = share.total.reads;
    traffic.fills = share.total.fills;
    traffic.updates = share.total.updates;
    traffic.address_generations = generations * address_generators(rates, spread, instances);
    const Rows rows = rows_of(context.architecture.memories[level], context.einsum.tensors[tensor]);
    traffic.energy_pj = access_energy_pj(rates, rows, each, spread, instances);
    traffic.address_energy_pj = traffic.address_generations * rates.address_pj;
    return traffic;
}

LinkTraffic link_traffic(const Context& context, int level, int tensor, const Share& share, double inner_tile_um2) {
    LinkTraffic traffic;
    if (!share.on_link) return traffic;
    const Memory& memory = context.architecture.memories[level];
    const bool written = context.einsum.tensors[tensor].written;
    const double instances = static_cast<double>(context.nest().levels[level].instances);
    traffic.words = share.link_words;
    traffic.delivered = share.link_delivered;
    traffic.passing = share.passing;
    const auto add = [&](const Link& link, LinkDirection direction) {
        std::optional<double> read_back_less;
        if (written && reads_back(memory, direction))
            read_back_less = context.resumed.has(tensor)
                                 ? 0.0
                                 : first_arrivals(context.nests[tensor], level, share, tensor) / instances;
        const LinkRates rates = rates_of(link, inner_tile_um2).for_tensor(context.einsum.tensors[tensor].name);
        const LinkCost cost = link_cost(rates, direction, share.deliveries, written, read_back_less, instances);
        traffic.hops += cost.hops * instances;
        traffic.spatial_reductions += cost.spatial_reductions * instances;
        traffic.energy_pj += cost.energy_pj * link_share(context.einsum.tensors[tensor], link);
    };
    if (!memory.link.passages.empty())
        traffic.energy_pj += share.passing * passage_pj(memory.link, context.einsum, tensor);
    if (!memory.update_link) {
        add(memory.link, LinkDirection::both);
        return traffic;
    }
    add(memory.link, LinkDirection::operands);
    if (written) add(*memory.update_link, LinkDirection::results);
    return traffic;
}

// Cycles of one memory for its tensors' accesses per instance.
void bound_cycles(const Context& context, int level, MemoryEvaluation& evaluation) {
    const Memory& memory = context.architecture.memories[level];
    const double instances = static_cast<double>(context.nest().levels[level].instances);
    Demand sum;
    for (int t = 0; t < context.einsum.tensor_count(); ++t) {
        TensorTraffic& traffic = evaluation.tensors[t];
        const double share = bandwidth_share(context.einsum.tensors[t], memory);
        const Accesses each{traffic.reads / instances, traffic.fills / instances, traffic.updates / instances};
        const Demand demand = demand_of(each, 1.0, context.compute_cycles, share);
        traffic.bandwidth_share = share;
        traffic.read_words_per_cycle = demand.read;
        traffic.write_words_per_cycle = demand.write;
        sum.read += demand.read;
        sum.write += demand.write;
    }
    const Throttle limit = throttle(rates_of(memory), sum);
    evaluation.slowdown = limit.slowdown;
    evaluation.bound = limit.bound;
    evaluation.cycles = throttled_cycles(context.compute_cycles, limit.slowdown);
    for (TensorTraffic& traffic : evaluation.tensors) {
        traffic.read_words_per_cycle *= limit.slowdown;
        traffic.write_words_per_cycle *= limit.slowdown;
    }
}

std::vector<MemoryEvaluation> evaluate_memories(const Context& context, const Mapping& mapping) {
    const int memory_count = context.architecture.memory_count();
    const std::vector<MappingLevel> levels = owned_levels(mapping, memory_count);
    const std::vector<Extents> inside = extents_inside(context.einsum, mapping);
    const std::vector<double> inner_areas = inner_tile_areas_um2(context.architecture);
    std::vector<MemoryEvaluation> memories(static_cast<std::size_t>(memory_count));
    for (int t = 0; t < context.einsum.tensor_count(); ++t) {
        std::vector<bool> keeps;
        for (const MappingLevel& level : levels) keeps.push_back(level.keep.has(t));
        const std::vector<int> stores = store_positions(mapping, memory_count, t);
        const std::vector<Share> shares = shares_of(context.nests[t], t, keeps, context.resumed.has(t));
        for (int i = 0; i < memory_count; ++i) {
            const std::int64_t words = box_words(context.einsum.tensors[t], inside[stores[i]]);
            memories[i].tensors.push_back(tensor_traffic(context, i, t, shares[i], keeps[i], words));
            memories[i].link.push_back(link_traffic(context, i, t, shares[i], inner_areas[i]));
        }
    }
    for (int i = 0; i < memory_count; ++i) {
        const Memory& memory = context.architecture.memories[i];
        memories[i].name = memory.name;
        memories[i].area_um2 = memory.area_um2.value * static_cast<double>(memory.instances);
        const Capacity capacity = capacity_of(memory, context.einsum);
        std::int64_t units = 0;
        for (int t = 0; t < context.einsum.tensor_count(); ++t)
            units = checked_add(units, capacity.units(t, memories[i].tensors[t].tile_words));
        memories[i].used_words = capacity.words(units);
        for (const LinkTraffic& link : memories[i].link) memories[i].link_energy_pj += link.energy_pj;
        bound_cycles(context, i, memories[i]);
    }
    return memories;
}

void add_leakage(const Context& context, std::int64_t cycles, std::vector<MemoryEvaluation>& memories) {
    std::vector<double> used;
    for (const NestLevel& level : context.nest().levels) used.push_back(static_cast<double>(level.instances));
    for (int i = 0; i < context.architecture.memory_count(); ++i) {
        MemoryEvaluation& memory = memories[i];
        memory.leakage_pj = context.architecture.memories[i].energy.leak_pj_per_cycle.value *
                            static_cast<double>(cycles) * leaking_instances(context.architecture, i, used);
        memory.energy_pj = memory.leakage_pj;
        for (const TensorTraffic& traffic : memory.tensors)
            memory.energy_pj += traffic.energy_pj + traffic.address_energy_pj;
    }
}

void check_options(const Mapping& mapping) {
    for (const LevelOptions& options : mapping.options)
        if (options != LevelOptions{})
            throw std::invalid_argument(
                "the mapping sets accounting options (no_reuse, no_link_transfer, rmw_first_update, no_coalesce), "
                "which only Timeloop's accounting honours");
}

}  // namespace

Evaluation evaluate(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                    const StopSource* stop, TensorSet resumed) {
    check_options(mapping);
    std::vector<Nest> nests = flatten_by_tensor(einsum, architecture, mapping, stop);
    const std::int64_t steps = time_steps(nests.front());
    const Context context{einsum, architecture, std::move(nests), steps, resumed};
    const Nest& nest = context.nest();
    const Compute& compute = architecture.compute;

    Evaluation evaluation;
    evaluation.computes = operation_count(einsum);
    evaluation.compute_cycles = context.compute_cycles;
    evaluation.compute_units_used = nest.units;
    evaluation.compute_energy_pj = static_cast<double>(evaluation.computes) * compute.energy_pj.value;
    evaluation.memories = evaluate_memories(context, mapping);

    std::int64_t busiest = evaluation.compute_cycles;
    for (int i = 0; i < architecture.memory_count(); ++i) {
        if (evaluation.memories[i].cycles > busiest) {
            busiest = evaluation.memories[i].cycles;
            evaluation.bounding_memory = i;
        }
        evaluation.link_latency_cycles += link_latency_cycles(architecture.memories[i]);
    }
    add_leakage(context, busiest, evaluation.memories);
    evaluation.compute_leakage_pj = compute.leak_pj_per_cycle.value * static_cast<double>(busiest) *
                                    static_cast<double>(evaluation.compute_units_used);
    evaluation.cycles = busiest + evaluation.link_latency_cycles;
    evaluation.energy_pj = evaluation.compute_energy_pj + evaluation.compute_leakage_pj;
    for (const MemoryEvaluation& memory : evaluation.memories)
        evaluation.energy_pj += memory.energy_pj + memory.link_energy_pj;
    evaluation.area_um2 = total_area_um2(architecture);
    evaluation.utilization = static_cast<double>(evaluation.computes) / static_cast<double>(compute.instances) /
                             static_cast<double>(evaluation.cycles);
    return evaluation;
}

}  // namespace tilewright
