#include "certificate/claim/check.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <utility>

#include "certificate/prove/prove.hpp"
#include "mapping/tiling_point.hpp"
#include "mapping/uneven.hpp"
#include "mapping/validity.hpp"
#include "model/exact/model.hpp"
#include "model/sparse/sparse_model.hpp"

namespace tilewright::certificate {
namespace {

bool is_close(double a, double b) { return std::abs(a - b) <= kTolerance * std::max(std::abs(a), std::abs(b)); }

std::string text_of(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.12g", value);
    return text;
}

class Check {
   public:
    Check(const Claim& claim, const Architecture& machine) : claim_(claim), machine_(machine) {}

    Verdict run(const std::function<bool()>& stop) {
        const std::optional<Objective> objective = parse_objective(claim_.objective);
        if (!objective) {
            note("objective", "the objective '" + claim_.objective + "' is not known");
            return {findings_, {}};
        }
        if (claim_.answers.empty()) note("answers", "there is no mapping");
        if (!claim_.space.is_known())
            note("space", "not confirmed: only perfect factors and, of even mappings, ruby-s are known here, not " +
                              claim_.space.in_words(claim_.constraints));
        if (!findings_.empty()) return {findings_, {}};
        const Mapspace mapspace(claim_.einsum, machine_, claim_.constraints, claim_.space.rule());
        if (!mapspace.problem().empty()) {
            note("constraints", "they leave no mapping: " + mapspace.problem());
            return {findings_, {}};
        }
        if (!can_be_proven(mapspace, claim_.space)) {
            note("constraints", "not confirmed: they allow remainders that are not known here");
            return {findings_, {}};
        }
        if (has_too_many_assignments(claim_, machine_)) {
            note("assignments", "not confirmed: there are too many to go through");
            return {findings_, {}};
        }
        if (claim_.zeros) {
            if (const std::string problem = problem_with_zeros(claim_, machine_); !problem.empty()) {
                note("zeros", "not confirmed: " + problem);
                return {findings_, {}};
            }
        }
        for (std::size_t i = 0; i < claim_.answers.size(); ++i) check_answer(mapspace, i);
        check_score(*objective);
        if (objective->kind == ObjectiveKind::pareto) check_front();
        check_proof(mapspace, stop);
        return {findings_, findings_.empty() ? proof_ : ""};
    }

   private:
    void check_answer(const Mapspace& mapspace, std::size_t index) {
        const std::string field = "answers." + std::to_string(index);
        const Answer& answer = claim_.answers[index];
        const std::vector<Violation> violations =
            zeros() == nullptr ? tilewright::check(claim_.einsum, machine_, answer.mapping)
                               : sparse::check(claim_.einsum, machine_, answer.mapping, *zeros());
        for (const Violation& violation : violations)
            note(field + ".mapping", "the mapping is not legal: " + violation.message);
        if (!violations.empty()) return;
        if (!is_in(mapspace, claim_.space.stored(), claim_.einsum, machine_, answer.mapping))
            note(field + ".mapping", "the mapping is not in the space");
        const std::optional<Evaluation> counted = evaluated(field, answer.mapping);
        if (!counted) return;
        const Evaluation& evaluation = *counted;
        if (!is_close(evaluation.energy_pj, answer.cost.energy_pj))
            note(field + ".energy_pj",
                 "the mapping takes " + text_of(evaluation.energy_pj) + " pJ, not " + text_of(answer.cost.energy_pj));
        if (static_cast<double>(evaluation.cycles) != answer.cost.cycles)
            note(field + ".cycles", "the mapping takes " + std::to_string(evaluation.cycles) + " cycles, not " +
                                        text_of(answer.cost.cycles));
    }

    const sparse::Design* zeros() const { return claim_.zeros ? &*claim_.zeros : nullptr; }

    std::optional<Evaluation> evaluated(const std::string& field, const Mapping& mapping) {
        if (zeros() == nullptr) return tilewright::evaluate(claim_.einsum, machine_, mapping);
        sparse::ExactResult exact = sparse::evaluate(claim_.einsum, machine_, mapping, *zeros());
        if (exact.uncounted.empty()) return std::move(exact.evaluation);
        note(field + ".mapping", "the mapping is not counted: " + exact.uncounted);
        return std::nullopt;
    }

