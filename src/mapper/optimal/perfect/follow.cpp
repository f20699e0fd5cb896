#include "mapper/optimal/perfect/follow.hpp"

#include <algorithm>
#include <cmath>

#include "mapper/optimal/bounds/bound.hpp"
#include "mapper/optimal/engine/reconstruction.hpp"
#include "mapping/validity.hpp"
#include "model/exact/model.hpp"

namespace tilewright::optimal {

std::optional<Bound> Follower::look_at(const Charges& charges, TileTable& tiles, const Incumbent& incumbent) const {
    const double least_cycles = compulsory_cycles(charges);
    const auto pruned = [&](double energy_pj) {
        return question_.stop() || question_.judge.pruned(bound_of(charges, energy_pj, least_cycles), incumbent);
    };
    const CompletionBound completion(question_.mapspace, tiles, stages_of(charges), pruned, chooses_);
    const double least_pj = operands_pj(charges) + completion.pj(0, 0);
    if (std::isinf(least_pj) || pruned(least_pj)) return std::nullopt;
    return bound_of(charges, least_pj, least_cycles);
}

std::optional<std::vector<Nesting>> Follower::follow_without_wires(const lean::Setup& wireless,
                                                                   const TilingPoint& assignment, double wires_pj,
                                                                   const Incumbent& incumbent,
                                                                   std::int64_t& steps) const {
    const Charges charges(wireless, assignment);
    const double least_cycles = compulsory_cycles(charges);
    const auto pruned = [&](double energy_pj, double cycles) {
        return question_.judge.pruned(bound_of(charges, energy_pj + wires_pj, std::max(cycles, least_cycles)),
                                      incumbent);
    };
    const Lattice lattice(charges.rest(), charges.dimension_count());
    const Stages stages = stages_of(charges);
    const TileTable tiles(question_.mapspace, charges, lattice);
    const CompletionBound completion(
        question_.mapspace, tiles, stages,
        [&](double energy_pj) { return question_.stop() || pruned(energy_pj, least_cycles); }, chooses_);
    if (question_.stop()) return std::nullopt;
    const double least_pj = operands_pj(charges) + completion.pj(0, 0);
    std::vector<Nesting> nests;
    if (std::isinf(least_pj) || pruned(least_pj, least_cycles)) return nests;
    for (const bool timed : {false, true}) {
        if (timed && question_.objective.kind == ObjectiveKind::energy) break;
        Labels labels(question_.mapspace, tiles, stages, timed, question_.counting(steps));
        nests = labels.run(pruned, completion);
        if (labels.stopped()) return std::nullopt;
        if (nests.empty()) break;
    }
    return nests;
}

LayoutCost Follower::cost_of(const lean::Setup& wireless, const TilingPoint& layout) const {
    const Charges charges(question_.setup, layout, &links_.local());
    return {compulsory_pj(charges) - compulsory_pj(Charges(wireless, layout)), charges.leak_pj_per_cycle()};
}

bool Follower::is_too_far_to_travel(const LayoutCost& layout, const std::vector<Nesting>& nests,
                                    const Incumbent& incumbent) const {
    return std::ranges::all_of(nests, [&](const Nesting& nest) {
        const double energy_pj = nest.energy_pj + layout.wires_pj;
        return question_.judge.pruned(question_.bound_of(layout.leak_pj_per_cycle, energy_pj, nest.cycles), incumbent);
    });
}

// Energy alone first: if no memory throttles the least-energy nest, it is best in all. Otherwise cycles are told apart.
void Follower::follow(const TilingPoint& assignment, Incumbent& incumbent, Outcome& outcome,
                      Nests nests_to_find) const {
    const std::function<bool()> interrupted = question_.counting(outcome.steps);
    const Charges charges(question_.setup, assignment, &links_.local());
    const double least_cycles = compulsory_cycles(charges);
    const auto pruned = [&](double energy_pj, double cycles) {
        return question_.judge.pruned(bound_of(charges, energy_pj, std::max(cycles, least_cycles)), incumbent);
    };
    const Lattice lattice(charges.rest(), charges.dimension_count());
    const Stages stages = stages_of(charges);
    const TileTable tiles(question_.mapspace, charges, lattice);
    const CompletionBound completion(
        question_.mapspace, tiles, stages,
        [&](double energy_pj) { return question_.stop() || pruned(energy_pj, least_cycles); }, chooses_);
    if (question_.stop()) {
        outcome.finished = false;
        return;
    }
    const double least_pj = operands_pj(charges) + completion.pj(0, 0);
    if (std::isinf(least_pj) || pruned(least_pj, least_cycles)) return;
    const bool is_far = question_.judge.is_far(bound_of(charges, least_pj, least_cycles), incumbent);
    if (nests_to_find == Nests::some || (chooses_ && is_far)) {
        constexpr std::size_t kWidth = 4;
        Labels labels(question_.mapspace, tiles, stages, false, interrupted, kWidth);
        cost(charges, labels.run(pruned, completion), least_cycles, incumbent, outcome);
    }
    if (nests_to_find == Nests::some) return;
    for (const bool timed : {false, true}) {
        Labels labels(question_.mapspace, tiles, stages, timed, interrupted);
        const std::vector<Nesting> nests = labels.run(pruned, completion);
        outcome.finished = !labels.stopped();
        const bool throttled = cost(charges, nests, least_cycles, incumbent, outcome);
        if (!timed && throttled && outcome.finished) continue;
        // With bounded sums a better nest may have been dominated.
        for (const Nesting& nest : nests)
            if (!charges.exact()) {
                const Bound bound = bound_of(charges, nest.energy_pj, nest.cycles);
                outcome.open = std::min(outcome.open, question_.judge.score(bound));
            }
        break;
    }
}

// True if some nest exceeds the assignment's least cycles.
bool Follower::cost(const Charges& charges, const std::vector<Nesting>& nests, double least_cycles,
                    Incumbent& incumbent, Outcome& outcome) const {
    bool throttled = false;
    const std::int64_t link_cycles = question_.setup.link_latency_cycles;
    for (const Nesting& nest : nests) {
        const LeanCost cost = cost_of(charges, nest);
        outcome.nests.push_back(nest);
        outcome.costs.push_back(cost);
        throttled = throttled || static_cast<double>(cost.cycles - link_cycles) >
                                     std::ceil(least_cycles * question_.setup.busy * kClose);
        if (!cost.valid()) continue;
        const Objective& objective = question_.objective;
        incumbent.score = std::min(incumbent.score, objective.score(cost.energy_pj, cost.cycles));
        if (objective.kind == ObjectiveKind::pareto) incumbent.front.push_back({{nest.point, nest.uneven}, cost});
    }
    return throttled;
}

LeanCost Follower::cost_of(const Charges& charges, const Nesting& nest) const {
    if (!nest.uneven) return question_.evaluator.evaluate(nest.point);
    LeanCost cost;
    // Prices may be less than the exact account: whoever gave them counts what was found.
    if (question_.evaluator.prices()) {
        const Bound bound = bound_of(charges, nest.energy_pj, nest.cycles);
        cost.energy_pj = bound.energy_pj;
        cost.cycles = static_cast<std::int64_t>(bound.cycles);
        return cost;
    }
    const Einsum& einsum = question_.evaluator.einsum();
    const Architecture& architecture = question_.evaluator.architecture();
    if (const auto violations = check(einsum, architecture, *nest.uneven); !violations.empty()) {
        cost.violation = violations.front().kind;
        return cost;
    }
    const Evaluation evaluation = evaluate(einsum, architecture, *nest.uneven);
    cost.energy_pj = evaluation.energy_pj;
    cost.cycles = evaluation.cycles;
    return cost;
}

std::vector<Nesting> Labels::run(const Pruned& pruned, const CompletionBound& completion) {
    delivery_.look_for(pruned, completion);
    walk_.run();
    std::vector<Nesting> all;
    if (stopped() || walk_.last().empty()) return all;
    for (const PerfectDelivery::Entry& entry : walk_.last().buckets.back())
        all.push_back(nesting(delivery_.labels()[entry.label]));
    return all;
}

TilingPoint Labels::even_point(const Label& label) const {
    NestBuilder nest(mapspace_, charges_.assignment());
    Extents left = charges_.rest();
    for (const Label* step : history(delivery_.labels(), label)) {
        if (step->factor == 1) continue;
        nest.add_loop(step->level, step->dimension, step->factor);
        left[step->dimension] /= step->factor;
    }
    for (int d = 0; d < charges_.dimension_count(); ++d)
        if (left[d] > 1.0) nest.add_loop(0, d, static_cast<std::int32_t>(left[d]));
    return nest.point();
}

Nesting Labels::nesting(const Label& label) const {
    if (stages_.are_even()) return {even_point(label), std::nullopt, label.energy.lo, delivery_.cycles_of(label)};
    return {charges_.assignment(), uneven_mapping(label), label.energy.lo, delivery_.cycles_of(label)};
}

namespace {

class NodeList {
   public:
    void store(int memory, TensorSet tensors) {
        Store* const last = nodes_.empty() ? nullptr : std::get_if<Store>(&nodes_.back());
        if (last != nullptr && last->memory == memory) {
            last->tensors = TensorSet::from_bits(last->tensors.bits() | tensors.bits());
        } else {
            nodes_.emplace_back(Store{memory, tensors});
        }
        block_ = nodes_.size();
    }

