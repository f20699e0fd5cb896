#include "fusion/once.hpp"

#include <algorithm>

#include "fusion/machine/machine.hpp"

namespace tilewright::fusion {
namespace {

// What one repeat moves of a tensor, at the least.
Moved moved_of(const CascadeTensor& tensor, const std::vector<LeastCost>& least) {
    double read = 0.0;  // by the greediest reader
    double written = 0.0;
    for (const TensorUse& use : tensor.readers) read = std::max(read, least[at(use.einsum)].words[at(use.operand)]);
    for (const TensorUse& use : tensor.writers) written += least[at(use.einsum)].words[at(use.operand)];
    const bool comes_from_outside = tensor.writers.empty() || tensor.role == TensorRole::cache;
    const bool goes_outside = tensor.role == TensorRole::output || tensor.role == TensorRole::cache;
    return {comes_from_outside ? std::max(0.0, read - written) : 0.0, goes_outside ? written : 0.0};
}

// Weights and caches are each repeat's own; all else might be the same words.
std::int64_t repeats_of(const CascadeView& view, const CascadeTensor& tensor) {
    if (tensor.role != TensorRole::weight && tensor.role != TensorRole::cache) return 1;
    const std::vector<TensorUse>& uses = tensor.readers.empty() ? tensor.writers : tensor.readers;
    return uses.empty() ? 1 : view.repeats(uses.front().einsum);
}

}  // namespace

Once every_word_once(const CascadeView& view, const Machine& machine, Leaves& leaves) {
    const Cascade& cascade = view.cascade();
    const std::vector<LeastCost> least = least_costs(view, machine, leaves);
    Once once;
    Traffic sum;
    for (const CascadeTensor& tensor : cascade.tensors) {
        const Moved one = moved_of(tensor, least);
        const auto repeats = static_cast<double>(repeats_of(view, tensor));
        once.moved.push_back({one.in * repeats, one.out * repeats});
        sum.add_in(once.moved.back().in, machine.dram.share_of(tensor.bits));
        sum.add_out(once.moved.back().out, machine.dram.share_of(tensor.bits));
    }
    double array_cycles = 0.0;
    for (int e = 0; e < cascade.einsum_count(); ++e) {
        const double points = least[at(e)].points * static_cast<double>(view.repeats(e));
        const LeastPerPoint array = least_of(leaves.per_point(e, least[at(e)].paid));
        once.compute_energy_pj += points * machine.operation_pj;
        once.buffer_energy_pj += points * (array.energy_pj - machine.operation_pj);
        array_cycles += points * array.cycles;
    }
    once.dram_energy_pj = energy_pj(machine.dram, {sum.in, 0.0, sum.out});
    once.cost.energy_pj = once.dram_energy_pj + once.buffer_energy_pj + once.compute_energy_pj;
    once.cost.cycles = std::max(array_cycles, sum.busy / machine.dram.shared_rate);
    return once;
}

}  // namespace tilewright::fusion
