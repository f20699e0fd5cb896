#include "run/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "arch/blocks.hpp"
#include "base/error.hpp"
#include "workload/layer_roles.hpp"
#include "workload/network.hpp"

namespace tilewright {
namespace {

constexpr std::int64_t kMostParts = 1'000'000;

void set_width(const Network& network, const TensorWidth& width, std::vector<Words>& words) {
    const std::vector<bool> matching = matching_layers(network, {width.layers});
    for (std::size_t i = 0; i < matching.size(); ++i) {
        const Layer& layer = network.layers[i];
        const int tensor = tensor_or_role(layer.einsum, width.tensor);
        if (!matching[i] || tensor < 0) continue;
        if (width.partial_bits > 0 && !layer.einsum.tensors[tensor].written)
            throw InputError(ErrorCode::bad_value, {},
                             fmt::format("'{}' of layer '{}' is an operand and has no partial sums (blocks of words "
                                         "that share a scale are BITS/WORDS:SCALE)",
                                         width.tensor, layer.name));
        words[i].partial_bits[tensor] = width.partial_bits;
        words[i].blocks[tensor] = width.blocks;
    }
}

// Of all layers together; nothing where they would be too many.
std::optional<std::int64_t> common_parts(const NetworkProblem& problem) {
    std::int64_t parts = 1;
    for (const ShapeProblem& shape : problem.shapes) {
        parts = std::lcm(parts, parts_of_bit(moved_bits(shape.layer.einsum, shape.layer.words.blocks)));
        if (parts > kMostParts) return std::nullopt;
    }
    return parts;
}

Architecture machine_with_room(const LayerProblem& layer) {
    return with_room_for_scales(layer.architecture, layer.einsum, layer.words.blocks);
}

// The room of the layer that asks for most.
Architecture with_room_for_all(const NetworkProblem& problem) {
    Architecture most = problem.shapes.front().layer.architecture;
    for (const ShapeProblem& shape : problem.shapes) {
        Architecture one = machine_with_room(shape.layer);
        for (std::size_t m = 0; m < most.memories.size(); ++m)
            if (one.memories[m].usable_words() > most.memories[m].usable_words())
                most.memories[m] = std::move(one.memories[m]);
    }
    return most;
}

bool has_room_of(const Architecture& one, const Architecture& other) {
    return std::ranges::equal(one.memories, other.memories, {}, &Memory::usable_words, &Memory::usable_words);
}

}  // namespace

void set_words(const Network& network, const std::vector<TensorWidth>& widths, std::vector<Words>& words) {
    words.resize(network.layers.size());
    for (std::size_t i = 0; i < words.size(); ++i) {
        words[i].partial_bits.resize(network.layers[i].einsum.tensors.size());
        words[i].blocks.resize(network.layers[i].einsum.tensors.size());
    }
    for (const TensorWidth& width : widths) set_width(network, width, words);
    for (Words& one : words) {
        if (!one.has_partial_sums()) one.partial_bits.clear();
        if (!one.has_blocks()) one.blocks.clear();
    }
    if (std::ranges::count(words, Words{}) == std::ssize(words)) words.clear();
}

std::vector<Words> words_of(const Network& network, const std::vector<TensorWidth>& widths) {
    std::vector<Words> words;
    set_words(network, widths, words);
    return words;
}

std::vector<PartialBits> partial_bits_of(const std::vector<Words>& words) {
    std::vector<PartialBits> all;
    for (const Words& one : words) all.push_back(one.partial_bits);
    return all;
}

bool have_blocks(const std::vector<Words>& words) { return std::ranges::any_of(words, &Words::has_blocks); }

std::string unusual_words_in(const Einsum& einsum, const Words& words) {
    const PartialBits& bits = words.partial_bits;
    for (std::size_t t = 0; t < bits.size(); ++t)
        if (bits[t] > 0)
            return fmt::format("words of {} bits in partial sums of '{}'", bits[t], einsum.tensors[t].name);
    return blocks_in(einsum, words.blocks);
}

std::vector<std::string> block_notes(const Network& network, const std::vector<Words>& words) {
    std::vector<std::pair<std::string, int>> notes;  // and of how many layers
    for (std::size_t i = 0; i < words.size(); ++i) {
        const BlockFormats& formats = words[i].blocks;
        for (std::size_t t = 0; t < formats.size(); ++t) {
            if (!formats[t].is_given()) continue;
            const Tensor& tensor = network.layers[i].einsum.tensors[t];
            const std::string note =
                fmt::format("words of '{}' have {} bits, and a scale of {} for every {} along their innermost axis",
                            tensor.name, tensor.bits, formats[t].scale_bits, formats[t].words);
            const auto known = std::ranges::find(notes, note, &std::pair<std::string, int>::first);
            if (known == notes.end())
                notes.emplace_back(note, 1);
            else
                ++known->second;
        }
    }
    std::vector<std::string> texts;
    for (const auto& [note, layers] : notes)
        texts.push_back(fmt::format("{} ({} {})", note, layers, layers == 1 ? "layer" : "layers"));
    return texts;
}

InParts in_parts_of_bits(const NetworkProblem& problem) {
    InParts all{problem, std::nullopt, {}};
    const std::optional<std::int64_t> parts = common_parts(problem);
    if (problem.shapes.empty() || !parts) return all;
    const Architecture room = with_room_for_all(problem);
    all.machine = in_parts(room, *parts);
    for (ShapeProblem& shape : all.problem.shapes) {
        LayerProblem& layer = shape.layer;
        all.bounded.push_back(has_room_of(machine_with_room(layer), room));
        layer.einsum = in_parts(layer.einsum, moved_bits(layer.einsum, layer.words.blocks), *parts);
        layer.architecture = *all.machine;
        layer.words.blocks.clear();
    }
    return all;
}

}  // namespace tilewright
