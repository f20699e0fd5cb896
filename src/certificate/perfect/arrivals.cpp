#include "certificate/perfect/arrivals.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include "certificate/common/union_size.hpp"

namespace tilewright::certificate {
namespace {

/// Tiles at different places are disjoint.
bool lies_apart(const Addresses& tensor, std::uint32_t ranks) {
    return std::popcount(ranks) == 1 && std::popcount(tensor.moving_some_of(ranks)) == 1;
}

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

    /// Nothing if too many to count.
    std::optional<double> words() const {
        double words = 1.0;
        for (const std::uint32_t ranks : tensor_.tangles()) {
            const std::optional<double> more = lies_apart(tensor_, ranks) ? apart(ranks) : joint(ranks);
            if (!more) return std::nullopt;
            words *= *more;
        }
        return words;
    }

   private:
    /// Of one dimension, from the inside: loops, then neighbours, then loops again.
    struct Repeated {
        int dimension = 0;
        double stride = 1.0;  ///< iterations
        double count = 1.0;
    };

    double apart(std::uint32_t ranks) const {
        const auto r = static_cast<std::size_t>(std::countr_zero(ranks));
        const int d = std::countr_zero(tensor_.dims[r]);
        return tensor_.width(r, tile_) * charges_.tile(within_, charges_.rest())[d] / tile_[d];
    }

    std::optional<double> joint(std::uint32_t ranks) const {
        std::vector<Repeated> all;
        for (std::uint32_t left = tensor_.moving_some_of(ranks); left != 0; left &= left - 1)
            add(std::countr_zero(left), all);
        if (std::popcount(ranks) == 1)
            if (const auto words = along(static_cast<std::size_t>(std::countr_zero(ranks)), all)) return words;
        std::vector<double> widths;
        std::vector<BoxCopies> copies(all.size());
        for (; ranks != 0; ranks &= ranks - 1) {
            const auto r = static_cast<std::size_t>(std::countr_zero(ranks));
            for (std::size_t i = 0; i < all.size(); ++i)
                copies[i].step[widths.size()] = tensor_.ranks[r][all[i].dimension] * all[i].stride;
            widths.push_back(tensor_.width(r, tile_));
        }
        for (std::size_t i = 0; i < all.size(); ++i) copies[i].count = all[i].count;
        return box_union(widths, copies);
    }

    std::optional<double> along(std::size_t rank, const std::vector<Repeated>& all) const {
        std::vector<Copies> copies;
        for (const Repeated& one : all)
            copies.push_back({std::abs(tensor_.ranks[rank][one.dimension]) * one.stride, one.count});
        return union_size(tensor_.width(rank, tile_), std::move(copies));
    }

    void add(int d, std::vector<Repeated>& all) const {
        double inside = tile_[d];
        double loops = loops_[d];
        const auto repeat = [&](double count, bool counts) {
            if (count > 1.0 && counts) all.push_back({d, inside, count});
            inside *= count;
        };
        for (const Crossing& crossing : crossings_) {
            repeat((*crossing.loops)[d] / loops, true);
            loops = (*crossing.loops)[d];
            repeat(charges_.assignment()[crossing.fanout].spatial[d], crossing.fanout >= within_);
        }
        repeat(charges_.rest()[d] / loops, true);
    }

    const Charges& charges_;
    const Addresses& tensor_;
    int within_;
    const Box& loops_;
    Box tile_;
    std::span<const Crossing> crossings_;
};

// Dimensions that decide the tiles' common words.
std::uint32_t dimensions_shared_out(const Charges& charges, const Addresses& tensor, int fanout) {
    std::uint32_t dimensions = 0;
    for (const std::uint32_t ranks : tensor.tangles())
        for (std::uint32_t left = lies_apart(tensor, ranks) ? 0U : tensor.moving_some_of(ranks); left != 0;
             left &= left - 1)
            if (charges.assignment()[fanout].spatial[std::countr_zero(left)] > 1) dimensions |= left & (~left + 1);
    return dimensions;
}

}  // namespace

bool can_count_first_words(const Addresses& tensor, const Box& extents) {
    for (const std::uint32_t ranks : tensor.tangles()) {
        if (!tensor.written || lies_apart(tensor, ranks)) continue;
        double words = 1.0;
        double tiles = 1.0;
        for (std::uint32_t left = ranks; left != 0; left &= left - 1)
            words *= tensor.width(static_cast<std::size_t>(std::countr_zero(left)), extents) + 1.0;
        for (std::uint32_t left = tensor.moving_some_of(ranks); left != 0; left &= left - 1)
            tiles *= extents[std::countr_zero(left)];
        if (words > kMostMarked || tiles > kMostMarked) return false;
    }
    return true;
}

std::uint32_t fanouts_that_share_out(const Charges& charges, int t, int level) {
    const Addresses& tensor = charges.tensor(t);
    if (!tensor.written) return 0;
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

std::optional<FirstWords> first_words(const Charges& charges, int t, int level, const Box& loops,
                                      std::span<const Crossing> crossings) {
    const int parent = charges.parent(t, level);
    const std::optional<double> held = Tiles(charges, t, level, level, loops, crossings).words();
    if (!held || parent < 0) return held ? std::optional(FirstWords{*held, *held}) : std::nullopt;
    const std::optional<double> arriving = Tiles(charges, t, level, parent, loops, crossings).words();
    return arriving ? std::optional(FirstWords{*held, *arriving}) : std::nullopt;
}

}  // namespace tilewright::certificate
