#include "mapper/optimal/wires/wires.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <compare>
#include <limits>

#include "base/numbers/checked.hpp"
#include "mapper/optimal/wires/hops.hpp"
#include "model/exact/costs.hpp"

namespace tilewright::optimal {
namespace {

bool costs_by_hop(const LinkRates& rates) {
    return rates.is_free() || (rates.kind == NetworkKind::legacy && rates.router_pj == 0.0 && !rates.has_passages);
}

// Tiles of neighbours along one of these dimensions may overlap.
bool slides(const lean::TensorForm& form, std::uint32_t dimensions) {
    if (form.plain) return false;
    if (form.tangled) return (form.relevant & dimensions) != 0;
    int term = 0;
    for (const int end : form.rank_ends) {
        const bool is_window = end - term > 1;
        for (; term < end; ++term)
            if (is_window && (dimensions >> form.terms[term].dimension & 1U) != 0) return true;
    }
    return false;
}

}  // namespace

ImperfectWires::ImperfectWires(const Mapspace& mapspace, const lean::Setup& setup, const TilingPoint& assignment,
                               const std::vector<BlockOrder>& orders,
                               const std::array<std::uint32_t, kMaxMemories>& imperfect)
    : setup_(setup),
      assignment_(assignment),
      levels_(assignment.level_count()),
      dimensions_(assignment.dimension_count()),
      imperfect_(imperfect) {
    std::uint32_t once = 0;
    for (int l = 0; l < levels_; ++l) {
        blocks_[l] = orders[l].dimensions();
        twice_ |= once & blocks_[l];
        once |= blocks_[l];
        Mesh mapped;
        for (int d = 0; d < dimensions_; ++d) {
            mapped.x *= assignment_[l].along_x[d];
            mapped.y *= assignment_[l].along_y[d];
        }
        const Mesh& hardware = setup_.levels[l].fanout;
        grids_[l] = {std::max(hardware.x, mapped.x), std::max(hardware.y, mapped.y)};
        if (setup_.levels[l].link_is_free) continue;
        if (orders[l].is_any()) {
            TilingPoint point = assignment_;
            list_layouts(mapspace, point, l);
        } else {
            layouts_[l].push_back({orders[l], assignment_[l].along_x, assignment_[l].along_y});
        }
    }
    if (setup_.links_cost) set_costs();
}

// Layouts of a block of unknown layout; none if too many. Each order comes once, on any axes: the loop with a remainder
// is outside the others of its axis, so it may stay in place.
void ImperfectWires::list_layouts(const Mapspace& mapspace, TilingPoint& point, int level) {
    constexpr double kMost = 100.0;
    if (mapspace.orders_at_most(point, level) > kMost) return;
    mapspace.visit_layouts(point, level, Mapspace::Cover::as_it_may_be, [&] {
        const BlockOrder order(mapspace, point, level, LayoutChoice::given);
        layouts_[level].push_back({order, point[level].along_x, point[level].along_y});
        layouts_[level].push_back({order.unsorted(), point[level].along_x, point[level].along_y});
        return true;
    });
}

void ImperfectWires::set_costs() {
    for (int l = 0; l < levels_; ++l) {
        const lean::LevelForm& form = setup_.levels[l];
        if (form.link_is_free) continue;
        if (!costs_by_hop(form.link) || (form.has_update_link && !costs_by_hop(form.update_link))) left_out_ = true;
        double most_pj = 0.0;
        for (std::size_t t = 0; t < setup_.tensors.size(); ++t) {
            hop_pj_[t][l] = pj_per_hop(setup_, static_cast<int>(t), l);
            most_pj = std::max(most_pj, hop_pj_[t][l]);
        }
        most_hops_[l] = hops_together(grids_[l], neighbours(l));  // at any place
        if (most_pj > 0.0 && most_hops_[l] > 0.0) costs_ |= 1U << l;
    }
}

std::int64_t ImperfectWires::neighbours(int level) const {
    std::int64_t neighbours = 1;
    for (int d = 0; d < dimensions_; ++d) neighbours *= assignment_[level].spatial[d];
    return neighbours;
}

ImperfectWires::ByDimension ImperfectWires::all_indices(int level) const {
    ByDimension indices;
    for (int d = 0; d < dimensions_; ++d)
        indices[d] = {assignment_[level].spatial[d], 0, assignment_[level].spatial[d]};
    return indices;
}

namespace {

/// Lists the neighbours of one step of a block in the order of their numbers.
class StepNeighbours {
   public:
    using ByDimension = ImperfectWires::ByDimension;

