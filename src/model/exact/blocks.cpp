#include "model/exact/blocks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arch/widths.hpp"
#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "mapping/tile.hpp"
#include "mapping/uneven.hpp"
#include "model/exact/model.hpp"
#include "model/exact/partial_sums.hpp"

namespace tilewright {
namespace {

bool concerns_room(const Violation& violation) {
    return violation.kind == ViolationKind::capacity || violation.kind == ViolationKind::min_utilization;
}

// One memory and the layer in parts: every tile has whole ones.
struct Holding {
    Memory memory;
    Einsum einsum;
};

Holding holding_of(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping, const Words& words,
                   int memory) {
    Einsum whole = einsum;
    BlockFormats formats = words.blocks;
    if (words.has_partial_sums()) whole = held_words(einsum, architecture, mapping, words.partial_bits, memory);
    for (std::size_t t = 0; t < formats.size(); ++t)
        if (whole.tensors[t].bits != einsum.tensors[t].bits) formats[t] = {};
    const std::vector<WordBits> held = held_bits(whole, architecture, mapping, formats, memory);
    const std::int64_t parts = parts_of_bit(held);
    return {in_parts(architecture, parts).memories[memory], in_parts(whole, held, parts)};
}

PartialBits in_parts(PartialBits bits, std::int64_t parts) {
    for (std::int64_t& one : bits) one = checked_mul(one, parts);
    return bits;
}

std::int64_t used_words(const Holding& holding, const std::vector<TensorTraffic>& tensors) {
    const Capacity capacity = capacity_of(holding.memory, holding.einsum);
    std::int64_t units = 0;
    for (std::size_t t = 0; t < tensors.size(); ++t)
        units = checked_add(units, capacity.units(static_cast<int>(t), tensors[t].tile_words));
    return capacity.words(units);
}

// check() of a layer in parts reports parts.
std::string room_text(const Memory& memory, const Violation& violation, const Einsum& einsum,
                      const BlockFormats& formats) {
    const std::string begin = violation.message.substr(0, violation.message.find(':'));
    return fmt::format("{} (words of {} bits), with {}", begin, memory.word_bits, blocks_in(einsum, formats));
}

}  // namespace

std::vector<WordBits> held_bits(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                                const BlockFormats& formats, int memory) {
    const std::vector<Extents> inside = extents_inside(einsum, mapping);
    std::vector<WordBits> held;
    for (int t = 0; t < einsum.tensor_count(); ++t) {
        const Tensor& tensor = einsum.tensors[t];
        const bool in_blocks = architecture.memories[memory].holds_scales &&
                               static_cast<std::size_t>(t) < formats.size() && formats[t].is_given();
        const int store = store_positions(mapping, architecture.memory_count(), t)[memory];
        held.push_back(in_blocks ? bits_in_row(tensor.bits, formats[t], row_words(einsum, tensor, inside[store]))
                                 : WordBits{tensor.bits, 1});
    }
    return held;
}

std::vector<Violation> check_blocks(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                                    const Words& words) {
    std::vector<Violation> violations = check(einsum, architecture, mapping);
    std::erase_if(violations, concerns_room);
    if (!violations.empty()) return violations;
    for (int m = architecture.memory_count(); m-- > 0;) {
        const Memory& memory = architecture.memories[m];
        const Holding holding = holding_of(einsum, architecture, mapping, words, m);
        Architecture machine = architecture;
        machine.memories[m] = holding.memory;
        for (Violation& one : check(holding.einsum, machine, mapping)) {
            if (one.level != memory.name || !concerns_room(one)) continue;
            one.message = room_text(memory, one, einsum, words.blocks);
            violations.push_back(std::move(one));
        }
    }
    return violations;
}

Evaluation evaluate_blocks(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                           const Words& words) {
    const std::vector<WordBits> moved = moved_bits(einsum, words.blocks);
    const std::int64_t parts = parts_of_bit(moved);
    const Einsum layer = in_parts(einsum, moved, parts);
    const Architecture machine = in_parts(architecture, parts);
    Evaluation all = words.has_partial_sums() ? evaluate(layer, machine, mapping, in_parts(words.partial_bits, parts))
                                              : evaluate(layer, machine, mapping);
    for (int m = 0; m < architecture.memory_count(); ++m) {
        MemoryEvaluation& memory = all.memories[m];
        memory.used_words = used_words(holding_of(einsum, architecture, mapping, words, m), memory.tensors);
    }
    return all;
}

}  // namespace tilewright
