#include "mapper/optimal/bounds/reach.hpp"

#include <algorithm>

#include "mapper/optimal/geometry/sweep.hpp"

namespace tilewright::optimal {
namespace {

// Dimensions that move no rank with gaps in its tiles.
std::uint32_t dimensions_without_gaps(const Charges& charges) {
    std::uint32_t dimensions = ~0U;
    for (const lean::TensorForm& form : charges.setup().tensors)
        for (std::size_t rank = 0; rank < form.rank_ends.size(); ++rank) {
            const auto terms = rank_terms(form, rank);
            const bool gaps = form.tangled || std::any_of(terms.begin(), terms.end(),
                                                          [](const lean::Term& term) { return term.reach > 1.0; });
            if (gaps) dimensions &= ~dimensions_of(terms);
        }
    return dimensions;
}

// Dimensions of tensors with tile-dependent sharing: neighbours form other, perhaps more, groups as the tile grows.
std::uint32_t sharing_varies(const Charges& charges) {
    std::uint32_t dimensions = 0;
    for (int t = 0; t < charges.tensor_count(); ++t)
        for (int l = 0; l < charges.level_count(); ++l)
            if (charges.is_dynamic(t, l)) dimensions |= charges.setup().tensors[t].relevant;
    return dimensions;
}

std::vector<int> listed(const PointSet& marks) {
    std::vector<int> points;
    marks.visit([&points](int point) { points.push_back(point); });
    return points;
}

}  // namespace

Reach::Reach(const Mapspace& mapspace, const TileTable& tiles)
    : tiles_(tiles),
      levels_(tiles.charges().level_count()),
      outermost_(levels_),
      marks_(static_cast<std::size_t>(levels_)) {
    look_at_dimensions(mapspace);
    look_outwards();
    look_inwards();
    points_.resize(marks_.size());
    find_largest();
}

const std::vector<int>& Reach::points(int level) const {
    const auto at = static_cast<std::size_t>(level);
    if (!points_[at]) points_[at] = listed(marks_[at]);
    return *points_[at];
}

void Reach::look_at_dimensions(const Mapspace& mapspace) {
    const Charges& charges = tiles_.charges();
    for (int l = 0; l < levels_; ++l) {
        std::uint32_t& dimensions = dimensions_.emplace_back(0U);
        for (int d = 0; d < charges.dimension_count(); ++d)
            if (mapspace.temporal_bounds(l, d).at_most > 1 && charges.rest()[d] > 1.0) dimensions |= 1U << d;
    }
}

// Points reachable by loops from the units. The outermost memory holds all tensors.
void Reach::look_outwards() {
    PointSet now(tiles_.lattice().size());
    now.add(0);
    PointSet last(tiles_.lattice().size());
    last.add(tiles_.lattice().size() - 1);
    for (int l = levels_ - 1; l >= 0; --l) {
        tiles_.lattice().spread_outwards(dimensions(l), now);
        if (l == 0) now.keep(last);
        tiles_.keep_fitting(l, tiles_.charges().assignment()[l].keep, now);
        marks(l) = now;
    }
}

void Reach::look_inwards() {
    for (int l = 0; l + 1 < levels_; ++l) {
        PointSet now = marks(l);
        tiles_.lattice().spread_inwards(dimensions(l), now);
        marks(l + 1).keep(now);
    }
}

// Moving a loop into a tile without gaps never increases that memory's delivery, and nothing is delivered further out.
void Reach::find_largest() {
    const Charges& charges = tiles_.charges();
    int level = 0;
    while (level < levels_ && !charges.delivers(level)) ++level;
    if (level == levels_) return;
    outermost_ = level;
    const std::uint32_t along = dimensions(level) & dimensions_without_gaps(charges) & ~sharing_varies(charges);
    PointSet now = marks(level);
    for (const Axis& axis : tiles_.lattice().axes())
        if ((along >> axis.dimension & 1U) != 0) now.remove(now.before(axis.stride, tiles_.lattice().may_step(axis)));
    largest_ = listed(now);
}

}  // namespace tilewright::optimal
