#include "run/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "arch/blocks.hpp"
#include "workload/select_layers.hpp"

namespace tilewright {
namespace {

constexpr std::int64_t kMostParts = 1'000'000;

bool has_blocks(const BlockFormats& formats) { return std::ranges::any_of(formats, &BlockFormat::is_given); }

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

std::vector<PartialBits> partial_bits(const Network& network, const std::vector<TensorWidth>& widths) {
    std::vector<PartialBits> all;
    for (const Layer& layer : network.layers) all.emplace_back(layer.einsum.tensors.size(), 0);
    bool any = false;
    for (const TensorWidth& width : widths) {
        const std::vector<bool> matching = matching_layers(network, {width.layers});
        for (std::size_t i = 0; i < matching.size(); ++i) {
            const int tensor = find_tensor(network.layers[i].einsum, width.tensor);
            if (matching[i] && tensor >= 0) all[i][tensor] = width.bits;
        }
    }
    for (const PartialBits& bits : all)
        any = any || std::ranges::any_of(bits, [](std::int64_t one) { return one > 0; });
    return any ? all : std::vector<PartialBits>{};
}

std::string partial_width_in(const Einsum& einsum, const PartialBits& bits) {
    for (std::size_t t = 0; t < bits.size(); ++t)
        if (bits[t] > 0)
            return fmt::format("words of {} bits in partial sums of '{}'", bits[t], einsum.tensors[t].name);
    return "";
}

void set_blocks(const Network& network, const std::vector<TensorWidth>& widths, std::vector<BlockFormats>& formats) {
    if (formats.empty())
        for (const Layer& layer : network.layers) formats.emplace_back(layer.einsum.tensors.size());
    for (const TensorWidth& width : widths) {
        const std::vector<bool> matching = matching_layers(network, {width.layers});
        for (std::size_t i = 0; i < matching.size(); ++i) {
            const int tensor = find_tensor(network.layers[i].einsum, width.tensor);
            if (matching[i] && tensor >= 0) formats[i][tensor] = width.blocks;
        }
    }
    if (std::ranges::none_of(formats, has_blocks)) formats.clear();
}

std::vector<BlockFormats> block_formats(const Network& network, const std::vector<TensorWidth>& widths) {
    std::vector<BlockFormats> formats;
    set_blocks(network, widths, formats);
    return formats;
}

std::vector<std::string> block_notes(const Network& network, const std::vector<BlockFormats>& formats) {
    std::vector<std::pair<std::string, int>> notes;  // and of how many layers
    for (std::size_t i = 0; i < formats.size(); ++i)
        for (std::size_t t = 0; t < formats[i].size(); ++t) {
            if (!formats[i][t].is_given()) continue;
            const Tensor& tensor = network.layers[i].einsum.tensors[t];
            const std::string note =
                fmt::format("words of '{}' have {} bits, and a scale of {} for every {} along their innermost axis",
                            tensor.name, tensor.bits, formats[i][t].scale_bits, formats[i][t].words);
            const auto known = std::ranges::find(notes, note, &std::pair<std::string, int>::first);
            if (known == notes.end())
                notes.emplace_back(note, 1);
            else
                ++known->second;
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