    StepNeighbours(const std::vector<SpatialLoop>& loops, const std::array<std::int32_t, kMaxDimensions>& along_x,
                   const std::array<std::int32_t, kMaxDimensions>& along_y, const ByDimension& indices,
                   const std::array<double, kMaxDimensions>& moves)
        : loops_(loops), along_x_(along_x), along_y_(along_y), indices_(indices), moves_(moves) {}

    struct Neighbour {
        double move;
        std::int64_t place;
        auto operator<=>(const Neighbour&) const = default;
    };

    /// Neighbours with indices taking part.
    std::vector<Neighbour> run() {
        visit(loops_.size());
        return std::move(neighbours_);
    }

   private:
    std::int32_t extent(const SpatialLoop& loop) const { return (loop.along_y ? along_y_ : along_x_)[loop.dimension]; }

    // Of two loops of one dimension the outer comes first.
    void visit(std::size_t loops_left) {
        if (loops_left == 0) return take();
        const SpatialLoop& loop = loops_[loops_left - 1];
        const int d = loop.dimension;
        const std::int32_t trips = indices_[d].trips;
        const std::int32_t inside = along_x_[d] > 1 && along_y_[d] > 1 ? extent({loop.dimension, !loop.along_y}) : 1;
        const std::int32_t before = index_[d];
        const bool is_inner = (begun_ >> d & 1U) != 0;
        const std::int32_t first = is_inner ? before * extent(loop) : 0;
        const std::int32_t last =
            is_inner ? std::min(first + extent(loop), trips) : static_cast<std::int32_t>(ceil_div(trips, inside));
        begun_ |= 1U << d;
        for (index_[d] = first; index_[d] < last; ++index_[d]) visit(loops_left - 1);
        index_[d] = before;
        if (!is_inner) begun_ &= ~(1U << d);
    }

    void take() {
        double move = 0.0;
        bool takes_part = true;
        for (const SpatialLoop& loop : loops_) {
            const int d = loop.dimension;
            takes_part = takes_part && indices_[d].first <= index_[d] && index_[d] < indices_[d].end;
        }
        for (std::uint32_t left = begun_; left != 0; left &= left - 1)
            move += index_[std::countr_zero(left)] * moves_[static_cast<std::size_t>(std::countr_zero(left))];
        if (takes_part) neighbours_.push_back({move, place_});
        ++place_;
    }

    const std::vector<SpatialLoop>& loops_;  // innermost first
    const std::array<std::int32_t, kMaxDimensions>& along_x_;
    const std::array<std::int32_t, kMaxDimensions>& along_y_;
    const ByDimension& indices_;
    const std::array<double, kMaxDimensions>& moves_;
    std::array<std::int32_t, kMaxDimensions> index_{};
    std::uint32_t begun_ = 0;
    std::int64_t place_ = 0;
    std::vector<Neighbour> neighbours_;
};

// Possibly along both axes.
bool is_one_dimension(const std::vector<SpatialLoop>& loops) {
    return std::ranges::all_of(loops,
                               [&](const SpatialLoop& loop) { return loop.dimension == loops.front().dimension; });
}

bool has_one_loop_each(const std::vector<SpatialLoop>& loops) {
    std::uint32_t seen = 0;
    for (const SpatialLoop& loop : loops) {
        if ((seen >> loop.dimension & 1U) != 0) return false;
        seen |= 1U << loop.dimension;
    }
    return true;
}

}  // namespace

// Any shifts that tell groups apart.
std::array<double, kMaxDimensions> ImperfectWires::moves_of(int tensor, int level) const {
    std::array<double, kMaxDimensions> moves{};
    double move = 1.0;
    for (std::uint32_t left = blocks_[level] & setup_.tensors[tensor].relevant; left != 0; left &= left - 1) {
        const int d = std::countr_zero(left);
        moves[d] = move;
        move *= assignment_[level].spatial[d];
    }
    return moves;
}

// Groups are equal exactly if all relevant indices are: each shift is longer than all shorter ones together.
bool ImperfectWires::tells_apart(int level, const Moves& moves) const {
    struct Move {
        double step = 0.0;
        double all = 0.0;
    };
    std::array<Move, kMaxDimensions> sorted{};
    std::size_t count = 0;
    for (std::uint32_t left = blocks_[level]; left != 0; left &= left - 1) {
        const int d = std::countr_zero(left);
        const double step = std::abs(moves[d]);
        if (step != 0.0) sorted[count++] = {step, step * (assignment_[level].spatial[d] - 1.0)};
    }
    std::sort(sorted.begin(), sorted.begin() + count, [](const Move& a, const Move& b) { return a.step < b.step; });
    double shorter = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
        if (sorted[i].step <= shorter) return false;
        shorter += sorted[i].all;
    }
    return true;
}