    void check_score(const Objective& objective) {
        double score = 0.0;
        for (const Answer& answer : claim_.answers) {
            const double value = objective.score(answer.cost.energy_pj, answer.cost.cycles).value;
            score = &answer == &claim_.answers.front() ? value : std::min(score, value);
        }
        if (!is_close(score, claim_.score))
            note("score", "the best mapping scores " + text_of(score) + ", not " + text_of(claim_.score));
        if (claim_.bound > claim_.score * (1.0 + kTolerance))
            note("bound", "the bound is above the score of the best mapping");
        if (objective.kind != ObjectiveKind::pareto && claim_.answers.size() > 1)
            note("answers", "only a Pareto front has several mappings");
    }

    // By ascending energy and descending latency.
    void check_front() {
        for (std::size_t i = 1; i < claim_.answers.size(); ++i) {
            const Cost& before = claim_.answers[i - 1].cost;
            const Cost& cost = claim_.answers[i].cost;
            const std::string field = "answers." + std::to_string(i);
            if (!(cost.energy_pj > before.energy_pj))
                note(field, cost == before ? "this answer is listed twice" : "answers are not in order of energy");
            else if (!(cost.cycles < before.cycles))
                note(field, "this answer is not on the front: the one before is as fast with less energy");
        }
    }

    void check_proof(const Mapspace& mapspace, const std::function<bool()>& stop) {
        const Proof proof = prove(claim_.einsum, machine_, mapspace, goal_of(claim_), claim_.space.stored(), stop,
                                  kMostAssignments, zeros());
        const Outline& mine = proof.outline;
        const Outline& theirs = claim_.outline;
        if (mine.assignments != theirs.assignments)
            note("proof.assignments", "the space has " + std::to_string(mine.assignments) + " " +
                                          (proof.by_family ? "families of assignments" : "assignments") +
                                          " of spatial factors and kept tensors, not " +
                                          std::to_string(theirs.assignments));
        if (mine.digest != theirs.digest) note("proof.digest", "these are not the assignments of the space");
        if (mine.reasons != theirs.reasons)
            note("proof.reasons", "not confirmed: the reasons that hold are " + mine.reasons);
        if (stop && stop()) return note("bound", "not confirmed: the check was interrupted");
        if (proof.doubts.empty()) return describe(proof);
        const Doubt& doubt = proof.doubts.front();
        std::string message = "not confirmed: of the " + std::to_string(mine.assignments) + " " +
                              (proof.by_family ? "families one of number " : "assignments number ") +
                              std::to_string(doubt.assignment) + " (" + doubt.what +
                              ") may hold something better: at least " + text_of(doubt.bound.energy_pj) + " pJ and " +
                              text_of(doubt.bound.cycles) + " cycles";
        if (proof.leaves_out_wires) message += "; routers, trees and multicast tables of wires are not counted here";
        if (proof.refuted) message += "; that is less than the checker's own bound: a defect of the checker";
        if (proof.too_many) message += "; it has more nests than can be told apart here";
        if (proof.overlapping_results) message += "; results whose tiles overlap like these are only bounded here";
        note("bound", message);
    }

    void describe(const Proof& proof) {
        const auto count = [&proof](Reason reason) {
            const auto found = proof.assignments_by_reason.find(reason);
            return std::to_string(found == proof.assignments_by_reason.end() ? 0 : found->second);
        };
        const bool optimal = is_close(claim_.bound, claim_.score);
        const bool front = claim_.answers.size() > 1;
        proof_ = claim_.objective + " " +
                 (front ? std::to_string(claim_.answers.size()) + " answers, the least energy-delay product " : "") +
                 text_of(claim_.score) + ": " +
                 (optimal ? "optimal" : "nothing has less than " + text_of(claim_.bound)) + " among " +
                 claim_.space.in_words(claim_.constraints) + (claim_.zeros ? ", zeros counted" : "") + " (" +
                 std::to_string(proof.outline.assignments) + (proof.by_family ? " families of choices" : " choices") +
                 " of spatial factors and kept tensors: " + count(Reason::every_word_once) +
                 " ruled out by words sent once, " + count(Reason::each_memory_alone) +
                 " by the best tile of each memory, " + count(Reason::followed) + " followed)";
    }

    void note(std::string field, std::string message) { findings_.push_back({std::move(field), std::move(message)}); }

