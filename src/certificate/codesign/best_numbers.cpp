#include "certificate/codesign/best_numbers.hpp"

#include <algorithm>

namespace tilewright::certificate {
namespace {

void less_of(double& best, double other) { best = std::min(best, other); }

void less_of(std::optional<double>& best, const std::optional<double>& other) {
    if (best && other) best = std::min(*best, *other);
}

// Absent: unlimited.
template <class Number>
void more_of(std::optional<Number>& best, const std::optional<Number>& other) {
    best = best && other ? std::max(best, other) : std::nullopt;
}

// An absent energy is not 0: it may be derived from other numbers.
void forget(std::optional<double>& number) { number = number ? std::optional<double>(0.0) : std::nullopt; }

void forget_numbers(Link& link) {
    forget(link.energy_per_hop_pj);
    forget(link.wire_energy_pj_per_bit_mm);
    forget(link.router_energy_pj);
    forget(link.tile_width_um);
    link.adder_energy_pj = 0.0;
    link.fill_latency_cycles = 0;
    link.drain_latency_cycles = 0;
}

void forget_numbers(Memory& memory) {
    const bool is_empty = memory.usable_words() == 0;  // keeps nothing: no memory rather than a smaller one
    memory.capacity_words = is_empty ? std::optional<std::int64_t>(0) : std::nullopt;
    memory.read_words_per_cycle = memory.write_words_per_cycle = memory.shared_words_per_cycle = std::nullopt;
    memory.min_utilization = 0.0;
    memory.energy = {};
    memory.area_um2 = {};
    forget(memory.address_energy_pj);
    forget_numbers(memory.link);
    if (memory.update_link) forget_numbers(*memory.update_link);
    memory.mesh = {};
    memory.instances = 1;
}

void forget_numbers(Compute& compute) {
    compute.energy_pj = compute.leak_pj_per_cycle = compute.area_um2 = {};
    compute.mesh = {};
    compute.instances = 1;
}

template <class Part>
bool are_alike(Part one, Part other) {
    forget_numbers(one);
    forget_numbers(other);
    return one == other;
}

void take_better(Link& best, const Link& other) {
    less_of(best.energy_per_hop_pj, other.energy_per_hop_pj);
    less_of(best.wire_energy_pj_per_bit_mm, other.wire_energy_pj_per_bit_mm);
    less_of(best.router_energy_pj, other.router_energy_pj);
    less_of(best.tile_width_um, other.tile_width_um);
    less_of(best.adder_energy_pj, other.adder_energy_pj);
    best.fill_latency_cycles = std::min(best.fill_latency_cycles, other.fill_latency_cycles);
    best.drain_latency_cycles = std::min(best.drain_latency_cycles, other.drain_latency_cycles);
}

}  // namespace

bool take_better(Memory& best, const Memory& other) {
    if (!are_alike(best, other)) return false;
    // Least utilization: shares of different capacities do not compare.
    const bool same_fill = best.capacity_words == other.capacity_words && best.min_utilization == other.min_utilization;
    if (!same_fill) best.min_utilization = 0.0;
    more_of(best.capacity_words, other.capacity_words);
    more_of(best.read_words_per_cycle, other.read_words_per_cycle);
    more_of(best.write_words_per_cycle, other.write_words_per_cycle);
    more_of(best.shared_words_per_cycle, other.shared_words_per_cycle);
    less_of(best.energy.read_pj.value, other.energy.read_pj.value);
    less_of(best.energy.fill_pj.value, other.energy.fill_pj.value);
    less_of(best.energy.update_pj.value, other.energy.update_pj.value);
    less_of(best.energy.leak_pj_per_cycle.value, other.energy.leak_pj_per_cycle.value);
    less_of(best.address_energy_pj, other.address_energy_pj);
    less_of(best.area_um2.value, other.area_um2.value);
    take_better(best.link, other.link);
    if (best.update_link) take_better(*best.update_link, *other.update_link);
    return true;
}

bool take_better(Compute& best, const Compute& other) {
    if (!are_alike(best, other)) return false;
    less_of(best.energy_pj.value, other.energy_pj.value);
    less_of(best.leak_pj_per_cycle.value, other.leak_pj_per_cycle.value);
    less_of(best.area_um2.value, other.area_um2.value);
    return true;
}

}  // namespace tilewright::certificate
