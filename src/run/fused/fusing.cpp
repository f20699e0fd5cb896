#include "run/fused/fusing.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "fusion/hierarchy/roles.hpp"
#include "fusion/machine/machine.hpp"
#include "mapspace/constraints.hpp"
#include "run/composition.hpp"
#include "workload/cascade/layers.hpp"
#include "workload/layer_roles.hpp"

namespace tilewright {
namespace {

// Whether constraints leave every mapping free: a proof over all mappings would not be one over those that meet them.

bool is_free(const LoopConstraint& loops) {
    return loops.inner.empty() && loops.outer.empty() && !loops.split && !loops.one_axis && !loops.remainders &&
           std::ranges::all_of(loops.factors, [](const FactorConstraint& one) { return one == FactorConstraint{}; });
}

bool is_unconstrained(const Constraints& constraints) {
    bool free = constraints.min_parallelism == 0.0;
    for (std::size_t level = 0; level < constraints.levels.size(); ++level) {
        const LevelConstraint& at = constraints.levels[level];
        free = free && is_free(at.temporal) && is_free(at.spatial) && at.must_bypass.empty() &&
               (level == 0 || at.must_keep.empty());
    }
    return free;
}

constexpr std::size_t kMostNamed = 6;

// What is Weights to the machine: what the cascade declares so, and by name what is so for want of another.
std::string roles_text(const Cascade& cascade) {
    std::set<int> declared;
    std::vector<std::string> others;
    for (int e = 0; e < cascade.einsum_count(); ++e) {
        const CascadeEinsum& one = cascade.einsums[e];
        const TensorSet weights = weights_of(cascade, e);
        const LayerRoles roles = layer_roles(one.einsum, weights);
        for (int t = 0; t < one.einsum.tensor_count(); ++t) {
            if (roles.operands[t] != OperandRole::weights) continue;
            const int tensor = one.accesses[t].tensor;
            if (weights.has(t))
                declared.insert(tensor);
            else
                others.push_back(cascade.tensors[tensor].name + " in " + one.name);
        }
    }
    std::vector<std::string> parts;
    if (!declared.empty()) parts.push_back(fmt::format("the cascade's weights ({})", declared.size()));
    const std::size_t named = std::min(others.size(), kMostNamed);
    parts.insert(parts.end(), others.begin(), others.begin() + static_cast<std::ptrdiff_t>(named));
    if (named < others.size()) parts.push_back(fmt::format("{} more", others.size() - named));
    return fmt::format("rules of layers hold by role: Weights are {}", fmt::join(parts, ", "));
}

}  // namespace

Fusing fusing_of(const Cascade& cascade, const Architecture& architecture, const Objective& objective,
                 const ConstraintsOf& constraints) {
    Fusing fusing;
    fusing.inside = !fusion::problem_with_machine(architecture).empty();
    fusing.problem = fusion::problem_with(cascade, architecture, objective);
    if (!fusing.problem.empty()) return fusing;
    const bool demands = constraints && !is_unconstrained(constraints(layer_of_parts(true)));
    fusing.inside = fusing.inside || demands;
    if (demands) fusing.roles = roles_text(cascade);
    fusing.demands = fusion::demands_of(cascade, architecture, constraints, fusing.problem);
    if (!fusing.problem.empty()) fusing.problem = "what the machine demands of mappings: " + fusing.problem;
    return fusing;
}

fusion::Answer fuse(const Cascade& cascade, const Architecture& architecture, const Fusing& fusing,
                    const Objective& objective, const StopSource* stop, const fusion::TellProgress& tell,
                    const PartialBits& partial) {
    constexpr int kAll = 1 << 20;  // einsums of a group
    constexpr int kRounds = 64;
    return fusion::optimize(cascade, architecture, fusing.demands, objective, stop, kAll, kRounds, tell, partial);
}

fusion::Answer fuse(const FusedProblem& problem, const Objective& objective, const StopSource* stop) {
    return fusion::optimize(problem.cascade, problem.architecture, problem.demands, objective, stop);
}

void require_fused_words(bool partial_sums, bool blocks) {
    std::vector<Capability> together{Capability::fusion};
    if (partial_sums)
        throw InputError(ErrorCode::usage, {},
                         "partial sums of another width are counted by map --fuse and evaluate --fused-mapping; "
                         "elsewhere a tensor of a cascade has one width");
    if (blocks) together.push_back(Capability::blocks);
    if (const std::string why = refusal(together); !why.empty()) throw InputError(ErrorCode::usage, {}, why);
}

namespace {

std::int64_t repeats_of_tensor(const Cascade& cascade, const CascadeTensor& tensor) {
    std::int64_t repeats = 1;
    for (const std::vector<TensorUse>* uses : {&tensor.readers, &tensor.writers})
        for (const TensorUse& use : *uses) repeats = std::max(repeats, repeats_of(cascade, use.einsum));
    return repeats;
}

// Of the memory; a word that is wider than its words takes several.
std::int64_t words_of_all(const Cascade& cascade, std::int64_t word_bits) {
    std::int64_t words = 0;
    for (const CascadeTensor& tensor : cascade.tensors) {
        if (tensor.view_of >= 0) continue;  // its words are another's
        const std::int64_t each = std::max<std::int64_t>(1, ceil_div(tensor.bits, word_bits));
        const std::int64_t once = checked_mul(words_of(tensor), each);
        words = checked_add(words, checked_mul(once, repeats_of_tensor(cascade, tensor)));
    }
    return words;
}

}  // namespace

Architecture with_room_for(const Cascade& cascade, Architecture architecture) {
    Memory& outermost = architecture.memories.front();
    const std::optional<std::int64_t> limit = outermost.usable_words();
    if (limit && words_of_all(cascade, outermost.word_bits) <= *limit) outermost.set_usable_words(std::nullopt);
    return architecture;
}

}  // namespace tilewright
