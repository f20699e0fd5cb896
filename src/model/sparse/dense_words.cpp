#include "model/sparse/dense_words.hpp"

#include "model/exact/model.hpp"
#include "model/exact/partial_sums.hpp"

namespace tilewright::sparse {

bool DenseWords::holds_partial(int memory, int tensor) const {
    return has_partial(tensor) &&
           !has_final_only(counted.memories[memory].tensors[tensor], final_updates[memory][tensor]);
}

Capacity held_capacity(const Einsum& einsum, const Architecture& architecture, const DenseWords& words, int memory) {
    Einsum held = einsum;
    for (int t = 0; t < held.tensor_count(); ++t)
        if (words.holds_partial(memory, t)) held.tensors[t].bits = words.partial_bits[t];
    return capacity_of(architecture.memories[memory], held);
}

DenseWords dense_words(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                       const Words& words) {
    DenseWords dense;
    dense.counted = dense.costed = evaluate(einsum, architecture, mapping);
    const std::vector<double> none(einsum.tensors.size(), 0.0);
    dense.final_updates.assign(dense.counted.memories.size(), none);
    if (!words.has_partial_sums()) return dense;
    dense.partial_bits = words.partial_bits;
    dense.costed = evaluate(einsum, architecture, mapping, dense.partial_bits);
    dense.of_partial = evaluate(all_partial(einsum, dense.partial_bits), architecture, mapping);
    dense.final_updates = final_updates(einsum, architecture, mapping, dense.counted);
    dense.final_below = final_shares_below(einsum, architecture, mapping, dense.counted);
    return dense;
}

}  // namespace tilewright::sparse
