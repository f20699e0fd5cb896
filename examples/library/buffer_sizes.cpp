// How large should the buffer be? Maps one layer on machines that differ in it, with energies estimated for each size.
#include <iomanip>
#include <iostream>

#include <tilewright/tilewright.hpp>

using namespace tilewright;

namespace {

Memory memory(const std::string& name, const std::string& kind, std::int64_t words, Mesh mesh) {
    Memory memory;
    memory.name = name;
    memory.component_class = kind;
    memory.mesh = mesh;
    memory.instances = mesh.size();
    memory.geometry = {.technology = "45nm", .kind = kind, .depth = words, .width_bits = 16};
    if (words > 0) memory.capacity_words = words;
    return memory;
}

// DRAM, a buffer of so many 16-bit words, registers beside each of 8 x 8 units.
Architecture machine_with(std::int64_t buffer_words) {
    Architecture machine;
    machine.memories = {memory("DRAM", "DRAM", 0, {1, 1}), memory("Buffer", "SRAM", buffer_words, {1, 1}),
                        memory("Registers", "smartbuffer_RF", 64, {8, 8})};
    machine.memories[0].is_dram = true;
    machine.memories[0].geometry.dram_type = "LPDDR4";
    machine.compute.mesh = {8, 8};
    machine.compute.instances = 64;
    machine.compute.geometry = {.technology = "45nm", .kind = "intmac", .multiplier_bits = 16, .adder_bits = 32};
    estimate(machine);
    return machine;
}

}  // namespace

int main() {
    const Einsum layer = conv2d(64, 64, 28, 3);
    MapOptions options;
    options.objective = {.kind = ObjectiveKind::energy};
    options.mapper = MapperKind::hybrid;
    options.evaluations = 5000;
    std::cout << "words   uJ      mm2\n" << std::fixed << std::setprecision(3);
    for (const std::int64_t words : {2048, 8192, 32768, 131072}) {
        const LayerAnswer answer = map_layer({layer, machine_with(words), {}}, options);
        if (!answer.mapping) return 1;
        std::cout << std::left << std::setw(8) << words << std::setw(8) << answer.evaluation->energy_pj * 1e-6
                  << answer.evaluation->area_um2 * 1e-6 << '\n';
    }
    return 0;
}
