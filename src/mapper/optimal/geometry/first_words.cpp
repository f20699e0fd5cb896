#include "mapper/optimal/geometry/first_words.hpp"

#include <algorithm>
#include <span>

namespace tilewright::optimal {
namespace {

struct Stretch {
    double least = 1.0;
    double most = 1.0;
};

/// Union of one memory's tiles within one instance of it or of an outer memory.
class Union {
   public:
    Union(const Charges& charges, int tensor, int within, int level, const Extents& loops)
        : charges_(charges), form_(charges.setup().tensors[tensor]) {
        for (int d = 0; d < charges.dimension_count(); ++d) {
            tile_[d] = charges.inner(level)[d] * loops[d];
            const double chunk = charges.inner(within)[d] * charges.rest()[d];
            tiles_[d] = chunk / tile_[d];
            all_tiles_[d] = extents()[d] / tile_[d];
        }
    }

    Stretch words() const {
        if (form_.tangled) return {0.0, lean::words_in(form_, extents())};
        Stretch words;
        int begin = 0;
        for (const int end : form_.rank_ends) {
            const Stretch along = words_along(std::span(form_.terms).subspan(begin, end - begin));
            words = {words.least * along.least, words.most * along.most};
            begin = end;
        }
        return words;
    }

   private:
    const Extents& extents() const { return charges_.setup().extents; }

    Stretch words_along(std::span<const lean::Term> rank) const {
        double width = 1.0;
        double tiles = 1.0;
        bool is_spread = false;
        for (const lean::Term& term : rank) {
            width += term.reach * (tile_[term.dimension] - 1.0);
            tiles *= tiles_[term.dimension];
            if (tiles_[term.dimension] == 1.0) continue;
            is_spread = is_spread || tiles_[term.dimension] != all_tiles_[term.dimension];
        }
        if (!is_spread) return {swept(rank, width, tiles_), swept(rank, width, tiles_)};
        const double most = std::min(width * tiles, swept(rank, width, all_tiles_));
        return {std::min(most, swept_at_least(rank, width)), most};
    }

    // Adjacent tiles in every dimension from the first to the last.
    double swept(std::span<const lean::Term> rank, double width, const Extents& tiles) const {
        std::array<lean::Repeat, kMaxDimensions> repeats;
        std::size_t count = 0;
        for (const lean::Term& term : rank)
            if (tiles[term.dimension] > 1.0)
                repeats[count++] = {term.reach * tile_[term.dimension], tiles[term.dimension]};
        std::sort(repeats.begin(), repeats.begin() + static_cast<std::ptrdiff_t>(count),
                  [](const lean::Repeat& a, const lean::Repeat& b) { return a.stride < b.stride; });
        return lean::union_length(width, std::span(repeats).first(count));
    }

    // Tiles anywhere, but in each dimension no closer than adjacent. Sums of k sets of n_i numbers take at least 1 +
    // sum (n_i - 1) values.
    double swept_at_least(std::span<const lean::Term> rank, double width) const {
        double sums = width;
        double words = width;
        for (const lean::Term& term : rank) {
            const double others = tiles_[term.dimension] - 1.0;
            sums += others;
            words = std::max(words, width + others * std::min(width, term.reach * tile_[term.dimension]));
        }
        return std::max(words, sums);
    }

    const Charges& charges_;
    const lean::TensorForm& form_;
    Extents tile_{};
    Extents tiles_{};
    Extents all_tiles_{};  ///< if no outer fan-out spread them
};

}  // namespace

FirstWordsRange first_words(const Charges& charges, int tensor, int level, const Extents& loops) {
    const lean::TensorForm& form = charges.setup().tensors[tensor];
    if (!form.written) return {};
    const Delivery& delivery = charges.delivery(tensor, level);
    const Stretch held = Union(charges, tensor, level, level, loops).words();
    const Stretch arriving = Union(charges, tensor, delivery.parent, level, loops).words();
    return {{held.least, std::max(held.least, arriving.least)},
            {held.most, std::min(arriving.most, held.most * delivery.relevant)}};
}

double kept_words(const lean::TensorForm& form, const Extents& tile, int dimension, double stride) {
    double kept = 1.0;
    int term = 0;
    for (const int end : form.rank_ends) {
        double width = 1.0;
        for (; term < end; ++term) {
            const lean::Term& t = form.terms[term];
            width += t.reach * (tile[t.dimension] - 1.0);
            if (t.dimension == dimension) width -= t.reach * stride;
        }
        kept *= std::max(0.0, width);
    }
    return kept;
}

std::uint32_t rank_of(const lean::TensorForm& form, int dimension) {
    std::uint32_t along = 0;
    int term = 0;
    for (const int end : form.rank_ends) {
        std::uint32_t rank = 0;
        for (; term < end; ++term) rank |= 1U << form.terms[term].dimension;
        if ((rank >> dimension & 1U) != 0) along |= rank;
    }
    return along;
}

bool settles_early(const lean::TensorForm& form) {
    if (form.tangled) return false;
    return std::all_of(form.terms.begin(), form.terms.end(),
                       [&form](const lean::Term& term) { return form.key[term.dimension] > 0.0; });
}

}  // namespace tilewright::optimal
