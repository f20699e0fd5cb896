#include "uneven_mappings.hpp"

#include <algorithm>
#include <vector>

#include "mapping/tiling_point.hpp"
#include "mapping/uneven.hpp"
#include "mapspace/mapspace.hpp"

namespace tilewright::property {
namespace {

/// Stacks nodes from the inside outwards, for one choice of spatial loops and kept tensors.
class Stack {
   public:
    Stack(const Problem& problem, const Mapspace& mapspace, const TilingPoint& assignment, std::int64_t& left_to_list,
          const std::function<bool(const Mapping&)>& visit)
        : problem_(problem), mapspace_(mapspace), assignment_(assignment), left_to_list_(left_to_list), visit_(visit) {
        for (int d = 0; d < assignment.dimension_count(); ++d) {
            std::int64_t left = problem.einsum.dimensions[d].extent;
            for (int m = 0; m < memories(); ++m) left /= assignment[m].spatial[d];
            left_.push_back(left);
        }
        for (int m = 0; m < memories(); ++m) missing_.push_back(stores_of(assignment[m].keep));
    }

    bool run() { return outwards(); }

   private:
    static std::uint32_t stores_of(TensorSet keep) { return keep.empty() ? kNothing : keep.bits(); }
    int memories() const { return assignment_.level_count(); }

    // A fan-out lies directly outside the last store inside it.
    bool outwards() {
        for (int m = memories() - 1; m >= 0; --m) {
            if (crossed_ == m + 1 && all_placed_inside(m)) {
                const std::size_t size = nodes_.size();
                const int crossed = crossed_;
                add_fanout(m);
                crossed_ = m;
                const bool go_on = outwards();
                crossed_ = crossed;
                nodes_.resize(size);
                return go_on;
            }
        }
        return try_stores() && try_loops();
    }

    bool all_placed_inside(int memory) const {
        if (!spreads(memory)) return true;  // nothing to cross
        for (int m = memory + 1; m < memories(); ++m)
            if (missing_[m] != 0) return false;
        return true;
    }

    bool spreads(int memory) const {
        for (int d = 0; d < assignment_.dimension_count(); ++d)
            if (assignment_[memory].spatial[d] > 1) return true;
        return false;
    }

    void add_fanout(int memory) {
        visit_spatial_loops(
            assignment_[memory], assignment_.dimension_count(), [this](const SpatialLoop& loop, std::int32_t extent) {
                nodes_.emplace_back(
                    Loop{loop.dimension, extent, extent, loop.along_y ? LoopKind::spatial_y : LoopKind::spatial_x});
            });
    }

    bool try_stores() {
        for (int m = memories() - 1; m > 0; --m) {
            if (crossed_ > m) continue;  // the fan-out below it comes first
            for (std::uint32_t left = missing_[m]; left != 0; left &= left - 1) {
                const std::uint32_t one = left & (~left + 1);
                if (!may_store(m, one)) continue;
                missing_[m] ^= one;
                nodes_.emplace_back(Store{m, TensorSet::from_bits(one & ~kNothing)});
                const bool go_on = outwards();
                nodes_.pop_back();
                missing_[m] ^= one;
                if (!go_on) return false;
            }
        }
        return try_top();
    }

    // Of stores without a loop between them one order is enough.
    bool may_store(int memory, std::uint32_t one) const {
        for (int m = memory + 1; m < memories() && one != kNothing; ++m)
            if ((missing_[m] & one) != 0) return false;
        const Store* last = nodes_.empty() ? nullptr : std::get_if<Store>(&nodes_.back());
        if (last == nullptr) return true;
        if (last->memory != memory) return last->memory > memory;
        return stores_of(last->tensors) < one;
    }

    bool try_top() {
        if (crossed_ > 0) return true;
        for (int m = 1; m < memories(); ++m)
            if (missing_[m] != 0) return true;
        if (std::any_of(left_.begin(), left_.end(), [](std::int64_t left) { return left > 1; })) return true;
        if (--left_to_list_ < 0) return false;
        Mapping mapping{nodes_, {}};
        mapping.nodes.emplace_back(Store{0, assignment_[0].keep});
        std::reverse(mapping.nodes.begin(), mapping.nodes.end());
        return !allowed(mapping) || visit_(mapping);
    }

