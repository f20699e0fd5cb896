#include "mapper/optimal/ragged_wires.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <compare>

#include "model/costs.hpp"

namespace tilewright::optimal {
namespace {

double price_of(const LinkRates& rates, bool& left_out) {
    if (rates.is_free()) return 0.0;
    if (rates.kind != NetworkKind::legacy || rates.router_pj != 0.0) left_out = true;
    return rates.kind == NetworkKind::legacy ? rates.hop_pj : 0.0;
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

RaggedWires::RaggedWires(const Mapspace& mapspace, const lean::Setup& setup, const PerfectPoint& assignment,
                         const std::array<std::uint32_t, kMaxMemories>& ragged)
    : setup_(setup),
      assignment_(assignment),
      levels_(assignment.level_count()),
      dimensions_(assignment.dimension_count()),
      ragged_(ragged) {
    PerfectPoint ordered = mapspace.first_point();  // nothing is spread: the order that constraints give
    std::uint32_t once = 0;
    for (int l = 0; l < levels_; ++l) {
        mapspace.order_spatial(ordered, l);
        order_[l] = ordered[l].spatial_order;
        Mesh mapped;
        for (int d = 0; d < dimensions_; ++d) {
            if (assignment_[l].spatial[d] == 1) continue;
            blocks_[l] |= 1U << d;
            (assignment_[l].runs_on_y(d) ? mapped.y : mapped.x) *= assignment_[l].spatial[d];
        }
        twice_ |= once & blocks_[l];
        once |= blocks_[l];
        const Mesh& hardware = setup_.levels[l].fanout;
        grids_[l] = {std::max(hardware.x, mapped.x), std::max(hardware.y, mapped.y)};
    }
    if (setup_.links_cost) set_costs();
}

void RaggedWires::set_costs() {
    for (int l = 0; l < levels_; ++l) {
        const lean::LevelForm& form = setup_.levels[l];
        if (form.link_is_free) continue;
        const double operand_pj = price_of(form.link, left_out_);
        const double result_pj = form.has_update_link ? price_of(form.update_link, left_out_) : 0.0;
        for (std::size_t t = 0; t < setup_.tensors.size(); ++t)
            hop_pj_[t][l] = operand_pj + (setup_.tensors[t].written ? result_pj : 0.0);
        std::vector<Loop> together;  // one word to all neighbours
        for (const Loop& loop : loops_of(0, l, 0, all_indices(l)))
            together.push_back({loop.indices, loop.dimension, 0.0});
        most_hops_[l] = sum_hops(l, together);
        if (operand_pj + result_pj > 0.0 && most_hops_[l] > 0.0) costs_ |= 1U << l;
    }
}

RaggedWires::ByDimension RaggedWires::all_indices(int level) const {
    ByDimension indices;
    for (int d = 0; d < dimensions_; ++d)
        indices[d] = {assignment_[level].spatial[d], 0, assignment_[level].spatial[d]};
    return indices;
}

// Outermost first. On either axis the loops that divide are inside (Mapspace::order_spatial()).
std::vector<RaggedWires::Loop> RaggedWires::loops_of(int tensor, int level, std::uint32_t ragged,
                                                     const ByDimension& indices) const {
    std::vector<Loop> loops;
    double move = 1.0;  // any that tells groups apart
    for (const bool on_y : {true, false})
        for (const bool divides : {false, true})
            for (int k = dimensions_ - 1; k >= 0; --k) {
                const int d = order_[level][k];
                if ((blocks_[level] >> d & 1U) == 0 || assignment_[level].runs_on_y(d) != on_y) continue;
                if (((ragged >> d & 1U) == 0) != divides) continue;
                const bool moves = (setup_.tensors[tensor].relevant >> d & 1U) != 0;
                loops.push_back({indices[d], d, moves ? move : 0.0});
                if (moves) move *= assignment_[level].spatial[d];
            }
    return loops;
}

double RaggedWires::sum_hops(int level, const std::vector<Loop>& loops) const {
    struct Neighbour {
        double move;
        std::int64_t place;
        auto operator<=>(const Neighbour&) const = default;
    };
    std::vector<Neighbour> all{{0.0, 0}};
    std::vector<Neighbour> inner;
    for (const Loop& loop : loops) {
        inner.clear();
        for (const auto& [move, place] : all)
            for (std::int32_t i = loop.indices.first; i < loop.indices.end; ++i)
                inner.push_back({move + i * loop.move, place * loop.indices.trips + i});
        all.swap(inner);
    }
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

double RaggedWires::hops(int tensor, int level, std::uint32_t ragged, const ByDimension& indices) const {
    ragged &= blocks_[level];
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
        mix(2, ragged >> d & 1U);
    }
    mix(kMaxMemories, static_cast<std::uint64_t>(level));
    mix(kMaxTensors, static_cast<std::uint64_t>(tensor));
    const auto [known, is_new] = known_.try_emplace(key);
    if (is_new || !fits) known->second = sum_hops(level, loops_of(tensor, level, ragged, indices));
    return known->second;
}

// ---------------------------------------------------------------- bounds

// Of the words that go to these neighbours, each as many.
double RaggedWires::mean_hops(int tensor, int level, std::uint32_t ragged, const ByDimension& indices) const {
    double groups = 1.0;
    for (std::uint32_t left = blocks_[level] & setup_.tensors[tensor].relevant; left != 0; left &= left - 1) {
        const BlockIndices& i = indices[std::countr_zero(left)];
        groups *= i.end - i.first;
    }
    return sum_hops(level, loops_of(tensor, level, ragged, indices)) / groups;
}

// To the nearest neighbour.
double RaggedWires::single_hops(int level) const {
    std::vector<ColumnSpan> columns(static_cast<std::size_t>(grids_[level].x));
    std::int64_t neighbours = 1;
    for (int d = 0; d < dimensions_; ++d) neighbours *= assignment_[level].spatial[d];
    double least = most_hops_[level];
    for (std::int64_t place = 0; place < neighbours; ++place)
        least = std::min(least, group_hops({&place, 1}, grids_[level], columns));
    return least;
}

// The loop runs in full at least once, and then the last time, with some neighbours idle and the last one short of
// words; or it runs only once, and the last one is short of words. Of long loops only a bound: to the nearest neighbour
// the last time.
double RaggedWires::least_of_loop(int tensor, int level, int dimension) const {
    ByDimension indices = all_indices(level);
    const std::int32_t extent = indices[dimension].trips;
    const std::uint32_t ragged = 1U << dimension;
    const double full = mean_hops(tensor, level, ragged, indices);
    constexpr std::int32_t kLong = 8;
    double least = extent > kLong ? std::min(full, (full + single_hops(level)) / 2.0) : full;
    for (std::int32_t working = extent > kLong ? extent - 1 : 1; working < extent; ++working) {
        indices[dimension].end = working;
        const double last = mean_hops(tensor, level, ragged, indices);
        least = std::min(least, working + 1 == extent ? last : (full + last) / 2.0);
    }
    return least;
}

double RaggedWires::least_hops(int tensor, int level) const {
    const lean::TensorForm& form = setup_.tensors[tensor];
    const std::uint32_t ragged = ragged_[level] & blocks_[level];
    // Where a fan-out further in leaves a remainder, the last instance has a shorter tile.
    std::uint32_t shorter = 0;
    for (int l = level + 1; l < levels_; ++l) shorter |= ragged_[l];
    if ((shorter & form.relevant & blocks_[level]) != 0) return single_hops(level);
    // Of dimensions at two fan-outs the last instance may never see a full step.
    if ((ragged & twice_) != 0 || std::popcount(ragged) > 1 || slides(form, blocks_[level])) return single_hops(level);
    if (ragged == 0) return mean_hops(tensor, level, 0, all_indices(level));
    const bool on_x = !assignment_[level].runs_on_y(std::countr_zero(ragged));
    if (on_x && (blocks_[level] & assignment_[level].on_y) != 0) return single_hops(level);  // it closes up
    const double divides = mean_hops(tensor, level, 0, all_indices(level));
    if ((ragged & form.relevant) == 0) return std::min(divides, mean_hops(tensor, level, ragged, all_indices(level)));
    return std::min(divides, least_of_loop(tensor, level, std::countr_zero(ragged)));
}

// ---------------------------------------------------------------- results and operands

bool RaggedWires::may_be_free(int tensor, int level, std::uint32_t ragged, bool keeps) const {
    if (!setup_.tensors[tensor].written || setup_.architecture.memories[level].reduces) return false;
    return !keeps || !setup_.tensors[tensor].plain || (ragged & blocks_[level] & ~setup_.tensors[tensor].relevant) != 0;
}

// In all steps but the last one of a dimension its loop runs in full.
std::array<double, 2> RaggedWires::operands_pj(int tensor) const {
    const int level = levels_ - 1;
    if (!cost(level)) return {0.0, 0.0};
    double steps = 1.0;
    std::uint32_t ragged = 0;
    std::array<std::array<double, 2>, kMaxDimensions> moments{};
    for (int d = 0; d < dimensions_; ++d) {
        const double blocks = fast_ceil(setup_.extents[d] / assignment_[level].spatial[d]);
        moments[d] = {blocks - 1.0, 1.0};
        if ((blocks_[level] >> d & 1U) == 0) steps *= setup_.extents[d];
        if (std::fmod(setup_.extents[d], assignment_[level].spatial[d]) != 0.0) ragged |= 1U << d;
    }
    double hops = 0.0;
    std::uint32_t last = 0;
    do {  // all subsets of the block's dimensions
        double times = steps;
        ByDimension indices = all_indices(level);
        for (std::uint32_t left = blocks_[level]; left != 0; left &= left - 1) {
            const int d = std::countr_zero(left);
            times *= moments[d][last >> d & 1U];
            if ((last >> d & 1U) != 0 && (ragged >> d & 1U) != 0) {
                const auto extent = static_cast<std::int64_t>(setup_.extents[d]);
                indices[d].trips = indices[d].end = static_cast<std::int32_t>(extent % indices[d].trips);
            }
        }
        std::vector<Loop> loops = loops_of(tensor, level, ragged, indices);
        for (Loop& loop : loops) loop.move = setup_.tensors[tensor].key[loop.dimension];  // single words
        if (times > 0.0) hops += times * sum_hops(level, loops);
        last = (last - blocks_[level]) & blocks_[level];
    } while (last != 0);
    const double most = hops * hop_pj(tensor, level);
    return {may_be_free(tensor, level, ragged, true) ? 0.0 : most, most};
}

}  // namespace tilewright::optimal
