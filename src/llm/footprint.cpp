#include "llm/footprint.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "workload/network.hpp"

namespace tilewright::llm {
namespace {

// Of its block; tables accessed by rows exist once.
std::int64_t copies_of(const Cascade& cascade, const CascadeTensor& tensor) {
    if (!tensor.readers.empty()) return repeats_of(cascade, tensor.readers.front().einsum);
    if (!tensor.writers.empty()) return repeats_of(cascade, tensor.writers.front().einsum);
    return 1;
}

// Along its innermost axis of more than one word.
std::int64_t row_words(const CascadeTensor& tensor) {
    const auto axis =
        std::find_if(tensor.shape.rbegin(), tensor.shape.rend(), [](std::int64_t one) { return one > 1; });
    return axis == tensor.shape.rend() ? 1 : *axis;
}

std::int64_t scale_bits(const CascadeTensor& tensor, const BlockFormat& blocks) {
    if (!blocks.is_given()) return 0;
    const std::int64_t row = row_words(tensor);
    return checked_mul(words_of(tensor) / row, checked_mul(ceil_div(row, blocks.words), blocks.scale_bits));
}

double bytes_of(const Cascade& cascade, const CascadeTensor& tensor, std::int64_t word_bits,
                const BlockFormat& blocks) {
    constexpr double kBitsOfByte = 8.0;
    const std::int64_t words = checked_mul(words_of(tensor), tensor.bits > 0 ? tensor.bits : word_bits);
    const std::int64_t bits = checked_add(words, scale_bits(tensor, blocks));
    return static_cast<double>(checked_mul(bits, copies_of(cascade, tensor))) / kBitsOfByte;
}

}  // namespace

Footprint footprint_of(const Cascade& cascade, std::int64_t word_bits, const std::vector<BlockFormat>& blocks) {
    Footprint sum;
    for (std::size_t t = 0; t < cascade.tensors.size(); ++t) {
        const CascadeTensor& tensor = cascade.tensors[t];
        const double bytes = bytes_of(cascade, tensor, word_bits, t < blocks.size() ? blocks[t] : BlockFormat{});
        if (tensor.role == TensorRole::weight) sum.weight_bytes += bytes;
        if (tensor.role == TensorRole::cache) sum.cache_bytes += bytes;
    }
    return sum;
}

namespace {

bool is_stored(const CascadeTensor& tensor) {
    return tensor.role == TensorRole::weight || tensor.role == TensorRole::cache;
}

bool is_named(const CascadeTensor& tensor, const std::string& name) {
    if (name == "Weights") return tensor.role == TensorRole::weight;
    if (name == "Cache") return tensor.role == TensorRole::cache;
    return is_stored(tensor) && tensor.name == name;
}

std::vector<TensorUse> uses_of(const CascadeTensor& tensor) {
    std::vector<TensorUse> uses = tensor.writers;
    uses.insert(uses.end(), tensor.readers.begin(), tensor.readers.end());
    return uses;
}

bool is_used_by(const CascadeTensor& tensor, const std::vector<bool>& einsums) {
    return std::ranges::any_of(uses_of(tensor), [&](const TensorUse& use) { return einsums[use.einsum]; });
}

[[noreturn]] void refuse(const Cascade& cascade, const TensorWidth& width) {
    std::vector<std::string> known{"Weights", "Cache"};
    for (const CascadeTensor& tensor : cascade.tensors)
        if (is_stored(tensor)) known.push_back(tensor.name);
    const bool is_known = std::ranges::find(known, width.tensor) != known.end();
    throw InputError(ErrorCode::unknown_name, {},
                     "'" + width.layers + "' of " + cascade.name + " uses no weight or cache '" + width.tensor +
                         "': expected Weights, Cache or the name of one of them" +
                         (is_known ? "" : did_you_mean(width.tensor, known)));
}

void set_width(Cascade& cascade, const TensorWidth& width, std::vector<BlockFormat>& blocks) {
    std::vector<std::string> names;
    for (const CascadeEinsum& one : cascade.einsums) names.push_back(one.name);
    const std::vector<bool> matching = matching_layers(names, {width.layers}, cascade.name);
    bool found = false;
    for (std::size_t t = 0; t < cascade.tensors.size(); ++t) {
        CascadeTensor& tensor = cascade.tensors[t];
        if (!is_named(tensor, width.tensor)) continue;
        if (width.layers != "*" && !is_used_by(tensor, matching)) continue;
        tensor.bits = width.bits;
        blocks[t] = width.blocks;
        for (const TensorUse& use : uses_of(tensor))
            cascade.einsums[use.einsum].einsum.tensors[use.operand].bits = width.bits;
        found = true;
    }
    if (!found) refuse(cascade, width);
}

}  // namespace

std::vector<BlockFormat> set_widths(Cascade& cascade, const std::vector<TensorWidth>& widths) {
    std::vector<BlockFormat> blocks(cascade.tensors.size());
    for (const TensorWidth& width : widths) set_width(cascade, width, blocks);
    return blocks;
}

BlockFormats blocks_of(const CascadeEinsum& einsum, const std::vector<BlockFormat>& blocks) {
    BlockFormats formats;
    for (const Access& access : einsum.accesses) formats.push_back(blocks[access.tensor]);
    return formats;
}

}  // namespace tilewright::llm
