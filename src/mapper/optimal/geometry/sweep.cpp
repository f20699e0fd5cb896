#include "mapper/optimal/geometry/sweep.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace tilewright::optimal {
namespace {

/// Positions at least so far apart.
struct Scattered {
    double spacing = 1.0;
    double count = 1.0;
};

// Words in an interval at all sums of these positions: exact without scattered ones, else a lower bound.
double covered(double width, std::span<lean::Repeat> repeats, std::span<const Scattered> scattered) {
    std::sort(repeats.begin(), repeats.end(),
              [](const lean::Repeat& a, const lean::Repeat& b) { return a.stride < b.stride; });
    double words = lean::union_length(width, repeats);
    double span = width;  // from the first word to the last
    for (const lean::Repeat& repeat : repeats) span += (repeat.times - 1.0) * repeat.stride;
    for (const Scattered& at : scattered) {
        const double more = at.count - 1.0;
        if (at.spacing >= span) {  // no overlap
            words *= at.count;
        } else if (words == span) {
            words += more * at.spacing;
        } else {
            words += more;  // least number of values of a sum of two sets
        }
        span = std::numeric_limits<double>::infinity();
    }
    return words;
}

// Without spreading outside the memory, its tiles are adjacent.
bool is_whole(const Charges& charges, int level, int dimension) {
    return charges.inner(level)[dimension] == charges.inner(0)[dimension];
}

}  // namespace

std::span<const lean::Term> rank_terms(const lean::TensorForm& form, std::size_t rank) {
    const int begin = rank == 0 ? 0 : form.rank_ends[rank - 1];
    return std::span(form.terms).subspan(begin, form.rank_ends[rank] - begin);
}

std::uint32_t dimensions_of(std::span<const lean::Term> rank) {
    std::uint32_t dimensions = 0;
    for (const lean::Term& term : rank) dimensions |= 1U << term.dimension;
    return dimensions;
}

bool meet(const lean::TensorForm& form, std::uint32_t dimensions) {
    if (form.tangled) return std::popcount(dimensions & form.relevant) > 1;
    for (std::size_t rank = 0; rank < form.rank_ends.size(); ++rank)
        if (std::popcount(dimensions & dimensions_of(rank_terms(form, rank))) > 1) return true;
    return false;
}

double swept_words(const Charges& charges, int level, std::span<const lean::Term> rank, const Extents& tile) {
    std::array<lean::Repeat, kMaxDimensions> repeats;
    std::array<Scattered, kMaxDimensions> scattered;
    std::size_t repeat_count = 0;
    std::size_t scattered_count = 0;
    double width = 1.0;
    for (const lean::Term& term : rank) {
        const int d = term.dimension;
        width += term.reach * (tile[d] - 1.0);
        const double spacing = term.reach * tile[d];
        const double count = charges.inner(level)[d] * charges.rest()[d] / tile[d];
        if (count == 1.0) continue;
        if (is_whole(charges, level, d)) {
            repeats[repeat_count++] = {spacing, count};
        } else {
            scattered[scattered_count++] = {spacing, count};
        }
    }
    return covered(width, std::span(repeats).first(repeat_count), std::span(scattered).first(scattered_count));
}

double swept_words(const Charges& charges, int level, const lean::TensorForm& form) {
    Extents one;
    one.fill(1.0);
    double words = 1.0;
    for (std::size_t rank = 0; rank < form.rank_ends.size(); ++rank)
        words *= swept_words(charges, level, rank_terms(form, rank), one);
    return words;
}

// One instance's cover is affine in its number of indices: the mean gives the sum over all instances.
double distinct_at_least(std::span<const lean::Term> rank, const Extents& extents, const Extents& ways) {
    std::array<lean::Repeat, kMaxDimensions> repeats;
    std::array<Scattered, kMaxDimensions> scattered;
    std::size_t repeat_count = 0;
    std::size_t scattered_count = 0;
    double instances = 1.0;
    for (const lean::Term& term : rank) {
        const double extent = extents[term.dimension];
        const double apart = ways[term.dimension];
        instances *= apart;
        if (apart > 1.0) {
            scattered[scattered_count++] = {term.reach, extent / apart};
        } else if (extent > 1.0) {
            repeats[repeat_count++] = {term.reach, extent};
        }
    }
    return instances *
           covered(1.0, std::span(repeats).first(repeat_count), std::span(scattered).first(scattered_count));
}

double sent_at_least(const Charges& charges, int tensor, int level, double sent, double distinct) {
    const Delivery& delivery = charges.delivery(tensor, level);
    if (delivery.dynamic) return sent;
    return std::max(sent, distinct / (charges.used(delivery.parent) * delivery.groups) * kRoundedDown);
}

double groups_at_least(const Charges& charges, int tensor, int level, double sent, double distinct) {
    const Delivery& delivery = charges.delivery(tensor, level);
    if (!delivery.dynamic || sent <= 0.0) return 1.0;
    return std::max(1.0, distinct / (charges.used(delivery.parent) * delivery.groups * sent) * kRoundedDown);
}

double distinct_at_least(const lean::TensorForm& form, const Extents& extents) {
    if (form.tangled) return 0.0;
    Extents one;
    one.fill(1.0);
    double words = 1.0;
    for (std::size_t rank = 0; rank < form.rank_ends.size(); ++rank)
        words *= distinct_at_least(rank_terms(form, rank), extents, one);
    return words;
}

}  // namespace tilewright::optimal
