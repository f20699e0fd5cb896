#include "run/package/map_package.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/error.hpp"
#include "package/plan_text.hpp"
#include "workload/cascade/builder.hpp"

namespace tilewright {
namespace {

std::string name_of(multicore::Decider decider, int index, const package::Network& network, int cores) {
    switch (decider) {
        case multicore::Decider::core: return "core " + std::to_string(index);
        case multicore::Decider::dram: return "dram " + std::to_string(index);
        case multicore::Decider::link: return "link " + package::name_of(network.links()[index], cores);
        case multicore::Decider::nothing: break;
    }
    return "";
}

// Sums over all runs as they are evaluated.
class PackageReporter {
   public:
    PackageReporter(const multicore::Evaluator& evaluator)
        : evaluator_(evaluator),
          problem_(evaluator.problem()),
          words_(evaluator.network().links().size(), 0),
          deciding_(words_.size(), 0) {
        for (int c = 0; c < problem_.package().core_count(); ++c) {
            const package::Core& core = problem_.package().cores[c];
            const package::CoreKind& kind = problem_.package().kind_of(c);
            report_.cores.push_back({c, kind.name, core.at.x, core.at.y, 0, 0, kind.buffer_words});
        }
    }

    report::PackageReport of(const package::Plan& plan, const multicore::Cost& cost) {
        report_.package = problem_.package().name;
        report_.cascade = problem_.cascade().name;
        report_.energy = cost.energy;
        report_.cycles = cost.cycles;
        report_.counts = cost.counts;
        for (const package::Run& run : plan.runs) add(run);
        for (std::size_t l = 0; l < words_.size(); ++l) {
            if (words_[l] == 0) continue;
            const package::NetworkLink& link = evaluator_.network().links()[l];
            const char* sort = link.sort == package::LinkSort::link  ? "link"
                               : link.sort == package::LinkSort::d2d ? "d2d"
                                                                     : "local";
            report_.links.push_back(
                {package::name_of(link, problem_.package().core_count()), sort, words_[l], deciding_[l]});
        }
        report_.plan = package::to_text(plan, problem_.cascade());
        return std::move(report_);
    }

   private:
    void add(const package::Run& run) {
        multicore::Detail detail;
        const multicore::Evaluated got = evaluator_.run(run, &detail);
        const CascadeEinsum& last = problem_.cascade().einsums[run.last];
        const std::int64_t repeats = problem_.repeats(run.last);
        const Dimension& along = last.einsum.dimensions[package::result_dimensions(last)[run.axis]];
        report::PackageRun& one = report_.runs.emplace_back();
        one.step = along.name + " by " + std::to_string(run.step);
        one.steps = (along.extent + run.step - 1) / run.step;
        one.repeats = repeats;
        one.energy_pj = got.cost.energy.total();
        one.cycles = got.cost.cycles;
        add_stages(run, one);
        for (std::size_t i = 0; i < got.cost.slots.size(); ++i) {
            const multicore::Slot& slot = got.cost.slots[i];
            one.slots.push_back(
                {static_cast<std::int64_t>(i) - 1, slot.cycles, slot.compute, slot.moving,
                 name_of(slot.decider, slot.index, evaluator_.network(), problem_.package().core_count())});
            if (slot.decider == multicore::Decider::link) deciding_[slot.index] += repeats;
            for (std::size_t l = 0; l < words_.size(); ++l) words_[l] += detail.load[i][l] * repeats;
            for (std::size_t c = 0; c < report_.cores.size(); ++c) {
                report_.cores[c].busy_cycles += detail.busy[i][c] * repeats;
                report_.cores[c].peak_words = std::max(report_.cores[c].peak_words, detail.room[i][c]);
            }
        }
    }

    void add_stages(const package::Run& run, report::PackageRun& one) const {
        std::vector<std::int64_t> first_slots;
        for (int e = run.first; e <= run.last; ++e) {
            const package::Stage& stage = run.stages[e - run.first];
            const CascadeEinsum& einsum = problem_.cascade().einsums[e];
            report::PackageStage shown;
            shown.einsum = einsum.name;
            shown.cores.assign(stage.team.begin(), stage.team.end());
            bool has_sums = false;
            for (const package::Split& split : stage.split) {
                shown.split += (shown.split.empty() ? "" : " ") + einsum.einsum.dimensions[split.dimension].name + "/" +
                               std::to_string(split.parts);
                has_sums = has_sums || (problem_.worker(e).axis_of[split.dimension] < 0 && split.parts > 1);
            }
            if (has_sums) shown.sums = sums_text(stage.sums, e);
            for (int operand = 0; operand < einsum.einsum.tensor_count(); ++operand)
                if ((stage.streamed >> operand & 1U) != 0)
                    shown.streamed.push_back(problem_.cascade().tensors[einsum.accesses[operand].tensor].name);
            for (int p = run.first; p < e; ++p)
                if (problem_.depends(e, p)) {
                    const bool late = !one.stages[p - run.first].sums.empty();
                    shown.first_slot = std::max(shown.first_slot, first_slots[p - run.first] + (late ? 2 : 1));
                }
            first_slots.push_back(shown.first_slot);
            one.stages.push_back(std::move(shown));
        }
    }

    std::string sums_text(const package::Sums& sums, int einsum) const {
        if (sums.way == package::Sums::Way::root) return "root";
        const int dimension = problem_.worker(einsum).axes[sums.axis];
        return (sums.way == package::Sums::Way::ring ? "ring " : "scatter ") +
               problem_.cascade().einsums[einsum].einsum.dimensions[dimension].name;
    }

    const multicore::Evaluator& evaluator_;
    const multicore::Problem& problem_;
    std::vector<std::int64_t> words_;
    std::vector<std::int64_t> deciding_;
    report::PackageReport report_;
};

}  // namespace

std::string problem_with(const PackageProblem& problem) {
    std::string why = package::problem_with(problem.package);
    return why.empty() ? multicore::problem_with(problem.cascade, problem.package) : why;
}

std::optional<report::PackageReport> map_package(const PackageProblem& problem, const Objective& objective,
                                                 const StopSource* stop, const multicore::TellProgress& tell) {
    const multicore::Problem view(problem.cascade, problem.package);
    const package::Network network(problem.package);
    MappedLeaves leaves(view, problem.constraints, objective, stop);
    const multicore::Evaluator evaluator(view, network, leaves);
    const multicore::Answer answer = multicore::optimize(evaluator, objective, stop, tell);
    if (!answer.best) return std::nullopt;
    // Leaves of a plan that was found are known: nothing is searched any more.
    report::PackageReport report = PackageReporter(evaluator).of(answer.best->plan, answer.best->cost);
    report.objective = objective_name(objective.kind);
    report.value = answer.best->value;
    report.bound = answer.bound;
    report.proven = answer.proven;
    report.interrupted = answer.stopped;
    return report;
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
    return PackageReporter(evaluator).of(plan, got.cost);
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
