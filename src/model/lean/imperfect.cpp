#include "model/lean/imperfect.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/numbers/checked.hpp"
#include "model/lean/nest.hpp"

namespace tilewright::lean {
namespace {

// Lays loops out from the inside out; a dimension's remainders are digits of the rest of its extent.
class Layout {
   public:
    Layout(const Setup& setup, const TilingPoint& point, ImperfectNest& nest)
        : setup_(setup), point_(point), nest_(nest), dimensions_(point.dimension_count()) {}

    bool run() {
        const int levels = point_.level_count();
        for (int d = 0; d < dimensions_; ++d) {
            left_[d] = static_cast<std::int64_t>(setup_.extents[d]) - 1;
            nest_.full[levels][d] = nest_.last[levels][d] = 1.0;
        }
        nest_.loop_count = 0;
        nest_.divided = false;
        nest_.outside[levels] = 0;
        for (int l = levels - 1; l >= 0; --l)
            if (!add_level(l)) return false;
        for (int d = 0; d < dimensions_; ++d)
            if (left_[d] != 0 || !whole_[d]) return false;
        link();
        return true;
    }

   private:
    bool add_level(int l) {
        const TilingLevel& level = point_[l];
        nest_.full[l] = nest_.full[l + 1];
        nest_.last[l] = nest_.last[l + 1];
        nest_.repack[l] = {};
        std::uint32_t imperfect = 0;  // dimensions, so far
        bool deep = false;
        const Spread spread = spread_of(level);
        for (int k = 0; k < spread.count; ++k) {
            const int d = spread.dimensions[k];
            if (!add(l, d, level.spatial[d], true)) return false;
            ++nest_.repack[l].loops;
            nest_.repack[l].imperfect |= imperfect;
            if (imperfect != 0) nest_.repack[l].outside |= 1U << d;
            if (!whole_[d]) imperfect |= 1U << d;
            deep = deep || nest_.full[l + 1][d] != nest_.last[l + 1][d];
        }
        nest_.repack[l].deep = deep && nest_.repack[l].imperfect != 0;
        nest_.divided = nest_.divided || (spread.divided && (imperfect != 0 || !setup_.levels[l].link_is_free));
        if (!spread.covers) return false;
        nest_.temporal[l] = nest_.loop_count;
        for (int k = 0; k < dimensions_; ++k) {
            const int d = level.order[k];
            if (level.temporal[d] != 1 && !add(l, d, level.temporal[d], false)) return false;
        }
        nest_.outside[l] = nest_.loop_count;
        return true;
    }

    /// The dimensions of a block, innermost first. Two loops along both axes count as one, at the inner one's place.
    struct Spread {
        std::array<std::uint8_t, kMaxDimensions> dimensions;
        int count = 0;
        bool divided = false;  ///< other loops lie between the two of a dimension
        bool covers = true;    ///< two loops cover no more than the shared number, or the whole extent
    };

    Spread spread_of(const TilingLevel& level) const {
        Spread spread;
        int last = -1;
        visit_spatial_loops(level, dimensions_, [&](const SpatialLoop& loop, std::int32_t extent) {
            const int d = loop.dimension;
            const auto end = spread.dimensions.begin() + spread.count;
            if (std::find(spread.dimensions.begin(), end, loop.dimension) == end) {
                spread.dimensions[spread.count++] = loop.dimension;
            } else {
                const std::int32_t inner = (loop.along_y ? level.along_x : level.along_y)[d];
                spread.divided = spread.divided || last != d;
                const bool whole = left_[d] + 1 == level.spatial[d] && ceil_div(level.spatial[d], inner) == extent;
                spread.covers = spread.covers && (whole || inner * extent == level.spatial[d]);
            }
            last = d;
        });
        return spread;
    }

    bool add(int level, int d, std::int64_t extent, bool spatial) {
        if (extent < 1 || left_[d] == 0) return false;
        const std::int64_t remainder = left_[d] % extent + 1;
        left_[d] /= extent;
        double& full = nest_.full[level][d];
        double& last = nest_.last[level][d];
        nest_.loops[nest_.loop_count++] = {
            d, level, 0, spatial, static_cast<double>(extent), static_cast<double>(remainder), full};
        last += full * static_cast<double>(remainder - 1);
        full *= static_cast<double>(extent);
        whole_[d] = remainder == extent;
        return true;
    }

