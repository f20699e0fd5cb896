#include "same_answers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>

#include <tilewright/tilewright.hpp>

#include "certificate/common/zeros.hpp"
#include "certificate/prove/prove.hpp"
#include "mapper/optimal/optimal.hpp"
#include "mapper/priced/priced_search.hpp"
#include "run/fused/fusing.hpp"
#include "workload/cascade/text.hpp"

namespace tilewright::property {
namespace {

using certificate::fused_proof::Claim;

constexpr double kSame = 1e-9;

MapOptions options_of(const LayerQuestion& question) {
    MapOptions options;
    options.mapper = MapperKind::optimal;
    options.objective = question.objective;
    options.factors = question.factors;
    options.uneven = question.uneven;
    options.threads = 1;
    // Most of what so small a layer takes would go into a good mapping to begin with; the proof needs none.
    options.made_by = [uneven = question.uneven](const Einsum&) {
        return std::make_unique<OptimalMapper>(OptimalMapper::Options{.warm_up = 0, .uneven = uneven});
    };
    return options;
}

Best costed(double energy_pj, std::int64_t cycles, const Objective& objective) {
    Best best;
    best.energy_pj = energy_pj;
    best.cycles = static_cast<double>(cycles);
    best.score = objective.score(energy_pj, cycles);
    return best;
}

Best best_of(const LayerAnswer& answer, const Objective& objective, bool finds_all) {
    Best best;
    if (answer.mapping) best = costed(answer.evaluation->energy_pj, answer.evaluation->cycles, objective);
    best.proven = answer.mapping ? answer.search && answer.search->proven : finds_all;
    if (answer.search) best.bound = answer.search->lower_bound;
    return best;
}

Best best_in_blocks(const LayerCase& layer, const LayerQuestion& question) {
    const LayerProblem problem{layer.einsum, layer.architecture, layer.constraints, {{}, layer.blocks}};
    return best_of(map_layer(problem, options_of(question)), question.objective, false);
}

Best best_with_zeros(const LayerCase& layer, const LayerQuestion& question) {
    const LayerProblem problem{layer.einsum, layer.architecture, layer.constraints, {}, layer.design};
    if (!Mapspace(problem.einsum, problem.architecture, problem.constraints).problem().empty()) return {};
    const SearchResult found = search_priced(problem, FactorRule::perfect, OptimalMapper({.warm_up = 0}),
                                             question.objective, {}, {}, {.most_seen = 3000.0, .tries = 50});
    Best best;
    if (found.best) best = costed(found.cost.energy_pj, found.cost.cycles, question.objective);
    best.proven = is_proven(found);
    best.bound = found.lower_bound;
    return best;
}

double times(double value, const Relation& relation, const Objective& objective) {
    return value * objective.score(relation.energies, 1.0).value;
}

bool is_above(double a, double b) { return a > b + kSame * std::max(std::abs(a), std::abs(b)); }

std::string words(const Best& best) {
    if (!best.score) return best.proven ? "no mapping, proven" : "no mapping";
    return std::to_string(best.score->value) + (best.proven ? ", proven" : "") + " (" + std::to_string(best.energy_pj) +
           " pJ, " + std::to_string(best.cycles) + " cycles, bound " + std::to_string(best.bound.value_or(0.0)) + ")";
}

// What no mapping has less than.
double floor_of(const Best& best) {
    if (best.proven) return best.score ? best.score->value : std::numeric_limits<double>::infinity();
    return best.bound.value_or(-std::numeric_limits<double>::infinity());
}

double value_of(const Best& best) { return best.score ? best.score->value : std::numeric_limits<double>::infinity(); }

Claim claim_of(const Cascade& cascade, const Architecture& architecture, const Objective& objective,
               const fusion::Answer& answer, double value) {
    Claim claim{cascade,
                architecture,
                std::string(objective_name(objective.kind)),
                answer.fused->mapping,
                value,
                std::min(answer.floor_bound, value),
                answer.duals};
    for (const fusion::ProvenSum& sum : answer.sums) claim.lines.push_back({sum.energy, sum.cycles, sum.duals});
    return claim;
}

std::string judgement(const Claim& claim) {
    const auto verdict = certificate::fused_proof::check(claim);
    return verdict.findings.empty() ? "" : verdict.findings.front().field + ": " + verdict.findings.front().message;
}

Best best_of(const std::optional<fusion::Mapped>& mapped, const fusion::Answer& answer, const Objective& objective) {
    Best best;
    if (mapped) best = costed(mapped->evaluation.energy_pj, mapped->evaluation.cycles, objective);
    best.proven = answer.proven || !mapped;
    return best;
}

}  // namespace

Best best_of(const LayerCase& layer, const LayerQuestion& question) {
    if (layer.mapping) {
        const Evaluation evaluation = evaluate(layer.einsum, layer.architecture, *layer.mapping);
        Best best = costed(evaluation.energy_pj, evaluation.cycles, question.objective);
        best.proven = true;
        return best;
    }
    if (layer.design) return best_with_zeros(layer, question);
    if (!layer.blocks.empty()) return best_in_blocks(layer, question);
    return best_of(map_layer({layer.einsum, layer.architecture, layer.constraints}, options_of(question)),
                   question.objective, true);
}

std::optional<bool> is_confirmed(const LayerCase& layer, const LayerQuestion& question, const Best& best) {
    const Mapspace mapspace(layer.einsum, layer.architecture, layer.constraints, question.factors);
    const sparse::Design* zeros = layer.design ? &*layer.design : nullptr;
    if (layer.mapping || !layer.blocks.empty() || !mapspace.problem().empty()) return std::nullopt;
    if (zeros != nullptr && !certificate::tile_dependence(layer.einsum, layer.architecture, mapspace, *zeros).empty())
        return std::nullopt;
    const certificate::Proof proof =
        certificate::prove(layer.einsum, layer.architecture, mapspace,
                           certificate::Goal::optimal(question.objective, {best.energy_pj, best.cycles}),
                           question.uneven ? certificate::Storage::uneven : certificate::Storage::even, {},
                           certificate::kMostAssignments, zeros);
    if (!proof.doubts.empty() && (proof.too_many || proof.leaves_out_wires)) return std::nullopt;
    return proof.doubts.empty();
}

std::string difference(const Best& best, const Best& again, const Relation& relation, const Objective& objective) {
    const std::string both = words(best) + " and, rewritten, " + words(again);
    if (is_above(floor_of(again), times(value_of(best), relation, objective))) return both;
    if (!relation.equal) return "";
    if (is_above(times(floor_of(best), relation, objective), value_of(again))) return both;
    const bool ties = best.proven && again.proven && best.score && objective.kind == ObjectiveKind::latency;
    const double tie = ties ? best.score->tie * relation.energies : 0.0;
    return ties && (is_above(tie, again.score->tie) || is_above(again.score->tie, tie)) ? "energies of " + both : "";
}

FusedBest best_of(const NetworkText& network, const Objective& objective) {
    FusedBest best;
    const Cascade cascade = parse_cascade(to_text(network));
    const Fusing fusing = fusing_of(cascade, network.architecture, objective);
    best.fault = fusing.problem;
    if (!best.fault.empty()) return best;
    fusion::Answer answer;
    try {
        answer = fuse(cascade, network.architecture, fusing, objective);
    } catch (const std::logic_error& error) {  // one of the search's own tests
        best.fault = error.what();
        return best;
    }
    best.fused = best_of(answer.fused, answer, objective);
    best.unfused = best_of(answer.unfused, answer, objective);
    // Of energies, and of cycles, the least of each einsum make the least of all; of their product nothing is said.
    if (objective.kind == ObjectiveKind::edp && cascade.einsum_count() > 1) best.unfused.proven = false;
    best.fused.bound = answer.bound;
    if (!best.fused.score || answer.floor_bound <= 0.0 || fusing.inside) return best;
    best.claim = claim_of(cascade, network.architecture, objective, answer, best.fused.score->value);
    best.judged = judgement(*best.claim);
    return best;
}

std::string judged_by_other(const FusedBest& first, const FusedBest& second, const Relation& relation,
                            const Objective& objective) {
    Claim claim = *second.claim;
    claim.bound = std::min(times(first.claim->bound, relation, objective), claim.value);
    claim.duals = first.claim->duals;
    for (double& dual : claim.duals) dual = times(dual, relation, objective);
    claim.lines = first.claim->lines;
    for (certificate::fused_proof::Line& line : claim.lines) line.energy /= relation.energies;
    return judgement(claim);
}

}  // namespace tilewright::property
