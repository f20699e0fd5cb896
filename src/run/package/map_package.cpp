#include "run/package/map_package.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/error.hpp"
#include "run/package/mapped_leaves.hpp"
#include "run/package/package_planner.hpp"
#include "run/package/package_report.hpp"
#include "workload/cascade/builder.hpp"

namespace tilewright {
namespace {

bool is_place_0(const CascadeEinsum& einsum, const Coordinate& at) {
    return at.offset == 0 && std::ranges::all_of(at.terms, [&](const Term& term) {
               return einsum.einsum.dimensions[term.dimension].extent == 1;
           });
}

bool is_constant_axis(const Cascade& cascade, int tensor, std::size_t axis) {
    const CascadeTensor& one = cascade.tensors[tensor];
    const auto is_other = [&](const CascadeTensor& other) {
        return other.carried_from == tensor || other.view_of == tensor;
    };
    if (one.shape[axis] != 1 || one.writers.empty() || one.carried_from >= 0 || one.view_of >= 0 ||
        std::ranges::any_of(cascade.tensors, is_other))
        return false;
    const auto stays = [&](const TensorUse& use) {
        const CascadeEinsum& einsum = cascade.einsums[use.einsum];
        const Access& access = einsum.accesses[use.operand];
        return !access.anywhere && is_place_0(einsum, access.coordinates[axis]);
    };
    const auto has_no_dimension = [&](const TensorUse& use) {
        return cascade.einsums[use.einsum].accesses[use.operand].coordinates[axis].terms.empty();
    };
    return std::ranges::all_of(one.writers, stays) && std::ranges::all_of(one.readers, stays) &&
           std::ranges::any_of(one.writers, has_no_dimension);
}

}  // namespace

Cascade without_constant_axes(Cascade cascade) {
    for (int t = 0; t < static_cast<int>(cascade.tensors.size()); ++t) {
        CascadeTensor& tensor = cascade.tensors[t];
        for (std::size_t axis = tensor.shape.size(); axis-- > 0;) {
            if (!is_constant_axis(cascade, t, axis)) continue;
            const auto place = static_cast<std::ptrdiff_t>(axis);
            tensor.shape.erase(tensor.shape.begin() + place);
            for (const auto* uses : {&tensor.writers, &tensor.readers})
                for (const TensorUse& use : *uses) {
                    std::vector<Coordinate>& at = cascade.einsums[use.einsum].accesses[use.operand].coordinates;
                    at.erase(at.begin() + place);
                }
        }
    }
    return cascade;
}

std::string problem_with(const PackageProblem& problem) {
    std::string why = package::problem_with(problem.package);
    return why.empty() ? multicore::problem_with(problem.cascade, problem.package) : why;
}

std::string problem_with_planning(const Objective& objective) { return multicore::problem_with_objective(objective); }

PackagePlanner::PackagePlanner(const PackageProblem& problem, const Objective& objective, const StopSource* stop)
    : objective_(objective),
      stop_(stop),
      view_(problem.cascade, problem.package),
      network_(problem.package),
      leaves_(view_, problem.constraints, objective, stop),
      evaluator_(view_, network_, leaves_) {}

multicore::Answer PackagePlanner::search(const TellPackageProgress& tell) {
    multicore::TellProgress progress;
    if (tell)
        progress = [&](const multicore::Cost* best, double value, double bound) {
            if (best == nullptr)
                tell({.bound = bound});
            else
                tell({true, best->energy.total(), best->cycles, value, bound});
        };
    return multicore::optimize(evaluator_, objective_, stop_, progress);
}

// Leaves of a plan that was found are known: nothing is searched any more.
report::PackageReport PackagePlanner::report(const multicore::Answer& answer) const {
    report::PackageReport report = package_report(evaluator_, answer.best->plan, answer.best->cost);
    report.objective = objective_name(objective_.kind);
    report.value = answer.best->value;
    report.bound = answer.bound;
    report.proven = answer.proven;
    report.interrupted = answer.stopped;
    return report;
}

std::optional<report::PackageReport> map_package(const PackageProblem& problem, const Objective& objective,
                                                 const StopSource* stop, const TellPackageProgress& tell) {
    PackagePlanner planner(problem, objective, stop);
    const multicore::Answer answer = planner.search(tell);
    if (!answer.best) return std::nullopt;
    return planner.report(answer);
}

report::PackageReport evaluate_package(const PackageProblem& problem, const package::Plan& plan,
                                       const Objective& objective) {
    const multicore::Problem view(problem.cascade, problem.package);
    const package::Network network(problem.package);
    MappedLeaves leaves(view, problem.constraints, objective, nullptr);
    const multicore::Evaluator evaluator(view, network, leaves);
    const multicore::Evaluated got = evaluator.plan(plan);
    if (!got) {
        const bool has_einsum = got.einsum >= 0 && got.einsum < problem.cascade.einsum_count();
        throw InputError(ErrorCode::bad_value, {},
                         (has_einsum ? "'" + problem.cascade.einsums[got.einsum].name + "': " : "the plan: ") +
                             std::string(multicore::to_text(got.refused)));
    }
    return package_report(evaluator, plan, got.cost);
}

Cascade cascade_of_layer(const std::string& name, const Einsum& einsum) {
    CascadeBuilder builder(name);
    std::vector<int> tensors;
    for (int t = 0; t < einsum.tensor_count(); ++t) {
        std::vector<std::int64_t> shape;
        for (const Rank& rank : einsum.tensors[t].ranks) {
            std::int64_t reach = 1;
            for (const Term& term : rank.terms)
                reach += std::abs(term.coefficient) * (einsum.dimensions[term.dimension].extent - 1);
            shape.push_back(reach);
        }
        tensors.push_back(builder.tensor(einsum.tensors[t].name,
                                         einsum.tensors[t].written ? TensorRole::output : TensorRole::input, shape,
                                         einsum.tensors[t].bits));
    }
    builder.einsum({name, "", einsum}, tensors);
    return builder.take();
}

}  // namespace tilewright
