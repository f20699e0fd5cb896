#include "certificate/imperfect/backtracking.hpp"

#include <algorithm>

namespace tilewright::certificate {
namespace {

constexpr std::int64_t kMostSteps = 40'000'000;
constexpr std::int64_t kMostNests = 4'000'000;

}  // namespace

ImperfectFinding Backtracking::run() {
    for (const ImperfectGraph::End& end : graph_.ends)
        if (!finding_.open) go_back(end.label, {}, end.steps);
    return finding_;
}

// Primes of one loop are in ascending order; two loops of a dimension at one memory are no mapping of ours.
bool Backtracking::continues(const ImperfectEdge& edge) const {
    for (auto loop = nest_.rbegin(); loop != nest_.rend() && loop->level == edge.level; ++loop) {
        if (loop->dimension != edge.dimension) continue;
        return loop == nest_.rbegin() && edge.factor <= loop->factor;
    }
    return true;
}

void Backtracking::go_back(std::int32_t label, const PartialCost& after, double steps) {
    if (finding_.open) return;
    ++steps_;
    if (steps_ > kMostSteps || (steps_ % 256 == 0 && stop_ && stop_())) {
        finding_.too_many = true;
        PartialCost least = graph_.known[label].least;
        least += after;
        finding_.open = charges_.cost_of(least, steps);
        return;
    }
    if (label == 0) {
        PartialCost all = graph_.known.front().least;
        all += after;
        all.pj += std::max(0.0, *std::max_element(more_pj_.begin(), more_pj_.end()));
        Cost bound = charges_.cost_of(all, steps);
        bound.cycles = std::max(bound.cycles, *std::max_element(least_cycles_.begin(), least_cycles_.end()));
        return judge(bound);
    }
    for (std::int32_t e = graph_.known[label].edges; e >= 0; e = graph_.edges[e].next) {
        const ImperfectEdge& edge = graph_.edges[e];
        PartialCost rest = after;
        if (edge.partial_cost >= 0) rest += graph_.partial_costs[edge.partial_cost];
        PartialCost all = graph_.known[edge.from].least;
        all += rest;
        if (goal_.is_out_of_reach(charges_.cost_of(all, steps))) continue;
        const bool loops = edge.dimension != ImperfectEdge::kNone;
        if (loops && !continues(edge)) continue;
        if (loops) nest_.push_back({edge.level, edge.dimension, edge.factor});
        const ImperfectKnown& before = graph_.known[edge.from];
        more_pj_.push_back(before.completion_pj - rest.pj);
        least_cycles_.push_back(before.least_cycles);
        go_back(edge.from, rest, steps);
        least_cycles_.pop_back();
        more_pj_.pop_back();
        if (loops) nest_.pop_back();
        if (finding_.open) return;
    }
}

std::optional<TilingPoint> Backtracking::point() const {
    TilingPoint point = mapspace_.first_point();
    for (int l = 0; l < point.level_count(); ++l) {
        const TilingLevel& chosen = charges_.assignment()[l];
        TilingLevel& level = point[l];
        level.keep = chosen.keep;
        level.spatial = chosen.spatial;
        level.along_x = chosen.along_x;
        level.along_y = chosen.along_y;
        level.spatial_order = chosen.spatial_order;
        int next = 0;
        std::uint32_t placed = 0;
        for (auto loop = nest_.rbegin(); loop != nest_.rend(); ++loop) {
            if (loop->level != l) continue;
            level.temporal[loop->dimension] *= loop->factor;
            if ((placed >> loop->dimension & 1U) == 0) level.order[next++] = static_cast<std::uint8_t>(loop->dimension);
            placed |= 1U << loop->dimension;
        }
        for (int d = 0; d < point.dimension_count(); ++d)
            if ((placed >> d & 1U) == 0) level.order[next++] = static_cast<std::uint8_t>(d);
    }
    for (int l = 0; l < point.level_count(); ++l) mapspace_.settle_order(point, l);
    const TilingPoint built = point;
    mapspace_.arrange(point);
    return point == built ? std::optional(point) : std::nullopt;
}

void Backtracking::judge(const Cost& bound) {
    std::optional<TilingPoint> nest = point();
    if (!nest) return;
    mapspace_.visit_layouts(*nest, Mapspace::Cover::as_it_is, [&] {
        if (mapspace_.contains(*nest)) judge(*nest, bound);
        return !finding_.open;
    });
}

void Backtracking::judge(const TilingPoint& nest, const Cost& bound) {
    const LeanCost cost = evaluator_.evaluate(nest, scratch_);
    if (!cost.valid()) return;
    const Cost real{cost.energy_pj, static_cast<double>(cost.cycles)};
    if (sink_) return sink_(nest, bound, real);
    const bool beats = !goal_.is_out_of_reach(real);
    ++nests_;
    finding_.refuted = falls_short(real, bound);
    finding_.too_many = !beats && nests_ > kMostNests;
    if (beats || finding_.too_many || finding_.refuted) finding_.open = real;
}

}  // namespace tilewright::certificate
