#include "certificate/perfect/arrivals.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "certificate/common/union_size.hpp"

namespace tilewright::certificate {
namespace {

/// The tiles of `level` inside one instance of memory `within`.
class Tiles {
   public:
    Tiles(const Charges& charges, int t, int level, int within, const Box& loops, std::span<const Crossing> crossings)
        : charges_(charges),
          tensor_(charges.tensor(t)),
          within_(within),
          loops_(loops),
          tile_(charges.tile(level, loops)),
          crossings_(crossings) {}

    double words() const {
        double words = 1.0;
        for (std::size_t r = 0; r < tensor_.ranks.size(); ++r) {
            if (std::popcount(tensor_.dims[r]) == 1) {
                const int d = std::countr_zero(tensor_.dims[r]);
                words *= tensor_.width(r, tile_) * charges_.tile(within_, charges_.rest())[d] / tile_[d];
                continue;
            }
            std::vector<Copies> copies;
            for (std::uint32_t left = tensor_.dims[r]; left != 0; left &= left - 1)
                add_copies(r, std::countr_zero(left), copies);
            words *= union_size(tensor_.width(r, tile_), std::move(copies));
        }
        return words;
    }

   private:
    // From the inside: loops, then neighbours, then loops again.
    void add_copies(std::size_t rank, int d, std::vector<Copies>& copies) const {
        const double coefficient = std::abs(tensor_.ranks[rank][d]);
        double inside = tile_[d];  // iterations
        double loops = loops_[d];
        const auto add = [&](double count, bool counts) {
            if (count > 1.0 && counts) copies.push_back({coefficient * inside, count});
            inside *= count;
        };
        for (const Crossing& crossing : crossings_) {
            add((*crossing.loops)[d] / loops, true);
            loops = (*crossing.loops)[d];
            add(charges_.assignment()[crossing.fanout].spatial[d], crossing.fanout >= within_);
        }
        add(charges_.rest()[d] / loops, true);
    }

    const Charges& charges_;
    const Addresses& tensor_;
    int within_;
    const Box& loops_;
    Box tile_;
    std::span<const Crossing> crossings_;
};

// Those that move a rank together with others.
std::uint32_t dimensions_shared_out(const Charges& charges, const Addresses& tensor, int fanout) {
    std::uint32_t dimensions = 0;
    for (const std::uint32_t moved : tensor.dims)
        for (std::uint32_t left = std::popcount(moved) > 1 ? moved : 0U; left != 0; left &= left - 1)
            if (charges.assignment()[fanout].spatial[std::countr_zero(left)] > 1) dimensions |= left & (~left + 1);
    return dimensions;
}

}  // namespace

std::uint32_t fanouts_that_share_out(const Charges& charges, int t, int level) {
    const Addresses& tensor = charges.tensor(t);
    if (!tensor.written || tensor.shares_dimensions()) return 0;
    std::uint32_t fanouts = 0;
    for (int f = 0; f < level; ++f)
        if (dimensions_shared_out(charges, tensor, f) != 0) fanouts |= 1U << f;
    return fanouts;
}

bool is_shared_out(const Charges& charges, int t, int level, const Box& loops) {
    for (int f = 0; f < level; ++f)
        for (std::uint32_t left = dimensions_shared_out(charges, charges.tensor(t), f); left != 0; left &= left - 1)
            if (const int d = std::countr_zero(left); loops[d] < charges.rest()[d]) return false;
    return true;
}

// The positions of one dimension lie at least a tile apart.
FirstWords least_first_words(const Charges& charges, int t, int level, const Box& loops) {
    const Addresses& tensor = charges.tensor(t);
    if (!tensor.written) return {};
    const Box tile = charges.tile(level, loops);
    double words = 1.0;
    for (std::size_t r = 0; r < tensor.ranks.size(); ++r) {
        const double width = tensor.width(r, tile);
        double most = width;
        for (std::uint32_t left = tensor.dims[r]; left != 0 && !tensor.shares_dimensions(); left &= left - 1) {
            const int d = std::countr_zero(left);
            const double others = charges.rest()[d] / loops[d] - 1.0;
            most = std::max(most, width + others * std::min(width, std::abs(tensor.ranks[r][d]) * tile[d]));
        }
        words *= most;
    }
    return {words, words};
}

FirstWords first_words(const Charges& charges, int t, int level, const Box& loops,
                       std::span<const Crossing> crossings) {
    const int parent = charges.parent(t, level);
    const double held = Tiles(charges, t, level, level, loops, crossings).words();
    return {held, parent < 0 ? held : Tiles(charges, t, level, parent, loops, crossings).words()};
}

}  // namespace tilewright::certificate
