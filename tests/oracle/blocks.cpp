#include "oracle/blocks.hpp"

#include <algorithm>
#include <set>
#include <variant>
#include <vector>

namespace tilewright::oracle {
namespace {

using Address = std::vector<std::int64_t>;

// All that the loops from a node on touch, and the corners of the box around it.
class Touched {
   public:
    Touched(const Einsum& einsum, const Mapping& mapping, int position, int tensor)
        : einsum_(einsum), mapping_(mapping), tensor_(einsum.tensors[tensor]) {
        point_.assign(einsum.dimensions.size(), 0);
        step(static_cast<std::size_t>(position + 1));
    }

    Address lowest;
    Address highest;

   private:
    void step(std::size_t node) {
        if (node == mapping_.nodes.size()) return touch();
        const Loop* const loop = std::get_if<Loop>(&mapping_.nodes[node]);
        if (loop == nullptr) return step(node + 1);
        std::int64_t& value = point_[loop->dimension];
        const std::int64_t outside = value;
        for (std::int64_t digit = 0; digit < loop->extent; ++digit) {
            value = outside * loop->extent + digit;
            step(node + 1);
        }
        value = outside;
    }

    void touch() {
        for (std::size_t d = 0; d < point_.size(); ++d)
            if (point_[d] >= einsum_.dimensions[d].extent) return;  // no such iteration: the tile is a last one
        Address word;
        for (const Rank& rank : tensor_.ranks) {
            std::int64_t at = 0;
            for (const Term& term : rank.terms) at += term.coefficient * point_[term.dimension];
            word.push_back(at);
        }
        if (lowest.empty()) lowest = highest = word;
        for (std::size_t r = 0; r < word.size(); ++r) {
            lowest[r] = std::min(lowest[r], word[r]);
            highest[r] = std::max(highest[r], word[r]);
        }
    }

    const Einsum& einsum_;
    const Mapping& mapping_;
    const Tensor& tensor_;
    Address point_;
};

// Of the whole tensor: neighbours lie along the last axis on which there are any.
std::size_t axis_of_neighbours(const Touched& whole) {
    std::size_t axis = whole.lowest.empty() ? 0 : whole.lowest.size() - 1;
    for (std::size_t r = 0; r < whole.lowest.size(); ++r)
        if (whole.highest[r] > whole.lowest[r]) axis = r;
    return axis;
}

// Counts up like an odometer; false after the last word.
bool next_word(Address& word, const Touched& tile) {
    for (std::size_t r = word.size(); r-- > 0;) {
        if (word[r] < tile.highest[r]) {
            ++word[r];
            return true;
        }
        word[r] = tile.lowest[r];
    }
    return false;
}

}  // namespace

HeldWords words_in_blocks(const Einsum& einsum, const Mapping& mapping, int position, int tensor,
                          const Blocks& blocks) {
    const std::int64_t bits = einsum.tensors[tensor].bits;
    const Touched tile(einsum, mapping, position, tensor);
    if (tile.lowest.empty()) return {1, bits + blocks.scale_bits};  // a single number
    const std::size_t axis = axis_of_neighbours(Touched(einsum, mapping, -1, tensor));
    HeldWords held;
    std::set<Address> scales;
    Address word = tile.lowest;
    do {
        Address scale = word;
        scale[axis] = (word[axis] - tile.lowest[axis]) / blocks.of_block;
        scales.insert(std::move(scale));
        ++held.words;
        held.bits += bits;
    } while (next_word(word, tile));
    held.bits += static_cast<std::int64_t>(scales.size()) * blocks.scale_bits;
    return held;
}

}  // namespace tilewright::oracle
