#include "model/sparse/dense_words.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <variant>

#include "arch/blocks.hpp"
#include "arch/widths.hpp"
#include "base/numbers/checked.hpp"
#include "mapping/uneven.hpp"
#include "model/exact/model.hpp"
#include "model/exact/partial_sums.hpp"
#include "model/sparse/steps.hpp"
#include "sparse/density.hpp"
#include "sparse/occupancy.hpp"

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

std::vector<std::vector<Extents>> tiles_of(const Einsum& einsum, const Mapping& mapping, int memories) {
    const std::vector<Extents> inside = extents_inside(einsum, mapping);
    std::vector<std::vector<Extents>> tiles(einsum.tensors.size());
    for (int t = 0; t < einsum.tensor_count(); ++t)
        for (const int node : store_positions(mapping, memories, t)) tiles[t].push_back(inside[node]);
    return tiles;
}

std::vector<std::vector<TileRoom>> tile_rooms(const Einsum& einsum, const Architecture& architecture,
                                              const Mapping& mapping, const Words& words, const DenseWords& dense) {
    const std::vector<std::vector<Extents>> tiles = tiles_of(einsum, mapping, architecture.memory_count());
    std::vector<std::vector<TileRoom>> rooms(architecture.memories.size());
    for (int m = 0; m < architecture.memory_count(); ++m)
        for (int t = 0; t < einsum.tensor_count(); ++t) {
            const Tensor& tensor = einsum.tensors[t];
            const Memory& memory = architecture.memories[m];
            TileRoom& room = rooms[m].emplace_back(TileRoom{bits_of(tensor, memory), 0, 0});
            if (dense.holds_partial(m, t))
                room.word_bits = words.partial_bits[t];
            else if (memory.holds_scales && t < static_cast<int>(words.blocks.size()) && words.blocks[t].is_given()) {
                const std::int64_t row = row_words(einsum, tensor, tiles[t][m]);
                room.scale_bits = words.blocks[t].scale_bits;
                room.scales = checked_mul(box_words(tensor, tiles[t][m]) / row, blocks_in_row(row, words.blocks[t]));
            }
        }
    return rooms;
}

namespace {

// Blocks in which something is not zero, of a tensor: along one axis, so many words each.
class StoredBlocks {
   public:
    StoredBlocks(const Tile& extents, std::size_t axis, std::int64_t words)
        : extents_(extents), axis_(axis), words_(words), rows_(elements(extents) / extents[axis]) {}

    double operator()(const FixedStructured& fixed) const {
        return summed([&](std::int64_t, std::int64_t words) {
            return std::min(1.0, static_cast<double>(words) * fixed.density);
        });
    }
    double operator()(const UniformRandom& random) const {
        const std::int64_t all = elements(extents_);
        const std::int64_t marked = marked_of(random.density, all);
        return summed([&](std::int64_t, std::int64_t words) { return 1.0 - hypergeometric(0, words, marked, all); });
    }
    double operator()(const Pattern& pattern) const {
        const double one = static_cast<double>(pattern.kept) / static_cast<double>(pattern.of);
        const bool across = static_cast<std::size_t>(pattern.rank) != axis_;
        return summed([&](std::int64_t begin, std::int64_t words) {
            if (across) return 1.0 - std::pow(1.0 - one, static_cast<double>(words));
            std::map<std::int64_t, std::int64_t> groups;
            for (std::int64_t at = begin; at < begin + words; ++at) ++groups[at / pattern.of];
            double empty = 1.0;
            for (const auto& [group, places] : groups) empty *= hypergeometric(0, places, pattern.kept, pattern.of);
            return 1.0 - empty;
        });
    }
    // A matrix, whose last rank is the axis.
    double operator()(const Banded& band) const {
        double stored = 0.0;
        for (std::int64_t i = 0; i < extents_[1 - axis_]; ++i)
            for (std::int64_t begin = 0; begin < extents_[axis_]; begin += words_) {
                const std::int64_t last = std::min(begin + words_, extents_[axis_]) - 1;
                stored += begin <= i + band.half_width && last >= i - band.half_width ? 1.0 : 0.0;
            }
        return stored;
    }
    double operator()(const Measured& measured) const {
        std::int64_t inside = 1;
        for (std::size_t r = axis_ + 1; r < extents_.size(); ++r) inside = checked_mul(inside, extents_[r]);
        std::vector<std::int64_t> blocks;
        for (const std::int64_t place : *measured.places) {
            const std::int64_t along = place / inside % extents_[axis_];
            blocks.push_back(place - along % words_ * inside);
        }
        std::ranges::sort(blocks);
        return static_cast<double>(std::unique(blocks.begin(), blocks.end()) - blocks.begin());
    }

   private:
    template <class Chance>
    double summed(const Chance& chance) const {
        double of_row = 0.0;
        for (std::int64_t begin = 0; begin < extents_[axis_]; begin += words_)
            of_row += chance(begin, std::min(words_, extents_[axis_] - begin));
        return of_row * static_cast<double>(rows_);
    }

    const Tile& extents_;
    std::size_t axis_;
    std::int64_t words_;
    std::int64_t rows_;
};

double stored_width(const Einsum& einsum, int t, const Density& density, const BlockFormat& format) {
    const Tensor& tensor = einsum.tensors[t];
    const Tile extents = extents_of(einsum, t);
    const int axis = block_axis(einsum, tensor);
    if (axis < 0) return 1.0;
    const double row = static_cast<double>(extents[axis]);
    const auto scale = static_cast<double>(format.scale_bits);
    const double words = occupancy_of(density, extents)->expected(extents);
    const double blocks = std::visit(StoredBlocks(extents, static_cast<std::size_t>(axis), format.words), density);
    const double dense_share = static_cast<double>(blocks_in_row(extents[axis], format)) / row;
    const double share = words > 0.0 ? std::max(dense_share, blocks / words) : 1.0;
    return (static_cast<double>(tensor.bits) + scale * share) /
           (static_cast<double>(tensor.bits) + scale * dense_share);
}

}  // namespace

std::vector<double> stored_widths(const Einsum& einsum, const std::vector<Density>& densities,
                                  const BlockFormats& formats) {
    std::vector<double> widths(einsum.tensors.size(), 1.0);
    for (std::size_t t = 0; t < std::min(widths.size(), formats.size()); ++t)
        if (formats[t].is_given()) widths[t] = stored_width(einsum, static_cast<int>(t), densities[t], formats[t]);
    return widths;
}

Rows rows_of_bits(const Memory& memory, double bits) {
    constexpr double kRounding = 1e-12;
    const double words = static_cast<double>(checked_mul(memory.block_words, memory.word_bits)) / bits;
    const double whole = std::floor(words * (1.0 + kRounding));
    if (whole >= 1.0) {
        const auto count = static_cast<std::int64_t>(whole);
        return {whole, (count & (count - 1)) == 0 ? 1.0 / whole : 0.0};
    }
    const double rows = std::ceil(1.0 / words * (1.0 - kRounding));
    return {1.0 / rows, rows};
}

}  // namespace tilewright::sparse
