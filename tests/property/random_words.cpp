#include "random_words.hpp"

namespace tilewright::property {

BlockFormats random_formats(Random& random, Einsum& einsum) {
    BlockFormats formats;
    for (Tensor& tensor : einsum.tensors) {
        tensor.bits = random.between(2, 8);
        formats.push_back(random.chance(0.7) ? BlockFormat{random.between(2, 8), random.between(8, 48)}
                                             : BlockFormat{});
    }
    return formats;
}

PartialBits random_partial_bits(Random& random, Einsum& einsum) {
    PartialBits bits;
    for (Tensor& tensor : einsum.tensors) {
        if (tensor.bits == 0 && random.chance(0.8)) tensor.bits = random.between(2, 9);
        bits.push_back(tensor.written ? tensor.bits + random.between(16, 40) : 0);
    }
    return bits;
}

}  // namespace tilewright::property
