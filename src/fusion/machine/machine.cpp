#include "fusion/machine/machine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/numbers/checked.hpp"

namespace tilewright::fusion {
namespace {

bool costs(const Link& link) {
    return link.energy_per_hop_pj.value_or(0.0) > 0.0 || link.wire_energy_pj_per_bit_mm.value_or(0.0) > 0.0 ||
           link.router_energy_pj.value_or(0.0) > 0.0 || link.adder_energy_pj > 0.0 ||
           !link.multicast_energy_pj.empty() || !link.tensor_multicast_energy_pj.empty() || !link.passages.empty() ||
           link.fill_latency_cycles > 0 || link.drain_latency_cycles > 0;
}

// What is common to all three memories.
std::string problem_with_memory(const Memory& memory, std::int64_t word_bits) {
    const std::string name = "'" + memory.name + "' ";
    if (memory.block_words != 1 || memory.cluster_size != 1) return name + "is accessed by more than a word at a time";
    if (memory.word_bits != word_bits) return name + "has words of another width than the memory outside it";
    if (memory.energy.leak_pj_per_cycle.value > 0.0) return name + "leaks";
    if (memory.address_energy_pj.value_or(0.0) > 0.0) return name + "pays for addresses";
    if (costs(memory.link) || (memory.update_link && costs(*memory.update_link)))
        return "the link below " + name + "costs energy or time";
    if (memory.write_stall_cycles > 0.0) return name + "stops the units while it is written";
    if (memory.rules_tiles()) return name + "has rules for tiles (alignment_words, buffers, tile)";
    if (memory.min_utilization > 0.0) return name + "has to be filled to some part";
    if (!memory.bandwidth_scale.empty()) return name + "has bandwidths by tensor";
    return "";
}

bool is_free(const Memory& memory) {
    return memory.energy.read_pj.value == 0.0 && memory.energy.fill_pj.value == 0.0 &&
           memory.energy.update_pj.value == 0.0 && !memory.read_words_per_cycle && !memory.write_words_per_cycle &&
           !memory.shared_words_per_cycle;
}

std::string problem_with_parts(const Architecture& architecture) {
    if (architecture.memory_count() != 3)
        return "it has " + std::to_string(architecture.memory_count()) + " memories, not three";
    const Memory& dram = architecture.memories[kDram];
    for (const Memory& memory : architecture.memories)
        if (std::string problem = problem_with_memory(memory, dram.word_bits); !problem.empty()) return problem;
    const Memory& buffer = architecture.memories[kBuffer];
    const Memory& unit = architecture.memories[kRegister];
    if (dram.usable_words()) return "'" + dram.name + "', the outermost memory, is limited";
    if (!buffer.usable_words()) return "'" + buffer.name + "' is not limited";
    if (dram.instances != 1 || buffer.instances != 1) return "it has several of its outer memories";
    if (unit.instances != architecture.compute.instances) return "'" + unit.name + "' is not there once for every unit";
    if (unit.usable_words() != 1) return "'" + unit.name + "' does not hold exactly one word";
    if (!is_free(unit)) return "'" + unit.name + "' costs energy or limits the rate";
    if (architecture.compute.leak_pj_per_cycle.value > 0.0) return "its units leak";
    return "";
}

MemoryPort port_of(const Memory& memory) {
    const double never = std::numeric_limits<double>::infinity();
    return {memory.energy.read_pj.value,
            memory.energy.fill_pj.value,
            memory.energy.update_pj.value,
            memory.read_words_per_cycle.value_or(never),
            memory.write_words_per_cycle.value_or(never),
            memory.shared_words_per_cycle.value_or(never),
            memory.word_bits,
            memory.block_words};
}

// Points that are added up in a word of the operand.
double summed(const Einsum& einsum, int operand) {
    double points = 1.0;
    for (int d = 0; d < einsum.dimension_count(); ++d)
        if (!is_relevant(einsum.tensors[at(operand)], d))
            points *= static_cast<double>(einsum.dimensions[at(d)].extent);
    return points;
}

std::int64_t bits_of(const PartialBits& partial, int tensor) {
    return at(tensor) < partial.size() ? partial[at(tensor)] : 0;
}

}  // namespace

std::string problem_with_machine(const Architecture& architecture) {
    const std::string problem = problem_with_parts(architecture);
    if (problem.empty()) return "";
    return "fused mappings are searched for machines of a DRAM, a buffer and an array of units with registers of one "
           "word (like fused-npu): of this one, " +
           problem;
}

Machine machine_of(const Architecture& architecture) {
    return {*architecture.memories[kBuffer].usable_words(),
            architecture.memories[kBuffer].word_bits,
            port_of(architecture.memories[kDram]),
            port_of(architecture.memories[kBuffer]),
            architecture.compute.energy_pj.value,
            architecture.fanout(kBuffer),
            kBuffer};
}

WordShare MemoryPort::share_of(std::int64_t bits) const {
    if (bits == 0) return {};
    const std::int64_t row_bits = row_words * word_bits;
    const std::int64_t in_a_row = row_bits / bits;
    const auto row = static_cast<double>(row_words);
    return {in_a_row > 0 ? row / static_cast<double>(in_a_row) : row * static_cast<double>(ceil_div(bits, row_bits)),
            static_cast<double>(bits) / static_cast<double>(word_bits)};
}

double MemoryPort::accessed(double words, std::int64_t bits) const {
    if (bits == 0) return words;
    constexpr double kRounding = 1.0 - 1e-12;
    const auto row = static_cast<double>(row_words);
    return std::ceil(words * share_of(bits).energy / row * kRounding) * row;
}

Machine in_units(Machine machine, const Cascade& cascade) {
    const std::int64_t words = machine.capacity;
    for (const CascadeTensor& tensor : cascade.tensors) machine.unit_bits = std::gcd(machine.unit_bits, tensor.bits);
    constexpr std::int64_t kMost = std::int64_t{1} << 48;  // its bits are a number of 64
    const std::int64_t units = machine.buffer.word_bits / machine.unit_bits;
    machine.capacity = words > kMost / units ? kMost : words * units;
    return machine;
}

double energy_pj(const MemoryPort& port, const Words& words) {
    return words.reads * port.read_pj + words.fills * port.fill_pj + words.updates * port.update_pj;
}

double busy(const MemoryPort& port, const Words& words) {
    const double writes = words.fills + words.updates;
    return std::max(
        {words.reads / port.read_rate, writes / port.write_rate, (words.reads + writes) / port.shared_rate});
}

double cycles(const MemoryPort& port, const Words& words) {
    constexpr double kRounding = 1.0 - 1e-12;
    return std::ceil(busy(port, words) * kRounding);
}

PartialBits sums_of(const Cascade& cascade, int einsum, const PartialBits& partial) {
    const CascadeEinsum& one = cascade.einsums[at(einsum)];
    PartialBits bits(one.accesses.size(), 0);
    for (int t = 0; t < one.einsum.tensor_count(); ++t)
        if (one.einsum.tensors[at(t)].written && summed(one.einsum, t) > 1.0)
            bits[at(t)] = bits_of(partial, one.accesses[at(t)].tensor);
    return bits;
}

Machine in_units(const Machine& machine, const Cascade& cascade, const PartialBits& partial) {
    Machine units = machine;
    for (const std::int64_t bits : partial) units.unit_bits = std::gcd(units.unit_bits, bits);
    return in_units(units, cascade);
}

std::vector<std::int64_t> bits_of_sums(const Cascade& cascade, const Architecture& architecture,
                                       const PartialBits& partial) {
    std::vector<std::int64_t> bits(cascade.tensors.size(), 0);
    if (partial.empty() || !problem_with_machine(architecture).empty()) return bits;
    const auto units = static_cast<double>(architecture.fanout(kBuffer).size());
    const std::int64_t room = architecture.memories[kRegister].word_bits;
    for (int t = 0; t < cascade.tensor_count(); ++t) {
        double fewest = std::numeric_limits<double>::infinity();
        for (const TensorUse& use : cascade.tensors[at(t)].writers)
            fewest = std::min(fewest, summed(cascade.einsums[at(use.einsum)].einsum, use.operand));
        const bool is_made = !cascade.tensors[at(t)].writers.empty();
        if (is_made && fewest > units && bits_of(partial, t) > room) bits[at(t)] = bits_of(partial, t);
    }
    return bits;
}

}  // namespace tilewright::fusion