double ImperfectWires::sum_hops(int level, const Layout& layout, std::uint32_t imperfect, const ByDimension& indices,
                                const Moves& moves) const {
    const std::vector<SpatialLoop> loops = layout.order.loops(imperfect);
    if ((has_one_loop_each(loops) || is_one_dimension(loops)) && tells_apart(level, moves)) {
        std::vector<StepLoop> step;
        for (const SpatialLoop& loop : loops) {
            const BlockIndices& i = indices[loop.dimension];
            step.push_back({i.trips, i.first, i.end, moves[loop.dimension] != 0.0});
            if (is_one_dimension(loops)) break;
        }
        return step_hops(grids_[level], step);
    }
    std::vector<StepNeighbours::Neighbour> all =
        StepNeighbours(loops, layout.along_x, layout.along_y, indices, moves).run();
    std::sort(all.begin(), all.end());
    std::vector<ColumnSpan> columns(static_cast<std::size_t>(grids_[level].x));
    std::vector<std::int64_t> group;
    double hops = 0.0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        group.push_back(all[i].place);
        if (i + 1 < all.size() && all[i + 1].move == all[i].move) continue;
        hops += group_hops(group, grids_[level], columns);
        group.clear();
    }
    return hops;
}

// Minimum over all layouts; with too many of them every group counts the entry's distance.
double ImperfectWires::least_sum_hops(int level, std::uint32_t imperfect, const ByDimension& indices,
                                      const Moves& moves) const {
    if (layouts_[level].empty()) {
        double groups = 1.0;
        for (std::uint32_t left = blocks_[level]; left != 0; left &= left - 1) {
            const int d = std::countr_zero(left);
            if (moves[d] != 0.0) groups *= indices[d].end - indices[d].first;
        }
        return groups * nearest_hops(level);
    }
    double least = std::numeric_limits<double>::infinity();
    for (const Layout& layout : layouts_[level])
        least = std::min(least, sum_hops(level, layout, imperfect, indices, moves));
    return least;
}

double ImperfectWires::hops(int tensor, int level, std::uint32_t imperfect, const ByDimension& indices) const {
    imperfect &= blocks_[level];
    std::uint64_t key = 0;
    const auto mix = [&key](std::uint64_t base, std::uint64_t digit) { key = key * base + digit; };
    bool fits = true;
    for (std::uint32_t left = blocks_[level]; left != 0; left &= left - 1) {
        const int d = std::countr_zero(left);
        const auto most = static_cast<std::uint64_t>(assignment_[level].spatial[d]) + 1;
        fits = fits && most < (1U << 10U);
        mix(most, static_cast<std::uint64_t>(indices[d].trips));
        mix(most, static_cast<std::uint64_t>(indices[d].first));
        mix(most, static_cast<std::uint64_t>(indices[d].end));
        mix(2, imperfect >> d & 1U);
    }
    mix(kMaxMemories, static_cast<std::uint64_t>(level));
    mix(kMaxTensors, static_cast<std::uint64_t>(tensor));
    const auto [known, is_new] = known_.try_emplace(key);
    if (is_new || !fits) known->second = least_sum_hops(level, imperfect, indices, moves_of(tensor, level));
    return known->second;
}

// ---------------------------------------------------------------- bounds

// Mean over the words to these neighbours, equally many each.
double ImperfectWires::mean_hops(int tensor, int level, std::uint32_t imperfect, const ByDimension& indices) const {
    double groups = 1.0;
    for (std::uint32_t left = blocks_[level] & setup_.tensors[tensor].relevant; left != 0; left &= left - 1) {
        const BlockIndices& i = indices[std::countr_zero(left)];
        groups *= i.end - i.first;
    }
    return least_sum_hops(level, imperfect, indices, moves_of(tensor, level)) / groups;
}