    bool try_loops() {
        for (int d = 0; d < assignment_.dimension_count(); ++d) {
            if (has_loop(d)) continue;
            const std::int64_t left = left_[d];
            for (std::int64_t factor = 2; factor <= left; ++factor) {
                if (left % factor != 0) continue;
                left_[d] = left / factor;
                nodes_.emplace_back(Loop{d, factor, factor, LoopKind::temporal});
                const bool go_on = outwards();
                nodes_.pop_back();
                left_[d] = left;
                if (!go_on) return false;
            }
        }
        return true;
    }

    bool has_loop(int dimension) const {
        for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node) {
            const Loop* loop = std::get_if<Loop>(&*node);
            if (loop == nullptr || loop->is_spatial()) return false;
            if (loop->dimension == dimension) return true;
        }
        return false;
    }

    // The constraints on the temporal loops that every memory owns.
    bool allowed(const Mapping& mapping) const {
        const std::vector<MappingLevel> levels = owned_levels(mapping, memories());
        for (int m = 0; m < memories(); ++m) {
            for (int d = 0; d < assignment_.dimension_count(); ++d)
                if (!factor_allowed(levels[m].temporal, m, d)) return false;
            int turn = 0;
            for (auto loop = levels[m].temporal.rbegin(); loop != levels[m].temporal.rend(); ++loop) {
                if (turn_of(m, loop->dimension) < turn) return false;
                turn = turn_of(m, loop->dimension);
            }
        }
        return true;
    }

    bool factor_allowed(const std::vector<Loop>& loops, int memory, int dimension) const {
        const FactorBounds& bounds = mapspace_.temporal_bounds(memory, dimension);
        std::int64_t all = 1;
        int count = 0;
        for (const Loop& loop : loops) {
            if (loop.dimension != dimension) continue;
            all *= loop.extent;
            ++count;
        }
        const std::int64_t most = left_at_start(dimension);
        const bool bounded = bounds.at_least > 1 || bounds.at_most < most;
        return bounds.at_least <= all && all <= bounds.at_most && (!bounded || count <= 1);
    }

    std::int64_t left_at_start(int dimension) const {
        std::int64_t left = problem_.einsum.dimensions[dimension].extent;
        for (int m = 0; m < memories(); ++m) left /= assignment_[m].spatial[dimension];
        return left;
    }

    int turn_of(int memory, int dimension) const {
        const auto movable = mapspace_.movable(memory);
        if (std::find(movable.begin(), movable.end(), dimension) != movable.end())
            return mapspace_.first_movable(memory);
        const auto& order = assignment_[memory].order;
        return static_cast<int>(std::find(order.begin(), order.end(), dimension) - order.begin());
    }

    static constexpr std::uint32_t kNothing = 1U << 31U;
    const Problem& problem_;
    const Mapspace& mapspace_;
    const TilingPoint& assignment_;
    std::int64_t& left_to_list_;
    const std::function<bool(const Mapping&)>& visit_;
    std::vector<std::int64_t> left_;      // by dimension, to temporal loops
    std::vector<std::uint32_t> missing_;  // by memory: stores to come
    int crossed_ = assignment_.level_count();
    std::vector<Node> nodes_;  // innermost first
};

bool enumerate_keeps(const Mapspace& mapspace, TilingPoint& point, int level, std::uint32_t kept,
                     const std::function<bool(const TilingPoint&)>& visit) {
    if (level == point.level_count()) return kept != mapspace.all_tensors().bits() || visit(point);
    const std::uint32_t free = mapspace.free_tensors(level).bits();
    for (std::uint32_t chosen = free;; chosen = (chosen - 1) & free) {
        point[level].keep = TensorSet::from_bits(mapspace.kept_tensors(level).bits() | chosen);
        if (!enumerate_keeps(mapspace, point, level + 1, kept | point[level].keep.bits(), visit)) return false;
        if (chosen == 0) return true;
    }
}

}  // namespace

bool enumerate_uneven(const Problem& problem, std::int64_t most, const std::function<bool(const Mapping&)>& visit) {
    const Mapspace mapspace(problem.einsum, problem.architecture, problem.constraints);
    return mapspace.enumerate_spatial([&](const TilingPoint& spatial) {
        TilingPoint point = spatial;
        return mapspace.visit_layouts(point, Mapspace::Cover::as_it_is, [&] {
            return enumerate_keeps(mapspace, point, 0, 0, [&](const TilingPoint& assignment) {
                return Stack(problem, mapspace, assignment, most, visit).run();
            });
        });
    });
}

}  // namespace tilewright::property
