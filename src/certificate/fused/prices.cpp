#include "certificate/fused/prices.hpp"

#include <limits>

namespace tilewright::certificate::fused_proof {
namespace {

bool is_paid(const std::optional<double>& pj) { return pj.value_or(0.0) > 0.0; }

bool is_free_link(const Link& link) {
    return !is_paid(link.energy_per_hop_pj) && !is_paid(link.wire_energy_pj_per_bit_mm) &&
           !is_paid(link.router_energy_pj) && link.adder_energy_pj <= 0.0 && link.multicast_energy_pj.empty() &&
           link.tensor_multicast_energy_pj.empty() && link.passages.empty() && link.fill_latency_cycles <= 0 &&
           link.drain_latency_cycles <= 0;
}

bool is_plain(const Memory& memory) {
    return memory.block_words == 1 && memory.cluster_size == 1 && memory.energy.leak_pj_per_cycle.value <= 0.0 &&
           !is_paid(memory.address_energy_pj) && is_free_link(memory.link) &&
           (!memory.update_link || is_free_link(*memory.update_link)) && memory.min_utilization <= 0.0 &&
           !memory.rules_tiles() && memory.bandwidth_scale.empty();
}

bool costs_nothing(const Memory& memory) {
    const Port port = {memory.energy.read_pj.value, memory.energy.fill_pj.value, memory.energy.update_pj.value};
    return port.read_pj + port.fill_pj + port.update_pj == 0.0 && !memory.read_words_per_cycle &&
           !memory.write_words_per_cycle && !memory.shared_words_per_cycle;
}

Port port_of(const Memory& memory) {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    return {memory.energy.read_pj.value,
            memory.energy.fill_pj.value,
            memory.energy.update_pj.value,
            memory.read_words_per_cycle.value_or(kNever),
            memory.write_words_per_cycle.value_or(kNever),
            memory.shared_words_per_cycle.value_or(kNever),
            memory.word_bits};
}

}  // namespace

Share share_of(const Port& port, std::int64_t bits) {
    if (bits == 0) return {};
    const auto own = static_cast<double>(bits);
    const auto word = static_cast<double>(port.word_bits);
    return {bits <= port.word_bits ? 1.0 / std::floor(word / own) : std::ceil(own / word), own / word};
}

std::string problem_with_machine(const Architecture& machine) {
    if (machine.memory_count() != 3) return "the machine has other memories than a DRAM, a buffer and registers";
    const Memory& dram = machine.memories[0];
    const Memory& buffer = machine.memories[1];
    const Memory& unit = machine.memories[2];
    for (const Memory& memory : machine.memories)
        if (!is_plain(memory) || memory.word_bits != dram.word_bits)
            return "something else than the words of '" + memory.name + "' costs energy or time";
    if (dram.usable_words() || dram.instances != 1) return "'" + dram.name + "' is limited, or there are several";
    if (!buffer.usable_words() || buffer.instances != 1)
        return "'" + buffer.name + "' is not limited, or there are several";
    if (unit.usable_words() != 1 || !costs_nothing(unit) || unit.instances != machine.compute.instances)
        return "'" + unit.name + "' is no free register of one word in every unit";
    if (machine.compute.leak_pj_per_cycle.value > 0.0) return "the units leak";
    constexpr std::int64_t kMostAcross = 1 << 16;  // places of neighbours are listed
    if (std::max(machine.fanout(1).x, machine.fanout(1).y) > kMostAcross)
        return "the array has more than 2^16 units along an axis";
    return "";
}

Prices prices_of(const Architecture& machine) {
    return {*machine.memories[1].usable_words() * machine.memories[1].word_bits, port_of(machine.memories[0]),
            port_of(machine.memories[1]), machine.compute.energy_pj.value, machine.fanout(1)};
}

}  // namespace tilewright::certificate::fused_proof
