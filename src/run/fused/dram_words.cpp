#include <algorithm>
#include <cmath>

#include "fusion/machine/machine.hpp"
#include "run/fused/map_fused.hpp"

namespace tilewright {
namespace {

void set_energies(Memory& memory, double pj) {
    memory.energy.read_pj.value = pj;
    memory.energy.fill_pj.value = pj;
    memory.energy.update_pj.value = pj;
}

// Accesses of a word: those of a width of their own go several or a part at a time.
double dram_words(const fused::Evaluation& evaluation) { return evaluation.memories.front().energy_pj; }

}  // namespace

Architecture machine_of_dram_words(const Architecture& architecture, std::int64_t buffer_words) {
    Architecture machine = architecture;
    set_energies(machine.memories[fusion::kDram], 1.0);
    Memory& buffer = machine.memories[fusion::kBuffer];
    set_energies(buffer, 0.0);
    buffer.set_usable_words(buffer_words);
    machine.compute.energy_pj.value = 0.0;
    return machine;
}

std::vector<report::FusionBuffer> dram_words_by_buffer(const Cascade& cascade, const Architecture& architecture,
                                                       const std::vector<std::int64_t>& buffer_words,
                                                       const StopOfSize& stop_of) {
    std::vector<report::FusionBuffer> curve;
    for (std::size_t i = 0; i < buffer_words.size(); ++i) {
        const Architecture machine = machine_of_dram_words(architecture, buffer_words[i]);
        const fusion::Answer answer =
            fusion::optimize(cascade, machine, Objective{ObjectiveKind::energy}, stop_of ? stop_of(i) : nullptr);
        report::FusionBuffer buffer{buffer_words[i], answer.bound, answer.proven, std::nullopt, std::nullopt};
        if (answer.fused) buffer.fused_words = dram_words(answer.fused->evaluation);
        if (answer.unfused) buffer.unfused_words = dram_words(answer.unfused->evaluation);
        if (buffer.fused_words)
            buffer.bound_words =
                buffer.proven ? *buffer.fused_words : std::min(buffer.bound_words, *buffer.fused_words);
        curve.push_back(buffer);
    }
    return curve;
}

}  // namespace tilewright
