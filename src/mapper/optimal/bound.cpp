#include "mapper/optimal/bound.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <span>

namespace tilewright::optimal {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

std::span<const lean::Term> rank_terms(const lean::TensorForm& form, std::size_t rank) {
    const int begin = rank == 0 ? 0 : form.rank_ends[rank - 1];
    return std::span(form.terms).subspan(begin, form.rank_ends[rank] - begin);
}

// Distinct words of all tiles of one instance. A sum of k sets of n_i numbers takes at least 1 + sum (n_i - 1) values.
double distinct_at_least(const Charges& charges, int tensor, int level) {
    const lean::TensorForm& form = charges.setup().tensors[tensor];
    if (form.tangled) return 0.0;
    double words = 1.0;
    for (std::size_t rank = 0; rank < form.rank_ends.size(); ++rank) {
        double width = 1.0;
        for (const lean::Term& term : rank_terms(form, rank))
            width += charges.inner(level)[term.dimension] * charges.rest()[term.dimension] - 1.0;
        words *= width;
    }
    return words;
}

// One memory with one tile, `loops` inside it, and the first loop outside it running along some dimension.
class Tile {
   public:
    Tile(const Charges& charges, int level, const Extents& loops) : charges_(charges), loops_(loops) {
        for (int d = 0; d < charges.dimension_count(); ++d) {
            extents_[d] = charges.inner(level)[d] * loops[d];
            left_[d] = charges.rest()[d] / loops[d];
            around_ *= left_[d];
        }
    }

    const Extents& loops() const { return loops_; }
    double left(int dimension) const { return left_[dimension]; }

    /// At least so much is sent to one instance when the first loop outside runs along `first`.
    double sent(int tensor, int first) const {
        const lean::TensorForm& form = charges_.setup().tensors[tensor];
        if (form.tangled) return lean::words_in(form, extents_);
        const double tile = lean::words_in(form, extents_);
        const bool moves = (form.relevant >> first & 1U) != 0;
        if (form.plain) return tile * (moves ? around_ : around(form.relevant));
        // Its windows slide along one rank only: the one that moves first.
        double least = kInfinite;
        for (std::size_t rank = 0; rank < form.rank_ends.size(); ++rank) {
            const auto terms = rank_terms(form, rank);
            std::uint32_t along = 0;
            for (const lean::Term& term : terms) along |= 1U << term.dimension;
            if (moves && (along >> first & 1U) == 0) continue;
            const double outside = around((moves ? ~0U : form.relevant) & ~along);
            least = std::min(least, outside * tile * swept(terms));
        }
        return least;
    }

   private:
    double around(std::uint32_t dimensions) const {
        double product = 1.0;
        for (int d = 0; d < charges_.dimension_count(); ++d)
            if ((dimensions >> d & 1U) != 0) product *= left_[d];
        return product;
    }

    // Words along one rank that a sweep over all its positions touches, over those of one tile.
    double swept(std::span<const lean::Term> terms) const {
        double width = 1.0;
        for (const lean::Term& term : terms) width += term.reach * (extents_[term.dimension] - 1.0);
        double words = width;
        for (const lean::Term& term : terms)
            words = std::max(
                words, width + (left_[term.dimension] - 1.0) * std::min(width, term.reach * extents_[term.dimension]));
        return words / width;
    }

    const Charges& charges_;
    Extents loops_;
    Extents extents_{};
    Extents left_{};
    double around_ = 1.0;
};

bool fits(const Charges& charges, int level, TensorSet tensors, const Extents& loops) {
    Extents tile = charges.inner(level);
    for (int d = 0; d < charges.dimension_count(); ++d) tile[d] *= loops[d];
    double kept = 0.0;
    for (std::uint32_t left = tensors.bits(); left != 0; left &= left - 1)
        kept += lean::words_in(charges.setup().tensors[std::countr_zero(left)], tile);
    return kept <= charges.setup().levels[level].usable_words;
}

bool has_gaps(const Charges& charges) {
    return std::any_of(charges.setup().tensors.begin(), charges.setup().tensors.end(), [](const auto& form) {
        return form.tangled || std::any_of(form.terms.begin(), form.terms.end(),
                                           [](const lean::Term& term) { return term.reach > 1.0; });
    });
}

// The least energy of all deliveries to one memory with one tile, whichever dimension the first loop outside runs
// along.
double deliveries_pj(const Charges& charges, int level, const Tile& tile) {
    const int dimensions = charges.dimension_count();
    Extents along{};  // by the dimension of the first loop
    for (int t = 0; t < charges.tensor_count(); ++t) {
        if (level <= charges.outermost(t) || !charges.delivery(t, level).tracked) continue;
        const lean::TensorForm& form = charges.setup().tensors[t];
        const double distinct = charges.distinct(t, level, tile.loops());
        double known[2] = {-1.0, -1.0};  // plain tensors only ask whether the loop moves them
        for (int d = 0; d < dimensions; ++d) {
            double& pj = known[form.relevant >> d & 1U];
            if (pj < 0.0 || !form.plain) pj = charges.energy_pj(t, level, tile.sent(t, d), distinct);
            along[d] += pj;
        }
    }
    double least = kInfinite;
    bool whole = true;
    for (int d = 0; d < dimensions; ++d) {
        if (tile.left(d) == 1.0) continue;
        least = std::min(least, along[d]);
        whole = false;
    }
    return whole ? along[0] : least;
}

// Which tiles fit the memory. What one with fewer loops does not leave room for, one with more does not either.
std::vector<char> fitting_points(const Charges& charges, const Lattice& lattice, int level, TensorSet tensors) {
    std::vector<char> fitting(static_cast<std::size_t>(lattice.size()));
    for (int point = 0; point < lattice.size(); ++point) {
        const int before = lattice.before(point);
        const bool may_fit = before < 0 || fitting[static_cast<std::size_t>(before)] != 0;
        fitting[static_cast<std::size_t>(point)] =
            may_fit && fits(charges, level, tensors, lattice.loops(point)) ? 1 : 0;
    }
    return fitting;
}

// The least of `cost` over all tiles of these tensors that fit. A larger tile is sent no more, where tiles have no
// gaps: then only the largest ones are looked at.
template <typename Cost>
double least_over_tiles(const Charges& charges, const Lattice& lattice, int level, TensorSet tensors, bool only_largest,
                        const Cost& cost) {
    double least = kInfinite;
    const std::vector<char> fitting = fitting_points(charges, lattice, level, tensors);
    for (int point = 0; point < lattice.size(); ++point) {
        if (fitting[static_cast<std::size_t>(point)] == 0) continue;
        const auto grows = [&](const Axis& axis) {
            return lattice.exponent(point, axis) < axis.most &&
                   fitting[static_cast<std::size_t>(point + axis.stride)] != 0;
        };
        if (only_largest && std::any_of(lattice.axes().begin(), lattice.axes().end(), grows)) continue;
        least = std::min(least, cost(lattice.loops(point)));
    }
    return least;
}

}  // namespace