    // The loops of each dimension as a list outwards, with its start outside each memory.
    void link() {
        std::array<std::uint8_t, kMaxDimensions> first;
        first.fill(static_cast<std::uint8_t>(nest_.loop_count));
        std::uint32_t looped = 0;
        int j = nest_.loop_count;
        for (int l = 0; l <= point_.level_count(); ++l) {
            while (j > nest_.outside[l]) {
                ImperfectLoop& loop = nest_.loops[--j];
                loop.next = first[loop.dimension];
                first[loop.dimension] = static_cast<std::uint8_t>(j);
                looped |= 1U << loop.dimension;
            }
            nest_.from[l] = first;
            nest_.looped[l] = looped;
            for (int d = 0; d < dimensions_; ++d)
                nest_.tiles[l][d] = (setup_.extents[d] - nest_.last[l][d]) / nest_.full[l][d] + 1.0;
        }
    }

    const Setup& setup_;
    const TilingPoint& point_;
    ImperfectNest& nest_;
    const int dimensions_;
    std::array<std::int64_t, kMaxDimensions> left_;         // (extent - 1) / product of the extents so far
    std::array<bool, kMaxDimensions> whole_ = all_whole();  // the outermost loop so far has no remainder

    static constexpr std::array<bool, kMaxDimensions> all_whole() {
        std::array<bool, kMaxDimensions> all{};
        all.fill(true);
        return all;
    }
};

void lay_out_spread(const TilingPoint& point, ImperfectNest& nest) {
    nest.used_x[0] = nest.used_y[0] = 1.0;
    for (int l = 0; l < point.level_count(); ++l) {
        double x = nest.used_x[l];
        double y = nest.used_y[l];
        for (int j = nest.outside[l + 1]; j < nest.temporal[l]; ++j) {
            x *= point[l].along_x[nest.loops[j].dimension];
            y *= point[l].along_y[nest.loops[j].dimension];
        }
        nest.used_x[l + 1] = x;
        nest.used_y[l + 1] = y;
    }
}

// As in Timeloop: from the mean trips of every spatial loop (validity.cpp).
double average_instances(const Setup& setup, const ImperfectNest& nest, int level) {
    double average = 1.0;
    ImperfectNest::ByDimension trips;
    std::fill_n(trips.begin(), setup.einsum.dimension_count(), 1.0);
    const auto pass = [&](const ImperfectLoop& loop) {
        double& outside = trips[loop.dimension];
        const double all = loop.remainder + loop.extent * (outside - 1.0);
        if (loop.spatial) average *= loop.remainder == loop.extent ? loop.extent : all / outside;
        outside = all;
    };
    for (int l = 0; l < level; ++l) {
        for (int j = nest.outside[l] - 1; j >= nest.temporal[l]; --j) pass(nest.loops[j]);
        for (int j = nest.temporal[l] - 1; j >= nest.outside[l + 1]; --j) pass(nest.loops[j]);
    }
    return average;
}

std::optional<ViolationKind> structural_violation(const Setup& setup, const TilingPoint& point,
                                                  const ImperfectNest& nest) {
    std::uint32_t kept = 0;
    for (int l = 0; l < point.level_count(); ++l) {
        kept |= point[l].keep.bits();
        if (nest.temporal[l] != nest.outside[l + 1] && !setup.levels[l].spreads) return ViolationKind::no_fanout;
    }
    if (kept != TensorSet::all(setup.einsum.tensor_count()).bits()) return ViolationKind::bypass;
    return std::nullopt;
}

std::optional<ViolationKind> mesh_violation(const ImperfectNest& nest, int level, double mesh_x, double mesh_y) {
    if (nest.used_x[level] > mesh_x) return ViolationKind::fanout_x;
    if (nest.used_y[level] > mesh_y) return ViolationKind::fanout_y;
    return std::nullopt;
}

std::optional<ViolationKind> level_violation(const Setup& setup, const TilingPoint& point, ImperfectNest& nest, int l) {
    const LevelForm& form = setup.levels[l];
    ImperfectNest::ByDimension tile;
    for (int d = 0; d < point.dimension_count(); ++d) tile[d] = std::min(nest.full[l][d], setup.extents[d]);
    double room = 0.0;
    for (std::uint32_t left = point[l].keep.bits(); left != 0; left &= left - 1) {
        const int t = std::countr_zero(left);
        nest.words[l][t] = words_in(setup.tensors[t], tile);
        room += form.room(t, nest.words[l][t]);
    }
    if (room > form.capacity) return ViolationKind::capacity;
    if (room < form.least_use) return ViolationKind::min_utilization;
    if (!form.allows(point[l].keep.bits(), tile)) return ViolationKind::tile;
    if (nest.addressed(l) > form.instances && std::floor(average_instances(setup, nest, l)) > form.instances)
        return ViolationKind::instances;
    return mesh_violation(nest, l, form.mesh_x, form.mesh_y);
}

// Indices of one dimension's spatial loops working only in full chunks, only in the last one, or in both.
struct Ways {
    double full = 0.0;
    double last = 1.0;
    double both = 0.0;