double ImperfectWires::nearest_hops(int level) const { return hops_to_nearest(grids_[level], neighbours(level)); }

double ImperfectWires::even_hops(int tensor, int level) const {
    return mean_hops(tensor, level, 0, all_indices(level));
}

// The loop runs in full at least once, then a last time with idle neighbours and a shorter last tile; or only once,
// with a shorter last tile. Long loops get a bound: the last time counts the nearest neighbour.
double ImperfectWires::least_of_loop(int tensor, int level, int dimension) const {
    ByDimension indices = all_indices(level);
    const std::int32_t extent = indices[dimension].trips;
    const std::uint32_t imperfect = 1U << dimension;
    const double full = mean_hops(tensor, level, imperfect, indices);
    constexpr std::int32_t kLong = 8;
    double least = extent > kLong ? std::min(full, (full + nearest_hops(level)) / 2.0) : full;
    for (std::int32_t working = extent > kLong ? extent - 1 : 1; working < extent; ++working) {
        indices[dimension].end = working;
        const double last = mean_hops(tensor, level, imperfect, indices);
        least = std::min(least, working + 1 == extent ? last : (full + last) / 2.0);
    }
    return least;
}

double ImperfectWires::least_hops(int tensor, int level) const {
    const lean::TensorForm& form = setup_.tensors[tensor];
    const std::uint32_t imperfect = imperfect_[level] & blocks_[level];
    // With a remainder at an inner fan-out the last instance has a shorter tile.
    std::uint32_t shorter = 0;
    for (int l = level + 1; l < levels_; ++l) shorter |= imperfect_[l];
    if ((shorter & form.relevant & blocks_[level]) != 0) return nearest_hops(level);
    // With a dimension at two fan-outs the last instance may never see a full step.
    if ((imperfect & twice_) != 0 || std::popcount(imperfect) > 1 || slides(form, blocks_[level]))
        return nearest_hops(level);
    if (imperfect == 0) return mean_hops(tensor, level, 0, all_indices(level));
    const bool stays = std::ranges::all_of(layouts_[level], [imperfect](const Layout& layout) {
        return layout.order.leaves_in_place(imperfect) == std::countr_zero(imperfect);
    });
    if (!stays || layouts_[level].empty()) return nearest_hops(level);  // it repacks
    const double divides = mean_hops(tensor, level, 0, all_indices(level));
    if ((imperfect & form.relevant) == 0)
        return std::min(divides, mean_hops(tensor, level, imperfect, all_indices(level)));
    return std::min(divides, least_of_loop(tensor, level, std::countr_zero(imperfect)));
}

// ---------------------------------------------------------------- results and operands

// In all steps but a dimension's last its loop runs in full.
double ImperfectWires::operands_pj(int tensor) const {
    const int level = levels_ - 1;
    if (!cost(level)) return 0.0;
    double steps = 1.0;
    std::uint32_t imperfect = 0;
    std::array<std::array<double, 2>, kMaxDimensions> moments{};
    for (int d = 0; d < dimensions_; ++d) {
        const double blocks = fast_ceil(setup_.extents[d] / assignment_[level].spatial[d]);
        moments[d] = {blocks - 1.0, 1.0};
        if ((blocks_[level] >> d & 1U) == 0) steps *= setup_.extents[d];
        if (std::fmod(setup_.extents[d], assignment_[level].spatial[d]) != 0.0) imperfect |= 1U << d;
    }
    double hops = 0.0;
    std::uint32_t last = 0;
    do {  // all subsets of the block's dimensions
        double times = steps;
        ByDimension indices = all_indices(level);
        for (std::uint32_t left = blocks_[level]; left != 0; left &= left - 1) {
            const int d = std::countr_zero(left);
            times *= moments[d][last >> d & 1U];
            if ((last >> d & 1U) != 0 && (imperfect >> d & 1U) != 0) {
                const auto extent = static_cast<std::int64_t>(setup_.extents[d]);
                indices[d].trips = indices[d].end = static_cast<std::int32_t>(extent % indices[d].trips);
            }
        }
        if (times > 0.0)
            hops += times * least_sum_hops(level, imperfect, indices, setup_.tensors[tensor].key);  // single words
        last = (last - blocks_[level]) & blocks_[level];
    } while (last != 0);
    return hops * hop_pj(tensor, level);
}

}  // namespace tilewright::optimal