    const Claim& claim_;
    const Architecture& machine_;
    std::vector<Finding> findings_;
    std::string proof_;
};

/// The constraints on loop orders hold. A mapping has no loops of one iteration: they may be anywhere in the order.
std::optional<TilingPoint> arranged(const Mapspace& mapspace, const std::optional<TilingPoint>& point) {
    if (!point) return std::nullopt;
    TilingPoint arranged = *point;
    mapspace.arrange(arranged);
    return arranged == *point ? std::optional(arranged) : std::nullopt;
}

// A memory keeping nothing has one store, every other store keeps something.
bool stores_once(const Mapping& mapping, const std::vector<MappingLevel>& levels) {
    std::vector<int> empty_stores(levels.size(), 0);
    for (const Node& node : mapping.nodes)
        if (const Store* store = std::get_if<Store>(&node); store != nullptr && store->tensors.empty()) {
            const auto memory = static_cast<std::size_t>(store->memory);
            if (!levels[memory].keep.empty() || ++empty_stores[memory] > 1) return false;
        }
    return true;
}

// Between two stores a dimension has one temporal loop.
bool loops_once(const Mapping& mapping) {
    std::uint32_t seen = 0;
    for (const Node& node : mapping.nodes) {
        const Loop* loop = std::get_if<Loop>(&node);
        if (loop == nullptr) {
            seen = 0;
        } else if (!loop->is_spatial()) {
            if ((seen >> loop->dimension & 1U) != 0) return false;
            seen |= 1U << loop->dimension;
        }
    }
    return true;
}

// Of a memory's own loops, outermost first: a bounded factor has one loop, and a given order is kept.
bool owns(const Mapspace& mapspace, int level, const std::vector<Loop>& loops, const TilingPoint& point) {
    const auto& order = point[level].order;
    const int first = mapspace.first_movable(level);
    const int movable = static_cast<int>(mapspace.movable(level).size());
    const auto turn = [&](int dimension) {
        const int at = static_cast<int>(std::find(order.begin(), order.end(), dimension) - order.begin());
        return at < first || at >= first + movable ? at : first;
    };
    std::uint32_t seen = 0;
    int last = point.dimension_count();
    for (const Loop& loop : loops) {
        const FactorBounds& bounds = mapspace.temporal_bounds(level, loop.dimension);
        std::int64_t temporal = 1;
        for (int l = 0; l < point.level_count(); ++l) temporal *= point[l].temporal[loop.dimension];
        const bool bounded = bounds.at_least > 1 || bounds.at_most < temporal;
        if (bounded && (seen >> loop.dimension & 1U) != 0) return false;
        seen |= 1U << loop.dimension;
        if (turn(loop.dimension) > last) return false;
        last = turn(loop.dimension);
    }
    return true;
}

bool is_in_uneven(const Mapspace& mapspace, const Einsum& einsum, const Architecture& machine, const Mapping& mapping) {
    const std::vector<MappingLevel> levels = owned_levels(mapping, machine.memory_count());
    if (!mapping.options.empty() || !is_perfect(mapping) || !stores_once(mapping, levels) || !loops_once(mapping))
        return false;
    std::vector<MappingLevel> assignment = levels;
    for (MappingLevel& level : assignment) level.temporal.clear();
    std::optional<TilingPoint> point = arranged(mapspace, perfect_point_of(mapping_of(assignment), einsum, machine));
    if (!point) return false;
    for (int l = 0; l < point->level_count(); ++l)
        for (const Loop& loop : levels[l].temporal)
            (*point)[l].temporal[loop.dimension] *= static_cast<std::int32_t>(loop.extent);
    if (!mapspace.contains(*point)) return false;
    for (int l = 0; l < point->level_count(); ++l)
        if (!owns(mapspace, l, levels[l].temporal, *point)) return false;
    return true;
}

bool is_in_imperfect(const Mapspace& mapspace, const Einsum& einsum, const Architecture& machine,
                     const Mapping& mapping) {
    const std::optional<TilingPoint> point = arranged(mapspace, point_of(mapping, einsum, machine));
    return point && mapspace.contains(*point);
}

}  // namespace

Verdict check(const Claim& claim, const Architecture& machine, const std::function<bool()>& stop) {
    return Check(claim, machine).run(stop);
}

bool is_in(const Mapspace& mapspace, Storage storage, const Einsum& einsum, const Architecture& machine,
           const Mapping& mapping) {
    if (storage == Storage::uneven) return is_in_uneven(mapspace, einsum, machine, mapping);
    if (mapspace.has_remainders()) return is_in_imperfect(mapspace, einsum, machine, mapping);
    const std::optional<TilingPoint> point = arranged(mapspace, perfect_point_of(mapping, einsum, machine));
    return point && mapspace.contains(*point);
}

}  // namespace tilewright::certificate