    /// A second loop of a dimension between two stores enlarges the first.
    void loop(int dimension, std::int64_t extent, LoopKind kind) {
        for (std::size_t i = block_; i < nodes_.size(); ++i) {
            Loop& other = std::get<Loop>(nodes_[i]);
            if (other.dimension != dimension || other.kind != kind) continue;
            other.extent *= extent;
            other.remainder = other.extent;
            return;
        }
        nodes_.emplace_back(Loop{dimension, extent, extent, kind});
    }

    Mapping take() {
        std::reverse(nodes_.begin(), nodes_.end());
        return {std::move(nodes_), {}};
    }

   private:
    std::vector<Node> nodes_;
    std::size_t block_ = 0;  ///< first node after the last store
};

void add_fanout(const TilingPoint& assignment, int level, NodeList& nodes) {
    visit_spatial_loops(
        assignment[level], assignment.dimension_count(), [&](const SpatialLoop& loop, std::int32_t extent) {
            nodes.loop(loop.dimension, extent, loop.along_y ? LoopKind::spatial_y : LoopKind::spatial_x);
        });
}

}  // namespace

// Follows the stages again for the crossings of fan-outs.
Mapping Labels::uneven_mapping(const Label& label) const {
    NodeList nodes;
    Extents left = charges_.rest();
    const std::vector<Stage>& stages = stages_.all();
    const Stage* stage = &stages.front();
    int crossed = charges_.level_count();
    const auto cross = [&] {
        while (crossed > stage->crossed) add_fanout(charges_.assignment(), --crossed, nodes);
    };
    cross();
    for (const Label* step : history(delivery_.labels(), label)) {
        if (step->factor > 1) {
            nodes.loop(step->dimension, step->factor, LoopKind::temporal);
            left[step->dimension] /= step->factor;
            continue;
        }
        const auto made = [&](const Placing& p) {
            return p.memory == step->level && p.tensors.bits() == step->tensors;
        };
        const auto placing = std::find_if(stage->next.begin(), stage->next.end(), made);
        if (step->level == 0)
            for (int d = 0; d < charges_.dimension_count(); ++d)
                if (left[d] > 1.0) nodes.loop(d, static_cast<std::int64_t>(left[d]), LoopKind::temporal);
        nodes.store(step->level, placing->tensors);
        stage = &stages[placing->to];
        cross();
    }
    return nodes.take();
}

}  // namespace tilewright::optimal