    double all() const { return full + last + both; }
};

Ways inside(const Ways& outside, const ImperfectLoop& loop) {
    if (loop.spatial)
        return {outside.full * loop.extent + outside.last * (loop.remainder - 1.0) + outside.both * (loop.extent - 1.0),
                outside.last, outside.both};
    if (loop.remainder == 1.0) return outside;
    return {outside.full, 0.0, outside.last + outside.both};
}

double lock_steps(const Setup& setup, const ImperfectNest& nest) {
    double steps = 1.0;
    const int levels = static_cast<int>(setup.levels.size());
    for (std::uint32_t left = nest.looped[levels]; left != 0; left &= left - 1) {
        double full = 1.0;
        double last = 1.0;
        for (int j = nest.from[levels][std::countr_zero(left)]; j < nest.loop_count; j = nest.loops[j].next) {
            const ImperfectLoop& loop = nest.loops[j];
            if (loop.spatial) {
                if (loop.remainder > 1.0) last = full;
                continue;
            }
            last += (loop.remainder - 1.0) * full;
            full *= loop.extent;
        }
        steps *= last;
    }
    return steps;
}

}  // namespace

std::optional<ViolationKind> imperfect_violation(const Setup& setup, const TilingPoint& point, ImperfectNest& nest) {
    for (int l = 0; l < point.level_count(); ++l)
        if (!setup.levels[l].stores && !point[l].keep.empty()) return ViolationKind::nest;
    if (!Layout(setup, point, nest).run()) return ViolationKind::factor_product;
    lay_out_spread(point, nest);
    if (const auto violation = structural_violation(setup, point, nest)) return violation;
    const int levels = point.level_count();
    if (nest.addressed(levels) > setup.compute_instances) return ViolationKind::instances;
    if (const auto violation = mesh_violation(nest, levels, setup.compute_mesh_x, setup.compute_mesh_y))
        return violation;
    for (int l = levels - 1; l >= 0; --l)
        if (const auto violation = level_violation(setup, point, nest, l)) return violation;
    return neighbour_violation(setup, nest);
}

void count_use(const Setup& setup, const TilingPoint& point, ImperfectNest& nest) {
    std::array<Ways, kMaxDimensions> ways;
    const int levels = point.level_count();
    int j = nest.loop_count;
    for (int l = 0; l <= levels; ++l) {
        for (; j > nest.outside[l]; --j) {
            const ImperfectLoop& loop = nest.loops[j - 1];
            ways[loop.dimension] = inside(ways[loop.dimension], loop);
        }
        nest.in_use[l] = 1.0;
        for (int d = 0; d < point.dimension_count(); ++d) nest.in_use[l] *= nest.ways[l][d] = ways[d].all();
    }
    nest.steps = lock_steps(setup, nest);
}

}  // namespace tilewright::lean
