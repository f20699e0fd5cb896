#include "model/exact/costs.hpp"

#include <algorithm>
#include <cmath>

namespace tilewright {
namespace {

// Timeloop adds these sums up in unsigned integers; negative ones do not occur.
double truncated(double value) { return value > 0.0 ? fast_floor(value) : 0.0; }

double multicast_energy_pj(const LinkRates& rates, std::int64_t copies) {
    if (rates.multicast_pj == nullptr || rates.multicast_pj->empty()) return 0.0;
    if (rates.multicast_pj->size() == 1) return rates.multicast_pj->begin()->second;
    const auto found = rates.multicast_pj->find(copies);
    return found == rates.multicast_pj->end() ? 0.0 : found->second;
}

LinkCost mesh_cost(const LinkRates& rates, LinkDirection direction, std::span<const Deliveries> deliveries,
                   bool written, std::optional<double> read_back_less, double instances) {
    LinkCost cost;
    double routers = 0.0;
    for (const Deliveries& delivery : deliveries) {
        // First arrivals may be spread over several multicasts: each has at most all words.
        const double back = read_back_less ? std::max(0.0, delivery.words - *read_back_less) : 0.0;
        const double words = delivery.words + back;
        cost.words += words;
        cost.hops += delivery.hops;
        if (words > 0.0) routers = truncated(routers + (1.0 + fast_floor(delivery.hops / words)) * words);
        if (written && direction != LinkDirection::operands)
            cost.spatial_reductions =
                truncated(cost.spatial_reductions + static_cast<double>(delivery.copies - 1) * words);
    }
    cost.energy_pj = (cost.hops * rates.hop_pj + routers * rates.router_pj) * instances;
    return cost;
}

// The energy of the largest multicast stands for all, as in Timeloop.
LinkCost simple_multicast_cost(const LinkRates& rates, std::span<const Deliveries> deliveries, double instances) {
    LinkCost cost;
    for (const Deliveries& delivery : deliveries) {
        cost.words += delivery.words;
        if (delivery.words > 0.0)
            cost.energy_pj = multicast_energy_pj(rates, delivery.copies) * delivery.words * instances;
    }
    return cost;
}

// Timeloop does not multiply a tree's energy by the instances of the memory above it.
LinkCost reduction_tree_cost(const LinkRates& rates, std::span<const Deliveries> deliveries, bool written) {
    LinkCost cost;
    if (!written) return cost;
    for (const Deliveries& delivery : deliveries) {
        cost.words += delivery.words;
        cost.spatial_reductions =
            truncated(cost.spatial_reductions + static_cast<double>(delivery.copies - 1) * delivery.words);
        cost.hops += std::floor(std::log2(static_cast<double>(delivery.copies))) * 0.5 * delivery.words;
    }
    cost.energy_pj = cost.hops * rates.hop_pj + cost.spatial_reductions * rates.adder_pj;
    return cost;
}

}  // namespace

MemoryRates rates_of(const Memory& memory) {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    MemoryRates rates;
    rates.read_pj = memory.energy.read_pj.value;
    rates.fill_pj = memory.energy.fill_pj.value;
    rates.update_pj = memory.energy.update_pj.value;
    rates.address_pj = memory.address_energy_pj.value_or(0.0);
    rates.leak_pj_per_cycle = memory.energy.leak_pj_per_cycle.value;
    rates.clusters = memory.instances / memory.cluster_size;
    rates.read_words_per_cycle = memory.read_words_per_cycle.value_or(kNever);
    rates.write_words_per_cycle = memory.write_words_per_cycle.value_or(kNever);
    rates.shared_words_per_cycle = memory.shared_words_per_cycle.value_or(kNever);
    rates.write_stall_cycles = memory.write_stall_cycles;
    return rates;
}

Rows rows_of(const Memory& memory, const Tensor& tensor) {
    const double words = words_per_access(tensor, memory);
    const auto whole = static_cast<std::int64_t>(words);
    if (words < 1.0) return {words, std::round(1.0 / words)};
    return {words, (whole & (whole - 1)) == 0 ? 1.0 / words : 0.0};
}

double leaking_instances(const Architecture& architecture, int index, std::span<const double> used) {
    const Memory& memory = architecture.memories[index];
    const int gate = memory.power_gated_at ? find_memory(architecture, *memory.power_gated_at) : index;
    const double under_gate =
        static_cast<double>(memory.instances) / static_cast<double>(architecture.memories[gate].instances);
    if (under_gate > 1.0) return under_gate * std::max(1.0, used[gate]);
    return std::max(1.0, used[index]);
}

std::vector<double> inner_tile_areas_um2(const Architecture& architecture) {
    std::vector<double> areas(architecture.memories.size());
    double tile = architecture.compute.area_um2.value;
    std::int64_t inner_instances = architecture.compute.instances;
    for (int i = architecture.memory_count() - 1; i >= 0; --i) {
        const Memory& memory = architecture.memories[i];
        areas[i] = tile;
        const std::int64_t inside = inner_instances / memory.instances;
        tile = memory.area_um2.value + tile * static_cast<double>(inside);
        inner_instances = memory.instances;
    }
    return areas;
}

LinkRates rates_of(const Link& link, double inner_tile_um2) {
    LinkRates rates;
    rates.kind = link.kind;
    const double wire = link.wire_energy_pj_per_bit_mm.value_or(0.0);
    if (link.energy_per_hop_pj) {
        rates.hop_pj = *link.energy_per_hop_pj;
    } else if (wire != 0.0) {
        const double width_um = link.tile_width_um.value_or(std::sqrt(inner_tile_um2));
        rates.hop_pj = static_cast<double>(link.word_bits) * (width_um / 1000.0) * wire;
    }
    rates.router_pj = link.router_energy_pj.value_or(0.0);
    rates.adder_pj = link.adder_energy_pj;
    rates.multicast_pj = &link.multicast_energy_pj;
    if (!link.tensor_multicast_energy_pj.empty()) rates.by_tensor = &link;
    rates.has_passages = !link.passages.empty();
    return rates;
}

bool LinkRates::wires_are_free() const {
    const auto costs_nothing = [](const std::map<std::int64_t, double>& energies) {
        return std::ranges::all_of(energies, [](const auto& entry) { return entry.second == 0.0; });
    };
    switch (kind) {
        case NetworkKind::legacy: return hop_pj == 0.0 && router_pj == 0.0;
        case NetworkKind::simple_multicast:
            if (by_tensor != nullptr)
                return std::ranges::all_of(by_tensor->tensor_multicast_energy_pj,
                                           [&](const auto& entry) { return costs_nothing(entry.second); });
            return multicast_pj == nullptr || costs_nothing(*multicast_pj);
        case NetworkKind::reduction_tree: return hop_pj == 0.0 && adder_pj == 0.0;
    }
    return false;
}

LinkCost link_cost(const LinkRates& rates, LinkDirection direction, std::span<const Deliveries> deliveries,
                   bool written, std::optional<double> read_back_less, double instances) {
    switch (rates.kind) {
        case NetworkKind::legacy: return mesh_cost(rates, direction, deliveries, written, read_back_less, instances);
        case NetworkKind::simple_multicast: return simple_multicast_cost(rates, deliveries, instances);
        case NetworkKind::reduction_tree: return reduction_tree_cost(rates, deliveries, written);
    }
    return {};
}

double passing_words(std::span<const Deliveries> deliveries) {
    double words = 0.0;
    for (const Deliveries& delivery : deliveries) words += delivery.words;
    return words;
}

std::int64_t link_latency_cycles(const Memory& memory) {
    // Timeloop takes the fill latency of a separate update network for its drain latency too.
    const std::int64_t drain =
        memory.update_link ? memory.update_link->fill_latency_cycles : memory.link.drain_latency_cycles;
    return memory.link.fill_latency_cycles + drain;
}

double group_hops(std::span<const std::int64_t> positions, const Mesh& grid, std::span<ColumnSpan> columns) {
    const double centre = static_cast<double>(grid.y - 1) / 2.0;
    std::int64_t furthest = 0;
    std::int64_t nearest = grid.x - 1;
    for (const std::int64_t position : positions) {
        furthest = std::max(furthest, position % grid.x);
        nearest = std::min(nearest, position % grid.x);
    }
    std::fill(columns.begin() + nearest, columns.begin() + furthest + 1, ColumnSpan{});
    for (const std::int64_t position : positions) {
        ColumnSpan& column = columns[position % grid.x];
        const std::int64_t y = position / grid.x;
        if (column.high < column.low) column.low = y;
        column.high = y;
    }
    double hops = static_cast<double>(furthest);
    for (std::int64_t x = nearest; x <= furthest; ++x) {
        if (columns[x].high < columns[x].low) continue;
        const double above = centre - static_cast<double>(columns[x].low);
        const double below = static_cast<double>(columns[x].high) - centre;
        hops += std::max(0.0, above) + std::max(0.0, below);
    }
    return hops;
}

}  // namespace tilewright
