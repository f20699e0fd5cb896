#include "codesign/relaxation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tilewright::codesign {
namespace {

// A present number stays present, as zero.
void blank(std::optional<double>& number) {
    if (number) number = 0.0;
}

Link form_of(Link link) {
    blank(link.energy_per_hop_pj);
    blank(link.wire_energy_pj_per_bit_mm);
    blank(link.router_energy_pj);
    blank(link.tile_width_um);
    link.adder_energy_pj = 0.0;
    link.fill_latency_cycles = link.drain_latency_cycles = 0;
    link.energy_source.clear();
    return link;
}

void take_least(double& best, double other) { best = std::min(best, other); }

void take_least(std::optional<double>& best, const std::optional<double>& other) {
    if (best) best = std::min(*best, other.value_or(0.0));
}

/// Nothing never binds.
template <class Number>
void take_most(std::optional<Number>& best, const std::optional<Number>& other) {
    if (!best || !other)
        best.reset();
    else
        best = std::max(*best, *other);
}

void relax(Link& best, const Link& other) {
    take_least(best.energy_per_hop_pj, other.energy_per_hop_pj);
    take_least(best.wire_energy_pj_per_bit_mm, other.wire_energy_pj_per_bit_mm);
    take_least(best.router_energy_pj, other.router_energy_pj);
    take_least(best.tile_width_um, other.tile_width_um);
    take_least(best.adder_energy_pj, other.adder_energy_pj);
    best.fill_latency_cycles = std::min(best.fill_latency_cycles, other.fill_latency_cycles);
    best.drain_latency_cycles = std::min(best.drain_latency_cycles, other.drain_latency_cycles);
}

void make_free(Link& link) {
    link.energy_per_hop_pj = 0.0;
    link.wire_energy_pj_per_bit_mm.reset();
    link.router_energy_pj.reset();
    link.adder_energy_pj = 0.0;
    link.multicast_energy_pj.clear();
    link.tensor_multicast_energy_pj.clear();
    link.passages.clear();
}

void set_length(Link& link, double tile_um2) {
    if (!link.energy_per_hop_pj && !link.tile_width_um) link.tile_width_um = std::sqrt(tile_um2);
}

Mesh fanout(const Meshes& meshes, std::size_t level) {
    return {meshes[level + 1].x / meshes[level].x, meshes[level + 1].y / meshes[level].y};
}

void relax(FactorConstraint& factor) {
    if (factor.exactly) factor.at_most = factor.exactly;
    factor.exactly.reset();
    factor.at_least = 1;
}

}  // namespace

Memory form_of(const Memory& memory) {
    Memory form = memory;
    form.capacity_words.reset();
    if (memory.usable_words() == 0) form.capacity_words = 0;  // without room for a word it keeps nothing
    form.read_words_per_cycle.reset();
    form.write_words_per_cycle.reset();
    form.shared_words_per_cycle.reset();
    form.write_stall_cycles = 0.0;
    form.reserved_words = 0;
    form.alignment_words = 1;
    form.min_utilization = 0.0;
    form.mesh = {};
    form.instances = 1;
    form.geometry = {};
    form.energy = {};
    form.address_energy_pj.reset();
    form.area_um2 = {};
    form.link = form_of(form.link);
    if (form.update_link) form.update_link = form_of(*form.update_link);
    return form;
}

Compute form_of(const Compute& compute) {
    Compute form = compute;
    form.mesh = {};
    form.instances = 1;
    form.geometry = {};
    form.energy_pj = form.leak_pj_per_cycle = form.area_um2 = {};
    return form;
}

