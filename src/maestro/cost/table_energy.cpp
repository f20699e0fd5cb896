#include "maestro/cost/table_energy.hpp"

#include <algorithm>

namespace tilewright::dataflow {
namespace {

constexpr std::int64_t kL2RowBytes = 8;
constexpr std::int64_t kBitsPerByte = 8;

Memory on_chip(const char* name, const char* kind, std::int64_t bytes, std::int64_t row_bytes,
               const Hardware& hardware) {
    Memory memory;
    memory.name = name;
    memory.word_bits = kBitsPerByte * hardware.operand_bytes;
    memory.block_words = std::max<std::int64_t>(row_bytes / hardware.operand_bytes, 1);
    memory.capacity_words = std::max<std::int64_t>(bytes / hardware.operand_bytes, 1);
    memory.geometry.kind = kind;
    memory.geometry.width_bits = kBitsPerByte * row_bytes;
    memory.link.energy_per_hop_pj = 0.0;  // wires are left out
    memory.geometry.depth = std::max<std::int64_t>((bytes + row_bytes - 1) / row_bytes, 1);
    return memory;
}

double pj_per_byte(const Sourced& row, const Memory& memory) {
    return row.value / (static_cast<double>(memory.block_words * memory.word_bits) / kBitsPerByte);
}

std::string source_of(const char* part, const Memory* memory) {
    if (memory == nullptr) return std::string(part) + ": none, counts as 0";
    return std::string(part) + " (" + memory->name + "): " + memory->energy.read_pj.source;
}

MemoryEnergy energy_of(const char* name, const Moved& reads, const Moved& writes, const Hardware& hardware,
                       double read_pj, double write_pj) {
    MemoryEnergy memory{name, reads, writes, 0.0, 0.0};
    memory.operands_pj =
        static_cast<double>(hardware.operand_bytes) * (read_pj * reads.operands + write_pj * writes.operands);
    memory.sums_pj = static_cast<double>(hardware.sum_bytes) * (read_pj * reads.sums + write_pj * writes.sums);
    return memory;
}

}  // namespace

Architecture described_machine(const Hardware& hardware, std::int64_t l1_bytes, std::int64_t l2_bytes,
                               const std::string& technology) {
    Architecture machine;
    machine.name = "described";
    machine.technology = technology;
    Memory dram;
    dram.name = "DRAM";
    dram.is_dram = true;
    dram.word_bits = kBitsPerByte * hardware.operand_bytes;
    Memory l2 = on_chip("L2", "SRAM", hardware.l2_bytes.value_or(l2_bytes), kL2RowBytes, hardware);
    Memory l1 = on_chip("L1", "regfile", hardware.l1_bytes.value_or(l1_bytes), hardware.operand_bytes, hardware);
    l1.instances = hardware.units;
    l1.mesh = {hardware.units, 1};
    machine.memories = {dram, l2, l1};
    machine.compute.word_bits = kBitsPerByte * hardware.operand_bytes;
    machine.compute.instances = hardware.units;
    machine.compute.mesh = {hardware.units, 1};
    machine.compute.geometry.adder_bits = kBitsPerByte * std::max(hardware.sum_bytes, 2 * hardware.operand_bytes);
    return machine;
}

BytePrices byte_prices(const Architecture& machine) {
    const Memory* dram = nullptr;
    const Memory* l2 = nullptr;
    const Memory* l1 = nullptr;
    for (const Memory& memory : machine.memories) {
        if (memory.spreads_only) continue;
        const Memory*& outermost = memory.is_dram ? dram : l2;
        if (outermost == nullptr) outermost = &memory;
        if (!memory.is_dram) l1 = &memory;
    }
    BytePrices prices;
    prices.operation_pj = machine.compute.energy_pj.value;
    const auto set = [](const Memory* memory, double& read_pj, double& write_pj) {
        if (memory == nullptr) return;
        read_pj = pj_per_byte(memory->energy.read_pj, *memory);
        write_pj = pj_per_byte(memory->energy.fill_pj, *memory);
    };
    set(l1, prices.l1_read_pj, prices.l1_write_pj);
    set(l2, prices.l2_read_pj, prices.l2_write_pj);
    set(dram, prices.dram_read_pj, prices.dram_write_pj);
    prices.sources = {"operation (" + machine.compute.name + "): " + machine.compute.energy_pj.source,
                      source_of("L1", l1), source_of("L2", l2), source_of("DRAM", dram)};
    return prices;
}

std::array<MemoryEnergy, 3> memory_energies(const Accesses& accesses, const Hardware& hardware,
                                            const BytePrices& prices) {
    return {energy_of("DRAM", accesses.dram_reads, accesses.dram_writes, hardware, prices.dram_read_pj,
                      prices.dram_write_pj),
            energy_of("L2", accesses.l2_reads, accesses.l2_writes, hardware, prices.l2_read_pj, prices.l2_write_pj),
            energy_of("L1", accesses.l1_reads, accesses.l1_writes, hardware, prices.l1_read_pj, prices.l1_write_pj)};
}

TableEnergy table_energy(const Accesses& accesses, const Hardware& hardware, const BytePrices& prices) {
    const auto sum = [](const MemoryEnergy& memory) { return memory.operands_pj + memory.sums_pj; };
    const std::array<MemoryEnergy, 3> memories = memory_energies(accesses, hardware, prices);
    TableEnergy energy;
    energy.operations_pj = accesses.operations * prices.operation_pj;
    energy.dram_pj = sum(memories[0]);
    energy.l2_pj = sum(memories[1]);
    energy.l1_pj = sum(memories[2]);
    return energy;
}

}  // namespace tilewright::dataflow
