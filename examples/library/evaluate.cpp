// Evaluates one mapping of a matrix product on a machine that is made here: no files, no search.
#include <iostream>

#include <tilewright/tilewright.hpp>

using namespace tilewright;

namespace {

// DRAM outside, and a buffer that holds tiles of all three matrices; one multiply-accumulate unit.
Architecture machine() {
    Architecture machine;
    machine.memories.resize(2);
    machine.memories[0].name = "DRAM";
    machine.memories[1].name = "Buffer";
    machine.memories[1].capacity_words = 64;
    for (MemoryEnergy* energy : {&machine.memories[0].energy, &machine.memories[1].energy})
        energy->read_pj = energy->fill_pj = energy->update_pj = {2.0, "assumed"};
    return machine;
}

}  // namespace

int main() {
    const Einsum product = parse_einsum("O[m,n] += A[m,k] * B[k,n]", {{"m", 16}, {"n", 16}, {"k", 16}});
    const TensorSet all = TensorSet::all(3);
    // Loops are {dimension, extent, remainder}: tiles of 4 x 4 x 4, the products of one tile inside.
    const Mapping mapping = mapping_of({{all, {{0, 4, 4}, {1, 4, 4}, {2, 4, 4}}, {}},  //
                                        {all, {{0, 4, 4}, {1, 4, 4}, {2, 4, 4}}, {}}});
    for (const Violation& violation : check(product, machine(), mapping)) std::cerr << violation.message << '\n';
    const Evaluation cost = evaluate(product, machine(), mapping);
    std::cout << loop_nest_text(product, machine(), mapping);
    for (const MemoryEvaluation& memory : cost.memories)
        std::cout << memory.name << ": " << memory.energy_pj << " pJ\n";
    std::cout << cost.computes << " products in " << cost.cycles << " cycles\n";
    return cost.computes == 4096 && cost.cycles == 4096 ? 0 : 1;
}