void relax(Memory& best, const Memory& other) {
    if (best.usable_words() != other.usable_words() || best.min_utilization != other.min_utilization)
        best.min_utilization = 0.0;
    take_most(best.capacity_words, other.capacity_words);
    best.reserved_words = std::min(best.reserved_words, other.reserved_words);
    best.alignment_words = std::gcd(best.alignment_words, other.alignment_words);
    take_most(best.read_words_per_cycle, other.read_words_per_cycle);
    take_most(best.write_words_per_cycle, other.write_words_per_cycle);
    take_most(best.shared_words_per_cycle, other.shared_words_per_cycle);
    best.write_stall_cycles = std::min(best.write_stall_cycles, other.write_stall_cycles);
    take_least(best.energy.read_pj.value, other.energy.read_pj.value);
    take_least(best.energy.fill_pj.value, other.energy.fill_pj.value);
    take_least(best.energy.update_pj.value, other.energy.update_pj.value);
    take_least(best.energy.leak_pj_per_cycle.value, other.energy.leak_pj_per_cycle.value);
    take_least(best.address_energy_pj, other.address_energy_pj);
    take_least(best.area_um2.value, other.area_um2.value);
    relax(best.link, other.link);
    if (best.update_link) relax(*best.update_link, *other.update_link);
}

void relax(Compute& best, const Compute& other) {
    take_least(best.energy_pj.value, other.energy_pj.value);
    take_least(best.leak_pj_per_cycle.value, other.leak_pj_per_cycle.value);
    take_least(best.area_um2.value, other.area_um2.value);
}

Meshes meshes_of(const Architecture& architecture) {
    Meshes meshes;
    for (int level = 0; level <= architecture.memory_count(); ++level) meshes.push_back(architecture.mesh(level));
    return meshes;
}

Fanouts::Fanouts(const Meshes& first) {
    for (std::size_t level = 0; level + 1 < first.size(); ++level) {
        const Mesh below = fanout(first, level);
        widest.push_back(below);
        smallest.push_back(below.size());
        alike.push_back(true);
        sometimes_one.push_back(below.size() == 1);
    }
    for (const Mesh& mesh : first) fewest.push_back(mesh.size());
    fewest_units = fewest.back();
}

void Fanouts::add(const Meshes& other) {
    for (std::size_t level = 0; level < widest.size(); ++level) {
        const Mesh below = fanout(other, level);
        Mesh& wide = widest[level];
        alike[level] = alike[level] && below == wide;
        wide = {std::max(wide.x, below.x), std::max(wide.y, below.y)};
        smallest[level] = std::min(smallest[level], below.size());
        sometimes_one[level] = sometimes_one[level] || below.size() == 1;
    }
    for (std::size_t level = 0; level < fewest.size(); ++level)
        fewest[level] = std::min(fewest[level], other[level].size());
    fewest_units = fewest.back();
}

void spread_out(Architecture& best, const Fanouts& fanouts) {
    // The least inner areas of each memory, as in inner_tile_areas_um2().
    double tile_um2 = best.compute.area_um2.value;
    for (std::size_t level = best.memories.size(); level-- > 0;) {
        Memory& memory = best.memories[level];
        for (Link* link : {&memory.link, memory.update_link ? &*memory.update_link : nullptr}) {
            if (link == nullptr) continue;
            if (fanouts.alike[level])
                set_length(*link, tile_um2);
            else
                make_free(*link);
        }
        tile_um2 = memory.area_um2.value + tile_um2 * static_cast<double>(fanouts.smallest[level]);
    }
    Mesh mesh = best.memories.front().mesh;
    for (std::size_t level = 0; level < best.memories.size(); ++level) {
        best.memories[level].mesh = mesh;
        best.memories[level].instances = mesh.size();
        mesh = {mesh.x * fanouts.widest[level].x, mesh.y * fanouts.widest[level].y};
    }
    best.compute.mesh = mesh;
    best.compute.instances = mesh.size();
}

Constraints relaxed(Constraints constraints, const Fanouts& fanouts, std::int64_t units) {
    constraints.min_parallelism *= static_cast<double>(fanouts.fewest_units) / static_cast<double>(units);
    for (std::size_t level = 0; level < constraints.levels.size(); ++level)
        if (fanouts.sometimes_one[level] && fanouts.widest[level].size() > 1)
            for (FactorConstraint& factor : constraints.levels[level].spatial.factors) relax(factor);
    return constraints;
}

}  // namespace tilewright::codesign