namespace {

// Of a delivery whatever the loops. Results are counted as if every first arrival were free.
double least_pj(const Charges& charges, int tensor, int level) {
    const double distinct = charges.setup().tensors[tensor].written
                                ? lean::words_in(charges.setup().tensors[tensor], charges.setup().extents)
                                : 0.0;
    return charges.energy_pj(tensor, level, distinct_at_least(charges, tensor, level), distinct);
}

}  // namespace

double least_delivery_pj(const Charges& charges, int tensor, int level, const Extents& loops) {
    const Tile tile(charges, level, loops);
    double least = tile.sent(tensor, 0);
    for (int d = 1; d < charges.dimension_count(); ++d) least = std::min(least, tile.sent(tensor, d));
    return charges.energy_pj(tensor, level, least, charges.distinct(tensor, level, loops));
}

double compulsory_pj(const Charges& charges) {
    double energy = charges.fixed_pj();
    for (int t = 0; t < charges.tensor_count(); ++t)
        for (int l = charges.outermost(t) + 1; l < charges.level_count(); ++l)
            if (charges.delivery(t, l).tracked) energy += least_pj(charges, t, l);
    return energy;
}

namespace {

// All tensors of a memory have the same tile. The outermost memories first: they are dearest, and most often enough to
// give up.
std::vector<double> even_bounds_pj(const Charges& charges, const Lattice& lattice, const Stages& stages,
                                   const std::function<bool(double)>& give_up) {
    const bool only_largest = !has_gaps(charges);
    double all = compulsory_pj(charges);
    std::vector<double> outside(static_cast<std::size_t>(charges.level_count()) + 1, 0.0);  // of memories 0 to l - 1
    for (int l = 0; l < charges.level_count(); ++l) {
        double compulsory = 0.0;
        bool delivers = false;
        for (int t = 0; t < charges.tensor_count(); ++t) {
            if (l <= charges.outermost(t) || !charges.delivery(t, l).tracked) continue;
            delivers = true;
            compulsory += least_pj(charges, t, l);
        }
        const auto cost = [&](const Extents& loops) { return deliveries_pj(charges, l, Tile(charges, l, loops)); };
        const double bound =
            delivers ? least_over_tiles(charges, lattice, l, charges.assignment()[l].keep, only_largest, cost) : 0.0;
        outside[static_cast<std::size_t>(l) + 1] = outside[static_cast<std::size_t>(l)] + bound;
        all += bound - compulsory;
        if (delivers && give_up(all)) return std::vector<double>(stages.all().size(), kInfinite);
    }
    std::vector<double> bounds;
    for (const Stage& stage : stages.all()) bounds.push_back(outside[static_cast<std::size_t>(stage.stored[0])]);
    return bounds;
}

std::vector<double> uneven_bounds_pj(const Charges& charges, const Lattice& lattice, const Stages& stages,
                                     const std::function<bool(double)>& give_up) {
    const bool only_largest = !has_gaps(charges);
    double all = compulsory_pj(charges);
    std::vector<double> bounds(stages.all().size(), 0.0);
    for (int l = 0; l < charges.level_count(); ++l)
        for (int t = 0; t < charges.tensor_count(); ++t) {
            if (l <= charges.outermost(t) || !charges.delivery(t, l).tracked) continue;
            const TensorSet kept = charges.delivery(t, l).keeps ? TensorSet::of(t) : TensorSet();
            const auto cost = [&](const Extents& loops) { return least_delivery_pj(charges, t, l, loops); };
            const double bound = least_over_tiles(charges, lattice, l, kept, only_largest, cost);
            for (std::size_t i = 0; i < bounds.size(); ++i)
                if (stages.all()[i].stored[t] > l) bounds[i] += bound;
            all += bound - least_pj(charges, t, l);
            if (give_up(all)) return std::vector<double>(bounds.size(), kInfinite);
        }
    return bounds;
}

}  // namespace

std::vector<double> to_come_pj(const Charges& charges, const Lattice& lattice, const Stages& stages,
                               const std::function<bool(double energy_pj)>& give_up) {
    return stages.are_even() ? even_bounds_pj(charges, lattice, stages, give_up)
                             : uneven_bounds_pj(charges, lattice, stages, give_up);
}

}  // namespace tilewright::optimal
