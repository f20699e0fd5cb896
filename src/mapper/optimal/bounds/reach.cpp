#include "mapper/optimal/bounds/reach.hpp"

#include <algorithm>
#include <bit>

#include "base/numbers/checked.hpp"
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

namespace {

using ByPoint = std::vector<double>;

/// Memories from `outer` to `inner` with one tile: no loops between them.
struct Station {
    int outer = 0;
    int inner = 0;
    std::uint32_t sent = 0;  ///< bit t: some memory has deliveries of tensor t
};

class Coupling {
   public:
    Coupling(const TileTable& tiles, const Reach& reach)
        : tiles_(tiles), charges_(tiles.charges()), lattice_(tiles.lattice()), reach_(reach) {}

    std::vector<ByPoint> run() {
        std::vector<ByPoint> tables(static_cast<std::size_t>(charges_.level_count()));
        if (!compete()) return tables;
        for (int outer = 0; outer < charges_.level_count();) {
            const Station station = station_from(outer);
            if (station.sent != 0) pass(station);
            between_ |= reach_.dimensions(station.inner);
            if (!here_.empty()) {
                lattice_.take_least(reach_.dimensions(station.inner), outside_);
                tables[station.inner] = outside_;
            }
            outer = station.inner + 1;
        }
        return tables;
    }

   private:
    Station station_from(int outer) const {
        Station station{outer, outer, 0};
        while (station.inner + 1 < charges_.level_count() && reach_.dimensions(station.inner) == 0) ++station.inner;
        for (int l = station.outer; l <= station.inner; ++l)
            for (int t = 0; t < charges_.tensor_count(); ++t)
                if (charges_.delivers(t, l)) station.sent |= 1U << t;
        return station;
    }

    // With one tensor per memory every memory has its best loops anyway: coupling adds nothing.
    bool compete() const {
        bool outermost = true;
        for (int outer = 0; outer < charges_.level_count();) {
            const Station station = station_from(outer);
            if (!outermost && std::popcount(station.sent) > 1) return true;
            outermost = outermost && station.sent == 0;
            outer = station.inner + 1;
        }
        return false;
    }

    void pass(const Station& station) {
        look_at_resting(station);
        ByPoint now(static_cast<std::size_t>(lattice_.size()), kInfinite);
        for (const int point : reach_.points(station.inner)) now[point] = pj(station, point);
        here_ = now;
        outside_ = std::move(now);
        between_ = 0;
    }

    // Least cost of a tensor and all deliveries further out while it rests before the next memory, or beyond.
    void look_at_resting(const Station& station) {
        if (here_.empty() || std::popcount(station.sent) < 2) return;
        for (int t = 0; t < charges_.tensor_count(); ++t) {
            if ((station.sent >> t & 1U) == 0) continue;
            const std::uint32_t moving = charges_.setup().tensors[t].relevant;
            ByPoint& until = until_[t];
            until = here_;
            lattice_.take_least(between_ & moving, until);
            for (int point = 0; point < lattice_.size(); ++point)
                if (double& pj = until[point]; pj < kInfinite)
                    for (int l = station.outer; l <= station.inner; ++l)
                        if (charges_.delivers(t, l)) pj += tiles_.least_moving_pj(t, l, point);
            lattice_.take_least(between_ & ~moving, until);
            ByPoint& beyond = beyond_[t];
            beyond = here_;
            lattice_.take_least(between_ & ~moving, beyond);
        }
    }

    double pj(const Station& station, int point) const {
        const auto at = static_cast<std::size_t>(point);
        FirstLoops loops;
        double asked = 0.0;
        for (int l = station.outer; l <= station.inner; ++l) {
            tiles_.add_first_loops(l, point, loops);
            asked += tiles_.asked_pj(l, point);
        }
        double least = kInfinite;
        for (int d = 0; d < charges_.dimension_count(); ++d)
            if (lattice_.loops(point)[d] < charges_.rest()[d]) least = std::min(least, pj_along(station, d, loops, at));
        if (least == kInfinite) least = loops.along[0] + outside(at);  // no loops are left
        return asked + least;
    }

    // A single tensor rests for a known number of iterations. Of several tensors each rests as long as possible.
    double pj_along(const Station& station, int d, const FirstLoops& loops, std::size_t at) const {
        int resting = -1;
        int count = 0;
        for (int t = 0; t < charges_.tensor_count(); ++t) {
            if ((station.sent >> t & 1U) == 0 || !rests(t, d)) continue;
            resting = t;
            ++count;
        }
        if (count != 1 || here_.empty() || std::popcount(station.sent) < 2) return loops.along[d] + outside(at);
        const auto t = static_cast<std::size_t>(resting);
        const double others = loops.along[d] - loops.still[t];
        return std::min(others + until_[t][at], loops.along[d] + beyond_[t][at]);
    }

    bool rests(int tensor, int d) const {
        const lean::TensorForm& form = charges_.setup().tensors[tensor];
        return !form.tangled && (form.relevant >> d & 1U) == 0;
    }

    double outside(std::size_t at) const { return here_.empty() ? 0.0 : outside_[at]; }

    const TileTable& tiles_;
    const Charges& charges_;
    const Lattice& lattice_;
    const Reach& reach_;
    std::uint32_t between_ = 0;  ///< dimensions allowed between the current memories
    ByPoint here_;               ///< deliveries to the next outer memory, by its tile's point
    ByPoint outside_;            ///< that memory and all further out, minimum over the loops between
    std::array<ByPoint, kMaxTensors> until_;
    std::array<ByPoint, kMaxTensors> beyond_;
};

}  // namespace

std::vector<std::vector<double>> coupled_pj(const TileTable& tiles, const Reach& reach) {
    return Coupling(tiles, reach).run();
}

}  // namespace tilewright::optimal
