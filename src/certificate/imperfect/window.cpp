#include "certificate/imperfect/nests.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tilewright::certificate {
namespace {

double kept_along(const ImperfectWindowDelivery& window, std::size_t rank, const Move& move) {
    return move[rank] == 0.0 ? window.means[rank] : std::max(0.0, window.widths[rank] - std::abs(move[rank]));
}

double kept(const ImperfectWindowDelivery& window, std::size_t ranks, const Move& move) {
    double words = 1.0;
    for (std::size_t r = 0; r < ranks; ++r) words *= kept_along(window, r, move);
    return words;
}

// Upper bound of the mean tile after an advance of a loop of `dimension`.
double mean_words(const ImperfectWindowDelivery& window, const Addresses& tensor, int dimension) {
    double words = 1.0;
    for (std::size_t r = 0; r < tensor.ranks.size(); ++r)
        words *= (tensor.dims[r] >> dimension & 1U) != 0 ? window.widths[r] : window.means[r];
    return words;
}

// Movements are those of the tile's centre, rounded (model rule 2): narrower tiles change them.
bool may_equal(const ImperfectWindowDelivery& window, std::size_t ranks, const Move& move) {
    for (std::size_t r = 0; r < ranks; ++r)
        if (std::abs(move[r] - window.slide[r]) > (window.missing[r] > 0.0 ? window.missing[r] + 1.0 : 0.0))
            return false;
    return true;
}

bool may_rest(const ImperfectWindowDelivery& window, std::size_t ranks, const Move& move) {
    for (std::size_t r = 0; r < ranks; ++r)
        if (std::abs(move[r]) > (window.missing[r] > 0.0 ? (window.missing[r] + 1.0) / 2.0 : 0.0)) return false;
    return true;
}

bool moves_ranks_of(const Move& a, const Move& b, std::size_t ranks) {
    for (std::size_t r = 0; r < ranks; ++r)
        if (a[r] != 0.0 && b[r] != 0.0) return true;
    return false;
}

/// The only dimension of its only rank: tiles with different indices of its loop are disjoint.
bool parts_tiles(const Addresses& tensor, int dimension) {
    return tensor.moves(dimension) && tensor.beside(dimension) == 1U << dimension;
}

class Advance {
   public:
    Advance(const ImperfectCharges& charges, const Where& at, const Where& after, int dimension,
            const ImperfectWindowDelivery& window)
        : charges_(charges), at_(at), after_(after), dimension_(dimension), window_(window) {}

    double advances(bool shared) const { return others(shared) * (mine(at_, shared).all - mine(after_, shared).all); }

    // Instances with a dimension entering or leaving its last chunk.
    double disturbed(bool shared) const {
        const Addresses& tensor = charges_.tensor(window_.tensor);
        const std::uint32_t repacking = repacked_dimensions();
        double share = 0.0;
        for (int d = 0; d < charges_.dimension_count(); ++d) {
            if (d == dimension_) continue;
            const Chain::Node& node = charges_.chain(d).node(at_.node[d]);
            if (!leaves_some_idle(d) || !node.looped || (!tensor.moves(d) && (repacking >> d & 1U) == 0)) continue;
            const Pairs pairs = charges_.pairs(window_.tensor, d, window_.level, shared, at_);
            share += pairs.last / pairs.all;
        }
        double all = advances(shared) * std::min(1.0, share);
        if ((repacking >> dimension_ & 1U) != 0 && leaves_some_idle(dimension_))
            all += others(shared) * mine(at_, shared).last;
        return std::min(all, advances(shared));
    }

    bool may_be_disturbed() const {
        if (repacked_dimensions() != 0) return true;
        for (int d = 0; d < charges_.dimension_count(); ++d)
            if (charges_.tensor(window_.tensor).moves(d) && leaves_some_idle(d)) return true;
        return false;
    }

    // Tiles with another index of this loop are disjoint, and no instance misses one; or, with fixed places, it misses
    // the last one of more than two and resumes with the first.
    bool settles() const {
        if (!parts_tiles(charges_.tensor(window_.tensor), dimension_)) return false;
        if (!leaves_some_idle(dimension_)) return true;
        return steps() > 2.0 && (charges_.may_repack() & ~(~0U << window_.level)) == 0;
    }

    // Words of the tile saved by an instance idle before the advance. It had work since the previous advance and,
    // without repacking, keeps its place: its tile has shifted only along the ranks that idled it.
    double saved_if_disturbed(const Move& by) const {
        const Addresses& tensor = charges_.tensor(window_.tensor);
        const bool moved_places = repacked_dimensions() != 0;
        double words = 1.0;
        for (std::size_t r = 0; r < tensor.ranks.size(); ++r) {
            bool anywhere = moved_places;
            for (std::uint32_t left = tensor.dims[r]; left != 0; left &= left - 1)
                anywhere = anywhere || leaves_some_idle(std::countr_zero(left));
            words *= anywhere ? window_.widths[r] : kept_along(window_, r, by);
        }
        return words;
    }

    // `saved`: words of the tile saved by an undisturbed advance.
    void save(double saved, const Move& by, ImperfectWindowDelivery& window) const {
        const double more = std::max(0.0, saved_if_disturbed(by) - saved);
        for (const bool shared : {false, true}) {
            double& words = shared ? window.sent.accesses : window.sent.delivered;
            words -= advances(shared) * saved + disturbed(shared) * more;
            words = std::max(0.0, words);
        }
    }

