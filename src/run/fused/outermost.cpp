#include "run/fused/outermost.hpp"

#include <algorithm>

#include "base/numbers/checked.hpp"

namespace tilewright {
namespace {

std::int64_t repeats_of_tensor(const Cascade& cascade, const CascadeTensor& tensor) {
    std::int64_t repeats = 1;
    for (const std::vector<TensorUse>* uses : {&tensor.readers, &tensor.writers})
        for (const TensorUse& use : *uses) repeats = std::max(repeats, repeats_of(cascade, use.einsum));
    return repeats;
}

// Of the memory; a word that is wider than its words takes several.
std::int64_t words_of_all(const Cascade& cascade, std::int64_t word_bits) {
    std::int64_t words = 0;
    for (const CascadeTensor& tensor : cascade.tensors) {
        if (tensor.view_of >= 0) continue;  // its words are another's
        const std::int64_t each = std::max<std::int64_t>(1, ceil_div(tensor.bits, word_bits));
        const std::int64_t once = checked_mul(words_of(tensor), each);
        words = checked_add(words, checked_mul(once, repeats_of_tensor(cascade, tensor)));
    }
    return words;
}

}  // namespace

Architecture with_room_for(const Cascade& cascade, Architecture architecture) {
    Memory& outermost = architecture.memories.front();
    const std::optional<std::int64_t> limit = outermost.usable_words();
    if (limit && words_of_all(cascade, outermost.word_bits) <= *limit) outermost.set_usable_words(std::nullopt);
    return architecture;
}

}  // namespace tilewright
