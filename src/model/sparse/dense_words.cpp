#include "model/sparse/dense_words.hpp"

#include <algorithm>

#include "arch/blocks.hpp"
#include "arch/widths.hpp"
#include "base/numbers/checked.hpp"
#include "mapping/tile.hpp"
#include "model/exact/model.hpp"
#include "model/exact/partial_sums.hpp"

namespace tilewright::sparse {

bool DenseWords::holds_partial(int memory, int tensor) const {
    return has_partial(tensor) &&
           !has_final_only(counted.memories[memory].tensors[tensor], final_updates[memory][tensor]);
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
    dense.final_below = final_shares_below(einsum, architecture, mapping, dense.counted, dense.final_updates);
    return dense;
}

std::int64_t TileRoom::bits(std::int64_t words) const {
    return checked_add(checked_mul(words, word_bits), checked_mul(std::min(words, scales), scale_bits));
}

std::vector<std::vector<TileRoom>> tile_rooms(const Einsum& einsum, const Architecture& architecture,
                                              const Mapping& mapping, const Words& words, const DenseWords& dense) {
    const std::vector<Extents> tiles = store_extents(einsum, mapping);
    std::vector<std::vector<TileRoom>> rooms(architecture.memories.size());
    for (int m = 0; m < architecture.memory_count(); ++m)
        for (int t = 0; t < einsum.tensor_count(); ++t) {
            const Tensor& tensor = einsum.tensors[t];
            const Memory& memory = architecture.memories[m];
            TileRoom& room = rooms[m].emplace_back(TileRoom{bits_of(tensor, memory), 0, 0});
            if (dense.holds_partial(m, t))
                room.word_bits = words.partial_bits[t];
            else if (memory.holds_scales && t < static_cast<int>(words.blocks.size()) && words.blocks[t].is_given()) {
                const std::int64_t row = row_words(einsum, tensor, tiles[m]);
                room.scale_bits = words.blocks[t].scale_bits;
                room.scales = checked_mul(box_words(tensor, tiles[m]) / row, blocks_in_row(row, words.blocks[t]));
            }
        }
    return rooms;
}

}  // namespace tilewright::sparse
