#include "same_machine.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace tilewright::property {
namespace {

constexpr Relation kSame;
constexpr Relation kNoWorse{.equal = false};

bool costs(const Link& link) {
    return link.energy_per_hop_pj.value_or(0.0) > 0.0 || link.wire_energy_pj_per_bit_mm.value_or(0.0) > 0.0 ||
           link.router_energy_pj.value_or(0.0) > 0.0;
}

// Words enter a mesh in the middle of its left edge, so that what they cost on the way is another matter.
std::optional<Relation> swap_axes(LayerCase& layer) {
    for (const Memory& memory : layer.architecture.memories)
        if (costs(memory.link) || (memory.update_link && costs(*memory.update_link))) return std::nullopt;
    for (const LevelConstraint& level : layer.constraints.levels)
        if (level.spatial.split) return std::nullopt;
    for (Memory& memory : layer.architecture.memories) std::swap(memory.mesh.x, memory.mesh.y);
    std::swap(layer.architecture.compute.mesh.x, layer.architecture.compute.mesh.y);
    if (!layer.mapping) return kSame;
    for (Node& node : layer.mapping->nodes)
        if (Loop* loop = std::get_if<Loop>(&node); loop != nullptr && loop->is_spatial())
            loop->kind = loop->kind == LoopKind::spatial_x ? LoopKind::spatial_y : LoopKind::spatial_x;
    return kSame;
}

void scale(Link& link, double by) {
    for (std::optional<double>* energy :
         {&link.energy_per_hop_pj, &link.wire_energy_pj_per_bit_mm, &link.router_energy_pj})
        if (*energy) **energy *= by;
    link.adder_energy_pj *= by;
    for (auto& [factor, energy] : link.multicast_energy_pj) energy *= by;
    for (auto& [tensor, energies] : link.tensor_multicast_energy_pj)
        for (auto& [factor, energy] : energies) energy *= by;
}

void scale(sparse::Design& design, double by) {
    design.gated_compute_pj *= by;
    design.skipped_compute_pj *= by;
    for (sparse::MemoryDesign& memory : design.memories) {
        for (sparse::AccessEnergies* energies :
             {&memory.gated, &memory.skipped, &memory.metadata, &memory.gated_metadata, &memory.skipped_metadata})
            for (double* energy : {&energies->read_pj, &energies->fill_pj, &energies->update_pj}) *energy *= by;
        memory.decompression_pj *= by;
        memory.compression_pj *= by;
    }
}

std::optional<Relation> scale_energies(Random& random, LayerCase& layer) {
    const double by = random.chance(0.3) ? 0.5 : static_cast<double>(std::int64_t{1} << random.between(1, 4));
    for (Memory& memory : layer.architecture.memories) {
        for (Sourced* energy : {&memory.energy.read_pj, &memory.energy.fill_pj, &memory.energy.update_pj,
                                &memory.energy.leak_pj_per_cycle})
            energy->value *= by;
        if (memory.address_energy_pj) *memory.address_energy_pj *= by;
        scale(memory.link, by);
        if (memory.update_link) scale(*memory.update_link, by);
    }
    layer.architecture.compute.energy_pj.value *= by;
    layer.architecture.compute.leak_pj_per_cycle.value *= by;
    if (layer.design) scale(*layer.design, by);
    return Relation{.energies = by};
}

// Loops lie at the memory outside it as before.
LevelConstraint that_keeps_nothing(const Einsum& einsum) {
    LevelConstraint level;
    level.must_bypass = TensorSet::all(einsum.tensor_count());
    level.temporal.factors.resize(einsum.dimensions.size());
    for (FactorConstraint& factor : level.temporal.factors) factor.exactly = 1;
    return level;
}

// Where every stretch of the nest is whole: the new memory's store stands just outside that of the next one inside.
bool insert_store(Mapping& mapping, int at, int memories) {
    if (!is_even(mapping, memories)) return false;
    std::vector<MappingLevel> levels = levels_of(mapping, memories);
    levels.insert(levels.begin() + at, MappingLevel{});
    mapping = mapping_of(levels);
    return true;
}

// Another memory, outside as many instances of the next one inside.
std::optional<Relation> add_memory(Random& random, LayerCase& layer, bool is_useless) {
    Architecture& machine = layer.architecture;
    constexpr int kMostMemories = 4;  // mappings of more are many
    if (machine.memory_count() > kMostMemories) return std::nullopt;
    const auto at = static_cast<int>(random.between(1, machine.memory_count()));
    if (layer.mapping && !insert_store(*layer.mapping, at, machine.memory_count())) return std::nullopt;
    Memory memory;
    memory.name = "added";
    memory.mesh = machine.mesh(at);
    memory.instances = memory.mesh.size();
    for (Sourced* energy : {&memory.energy.read_pj, &memory.energy.fill_pj, &memory.energy.update_pj})
        *energy = {static_cast<double>(random.between(0, 80)) / 8.0, "added"};
    if (is_useless)
        memory.spreads_only = random.chance(0.5);
    else
        memory.capacity_words = random.between(2, 60);
    machine.memories.insert(machine.memories.begin() + at, std::move(memory));
    if (layer.constraints.levels.empty() && is_useless) layer.constraints.levels.resize(machine.memories.size() - 1);
    if (!layer.constraints.levels.empty())
        layer.constraints.levels.insert(layer.constraints.levels.begin() + at,
                                        is_useless ? that_keeps_nothing(layer.einsum) : LevelConstraint{});
    if (layer.design) {
        sparse::MemoryDesign idle;
        idle.formats.resize(layer.einsum.tensors.size());
        layer.design->memories.insert(layer.design->memories.begin() + at, std::move(idle));
    }
    return is_useless ? kSame : kNoWorse;
}

bool has_to_be_filled(const Architecture& machine) {
    return std::ranges::any_of(machine.memories, [](const Memory& one) { return one.min_utilization > 0.0; });
}

std::optional<Relation> double_capacity(Random& random, LayerCase& layer) {
    Memory& memory = layer.architecture.memories[random.below(layer.architecture.memories.size())];
    if (!memory.capacity_words || has_to_be_filled(layer.architecture)) return std::nullopt;
    *memory.capacity_words *= 2;
    return kNoWorse;
}

std::optional<Relation> double_bandwidth(Random& random, LayerCase& layer) {
    Memory& memory = layer.architecture.memories[random.below(layer.architecture.memories.size())];
    bool any = false;
    for (std::optional<double>* rate :
         {&memory.read_words_per_cycle, &memory.write_words_per_cycle, &memory.shared_words_per_cycle}) {
        if (!*rate) continue;
        **rate *= 2.0;
        any = true;
    }
    return any ? std::optional(kNoWorse) : std::nullopt;
}

// The outermost memory keeps what it is not told to leave out: demands there make something possible, too.
std::optional<Relation> free_level(Random& random, LayerCase& layer) {
    std::vector<LevelConstraint>& levels = layer.constraints.levels;
    if (levels.size() < 2) return std::nullopt;
    levels[1 + random.below(levels.size() - 1)] = {};
    levels.front().temporal = levels.front().spatial = {};
    layer.constraints.min_parallelism = 0.0;
    return kNoWorse;
}

}  // namespace

std::optional<Relation> rewrite_machine(LayerRewriting rewriting, Random& random, LayerCase& layer) {
    switch (rewriting) {
        case LayerRewriting::axes: return swap_axes(layer);
        case LayerRewriting::energies: return scale_energies(random, layer);
        case LayerRewriting::useless_memory: return add_memory(random, layer, true);
        case LayerRewriting::free_memory: return add_memory(random, layer, false);
        case LayerRewriting::capacity: return double_capacity(random, layer);
        case LayerRewriting::bandwidth: return double_bandwidth(random, layer);
        case LayerRewriting::cheaper:
            layer.architecture.memories[random.below(layer.architecture.memories.size())].energy.read_pj.value *= 0.5;
            return kNoWorse;
        case LayerRewriting::freedom: return free_level(random, layer);
        default: return std::nullopt;
    }
}

}  // namespace tilewright::property
