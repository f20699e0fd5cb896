// Evaluates one mapping through the installed library.
#include <iostream>

#include "mapping/mapping.hpp"
#include "model/model.hpp"
#include "workload/einsum_text.hpp"

int main() {
    using namespace tilewright;
    const Einsum einsum = parse_einsum("O[m,n] += A[m,k] * B[k,n]", {{"m", 4}, {"n", 4}, {"k", 4}});
    Architecture machine;
    machine.memories.resize(1);
    machine.memories[0].name = "DRAM";
    const Mapping mapping = mapping_of({{TensorSet::all(3), {{0, 4, 4}, {1, 4, 4}, {2, 4, 4}}, {}}});
    const Evaluation evaluation = evaluate(einsum, machine, mapping);
    std::cout << "consumer: " << evaluation.computes << " operations in " << evaluation.cycles << " cycles\n";
    return evaluation.computes == 64 ? 0 : 1;
}