   private:
    Pairs mine(const Where& where, bool shared) const {
        return charges_.pairs(window_.tensor, dimension_, window_.level, shared, where);
    }
    double others(bool shared) const {
        return charges_.all_pairs(window_.tensor, window_.level, shared, at_, ~(1U << dimension_));
    }
    // Of the receiving instances.
    bool leaves_some_idle(int dimension) const {
        return charges_.chain(dimension).node(at_.node[dimension]).leaves_idle(window_.level);
    }
    std::uint32_t repacked_dimensions() const {
        std::uint32_t dimensions = 0;
        for (int l = at_.crossed; l < window_.level; ++l)
            if ((at_.repacking >> l & 1U) != 0) dimensions |= charges_.block(l);
        return dimensions;
    }

    // Of a dimension with a rank of its own, outside the tile.
    double steps() const {
        const Addresses& tensor = charges_.tensor(window_.tensor);
        const auto alone = std::find(tensor.dims.begin(), tensor.dims.end(), 1U << dimension_);
        const auto rank = static_cast<std::size_t>(alone - tensor.dims.begin());
        const double tile = 1.0 + (window_.widths[rank] - 1.0) / std::abs(tensor.ranks[rank][dimension_]);
        double product = charges_.chain(dimension_).node(after_.node[dimension_]).product;
        for (int l = at_.crossed; l < window_.level; ++l) product /= charges_.spread(l, dimension_);
        return product / tile;
    }

    const ImperfectCharges& charges_;
    const Where& at_;
    const Where& after_;
    const int dimension_;
    const ImperfectWindowDelivery& window_;
};

}  // namespace

ImperfectWindowDelivery first_slide(const ImperfectCharges& charges, int t, int level, const Where& at,
                                    const Where& after, int dimension, double factor) {
    const Addresses& tensor = charges.tensor(t);
    ImperfectWindowDelivery window;
    window.tensor = static_cast<std::int8_t>(t);
    window.level = static_cast<std::int8_t>(level);
    window.sent = charges.whole(t, level, at);
    window.sent.exact = false;
    window.least = charges.slid(t, level, at, dimension);
    Box held{};
    Box missing{};
    for (int d = 0; d < charges.dimension_count(); ++d) {
        held[d] = tensor.moves(d) ? charges.held(d, level, at) : 1.0;
        const double rest = std::fmod(charges.ground().extents[d], held[d]);
        if (rest != 0.0) missing[d] = held[d] - rest;
    }
    for (std::size_t r = 0; r < tensor.ranks.size(); ++r) {
        window.widths[r] = window.means[r] = tensor.width(r, held);
        for (std::uint32_t left = tensor.dims[r]; left != 0; left &= left - 1) {
            const int d = std::countr_zero(left);
            window.missing[r] += tensor.ranks[r][d] * missing[d];
            const double all = charges.pairs(t, d, level, false, at).all;
            if (std::popcount(tensor.dims[r]) == 1)
                window.means[r] = 1.0 + tensor.ranks[r][d] * (charges.ground().extents[d] / all - 1.0);
        }
        if (window.missing[r] != 0.0) window.steady = false;
    }
    window.uniform = missing[dimension] == 0.0 || factor == 2.0;
    window.slide = tensor.step(dimension, charges.chain(dimension).node(at.node[dimension]).product);
    for (std::size_t r = 0; r < tensor.ranks.size(); ++r) window.reset[r] = (factor - 1.0) * window.slide[r];
    const Advance advance(charges, at, after, dimension, window);
    window.settled = advance.settles();
    const std::size_t ranks = tensor.ranks.size();
    if (!window.settled) advance.save(kept(window, ranks, window.slide), window.slide, window);
    return window;
}

// Model rule 2: a change of direction sends the whole tile, and the next movement may save again. If slides are
// disturbed or single, that may be a reset.
void slide_on(const ImperfectCharges& charges, const Where& at, const Where& after, int dimension, double factor,
              ImperfectWindowDelivery& window) {
    if (window.settled) return;
    const Addresses& tensor = charges.tensor(window.tensor);
    const std::size_t ranks = tensor.ranks.size();
    const Move step = tensor.step(dimension, charges.chain(dimension).node(at.node[dimension]).product);
    Move by{};
    for (std::size_t r = 0; r < ranks; ++r) by[r] = step[r] - window.reset[r];
    const Advance advance(charges, at, after, dimension, window);
    const bool known =
        window.uniform && !advance.may_be_disturbed() &&
        (!charges.may_disturb(window.tensor, window.level) || !moves_ranks_of(step, window.slide, ranks));
    const bool goes_on = may_equal(window, ranks, by);
    const bool rests = may_rest(window, ranks, by);
    double saved = goes_on || !known ? kept(window, ranks, by) : 0.0;
    if (rests) saved = window.steady ? kept(window, ranks, by) : mean_words(window, tensor, dimension);
    // The next slide may then be another one, after which any movement may save.
    if ((goes_on || rests) && !window.steady) window.uniform = false;
    window.settled = advance.settles();
    // If other tiles are disjoint, only the inner loops could save.
    if (!window.settled) advance.save(saved, by, window);
    for (std::size_t r = 0; r < ranks; ++r) window.reset[r] += (factor - 1.0) * step[r];
    const bool leaves = !moves_ranks_of(step, window.slide, ranks) && step != Move{};
    if (window.steady && !charges.may_disturb(window.tensor, window.level) && leaves) window.settled = true;
}

}  // namespace tilewright::certificate
