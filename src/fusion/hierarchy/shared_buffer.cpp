#include "fusion/hierarchy/shared_buffer.hpp"

#include <limits>
#include <optional>

namespace tilewright::fusion {
namespace {

MemoryPort port_by_words(const Memory& memory) {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    const auto row = static_cast<double>(memory.block_words);
    return {memory.energy.read_pj.value / row,
            memory.energy.fill_pj.value / row,
            memory.energy.update_pj.value / row,
            memory.read_words_per_cycle.value_or(kNever),
            memory.write_words_per_cycle.value_or(kNever),
            memory.shared_words_per_cycle.value_or(kNever),
            memory.word_bits,
            memory.block_words};
}

}  // namespace

int shared_buffer(const Architecture& architecture) {
    const auto outermost = [&](bool limited) {
        for (int m = 1; m < architecture.memory_count(); ++m) {
            const Memory& memory = architecture.memories[m];
            const std::optional<std::int64_t> words = memory.usable_words();
            if (memory.instances == 1 && !memory.spreads_only && words.has_value() == limited && words != 0) return m;
        }
        return -1;
    };
    const int limited = outermost(true);
    return limited >= 0 ? limited : outermost(false);
}

std::int64_t buffer_words(const Architecture& architecture) {
    constexpr std::int64_t kUnlimited = std::int64_t{1} << 56;
    return architecture.memories[shared_buffer(architecture)].usable_words().value_or(kUnlimited);
}

std::string problem_with_hierarchy(const Architecture& architecture) {
    const Memory& outermost = architecture.memories.front();
    if (outermost.usable_words()) return "'" + outermost.name + "', the outermost memory, is limited";
    if (outermost.instances != 1) return "it has several of its outermost memory";
    const int buffer = shared_buffer(architecture);
    if (buffer < 0)
        return "it has no memory of one instance inside the outermost one, in which tensors that einsums share could "
               "lie";
    for (const int m : {0, buffer}) {
        const Memory& memory = architecture.memories[m];
        if (!memory.bandwidth_scale.empty()) return "'" + memory.name + "' has bandwidths by tensor";
        if (memory.word_bits != outermost.word_bits)
            return "'" + memory.name + "' has words of another width than the outermost memory";
    }
    for (const Memory& memory : architecture.memories)
        if (memory.rules_tiles()) return "'" + memory.name + "' has rules for tiles (alignment_words, buffers, tile)";
    for (const Memory& memory : architecture.memories)
        if (memory.min_utilization > 0.0) return "'" + memory.name + "' has to be filled to some part";
    return "";
}

Machine machine_around(const Architecture& architecture) {
    Machine machine;
    machine.buffer_memory = shared_buffer(architecture);
    const Memory& buffer = architecture.memories[machine.buffer_memory];
    machine.capacity = buffer_words(architecture);
    machine.unit_bits = buffer.word_bits;
    machine.dram = port_by_words(architecture.memories[kDram]);
    machine.buffer = port_by_words(buffer);
    machine.operation_pj = architecture.compute.energy_pj.value;
    return machine;
}

}  // namespace tilewright::fusion
