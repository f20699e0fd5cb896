#include "mapspace/layer_problem.hpp"

#include "model/exact/blocks.hpp"
#include "model/exact/model.hpp"
#include "model/exact/partial_sums.hpp"
#include "model/sparse/sparse_model.hpp"

namespace tilewright {

namespace {

LayerCosts with_zeros(const LayerProblem& problem, const Mapping& mapping) {
    std::vector<Violation> violations = check(problem, mapping);
    if (!violations.empty()) return {std::move(violations), "", std::nullopt};
    sparse::ExactResult counted =
        sparse::evaluate(problem.einsum, problem.architecture, mapping, *problem.zeros, problem.words);
    if (!counted.uncounted.empty()) return {{}, std::move(counted.uncounted), std::nullopt};
    return {{}, "", std::move(counted.evaluation)};
}

Evaluation evaluate(const LayerProblem& problem, const Mapping& mapping) {
    const auto& [einsum, machine, constraints, words, zeros] = problem;
    if (words.has_blocks()) return evaluate_blocks(einsum, machine, mapping, words);
    if (words.has_partial_sums()) return evaluate(einsum, machine, mapping, words.partial_bits);
    return evaluate(einsum, machine, mapping);
}

}  // namespace

std::vector<Violation> check(const LayerProblem& problem, const Mapping& mapping) {
    const auto& [einsum, machine, constraints, words, zeros] = problem;
    const bool counted = problem_with(einsum, words.partial_bits).empty();
    if (zeros) return sparse::check(einsum, machine, mapping, *zeros, counted ? words : Words{{}, words.blocks});
    if (words.has_blocks()) return check_blocks(einsum, machine, mapping, counted ? words : Words{{}, words.blocks});
    if (words.has_partial_sums() && counted) return check(einsum, machine, mapping, words.partial_bits);
    return check(einsum, machine, mapping);
}

LayerCosts costs_of(const LayerProblem& problem, const Mapping& mapping) {
    if (problem.words.has_partial_sums())
        if (std::string why = problem_with(problem.einsum, problem.words.partial_bits); !why.empty())
            return {{}, std::move(why), std::nullopt};
    if (problem.zeros) return with_zeros(problem, mapping);
    std::vector<Violation> violations = check(problem, mapping);
    if (!violations.empty()) return {std::move(violations), "", std::nullopt};
    return {{}, "", evaluate(problem, mapping)};
}

}  // namespace tilewright
