#include "run/fused/map_fused.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <utility>

#include "base/deadline.hpp"
#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "fusion/hierarchy/floor_leaves.hpp"
#include "fusion/hierarchy/shared_buffer.hpp"
#include "fusion/machine/machine.hpp"
#include "fusion/once.hpp"
#include "mapping/fused/text.hpp"
#include "mapping/fused/tree.hpp"

namespace tilewright {
namespace {

using report::FusionCosts;
using report::FusionGroup;
using report::FusionLine;
using report::FusionLineKind;
using report::FusionMemory;

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

FusionMemory memory_of(const Cascade& cascade, const Architecture& architecture, const fused::Evaluation& evaluation,
                       std::size_t m) {
    const fused::MemoryCost& cost = evaluation.memories[m];
    FusionMemory memory{cost.name, cost.energy_pj + cost.link_energy_pj, std::nullopt, {}};
    if (architecture.memories[m].usable_words()) memory.peak_words = cost.peak_words;
    for (std::size_t t = 0; t < cost.tensors.size(); ++t) {
        const fused::TensorCost& tensor = cost.tensors[t];
        if (tensor.words() > 0.0)
            memory.tensors.push_back({cascade.tensors[t].name, std::string(to_text(cascade.tensors[t].role)),
                                      tensor.reads, tensor.fills, tensor.updates, tensor.energy_pj});
    }
    return memory;
}

FusionCosts costs_of(const Cascade& cascade, const Architecture& architecture, const char* way,
                     const fused::Evaluation& evaluation) {
    FusionCosts costs{
        way, evaluation.energy_pj, static_cast<double>(evaluation.cycles), evaluation.compute_energy_pj, {}};
    for (std::size_t m = 0; m < evaluation.memories.size(); ++m)
        costs.memories.push_back(memory_of(cascade, architecture, evaluation, m));
    return costs;
}

FusionCosts costs_of(const Cascade& cascade, const Architecture& architecture, const fusion::Machine& machine,
                     const fusion::Once& once) {
    FusionCosts costs{report::kOnce, once.cost.energy_pj, once.cost.cycles, once.compute_energy_pj, {}};
    const fusion::MemoryPort& dram = machine.dram;
    FusionMemory outermost{architecture.memories[fusion::kDram].name, once.dram_energy_pj, std::nullopt, {}};
    for (std::size_t t = 0; t < once.moved.size(); ++t) {
        const fusion::Moved& moved = once.moved[t];
        const double energy = dram.share_of(cascade.tensors[t].bits).energy;
        if (moved.in + moved.out > 0.0)
            outermost.tensors.push_back({cascade.tensors[t].name, std::string(to_text(cascade.tensors[t].role)),
                                         moved.in, 0.0, moved.out,
                                         fusion::energy_pj(dram, {moved.in * energy, 0.0, moved.out * energy})});
    }
    costs.memories.push_back(std::move(outermost));
    std::string buffer = architecture.memories[at(machine.buffer_memory)].name;
    if (architecture.memory_count() > machine.buffer_memory + 2) buffer += " and inside";
    costs.memories.push_back({std::move(buffer), once.buffer_energy_pj, std::nullopt, {}});
    return costs;
}

fusion::Once once_of(const Cascade& cascade, const Architecture& architecture, const Fusing& fusing) {
    const fusion::CascadeView view(cascade);
    fusion::FloorLeaves leaves(cascade, architecture, fusing.demands, view.may_be_driven());
    return fusion::every_word_once(view, fusion::machine_around(architecture), leaves);
}

// Lines of the part of the tree that is one group.
class GroupLines {
   public:
    GroupLines(const Cascade& cascade, const Architecture& architecture, const FusedTree& tree,
               const fusion::Mapped& mapped, const fusion::GroupPlan& plan)
        : cascade_(cascade), architecture_(architecture), tree_(tree), mapped_(mapped), plan_(plan) {}

    std::vector<FusionLine> of(int root) {
        for (int node = root; node < tree_.end(root); ++node) add(node);
        return std::move(lines_);
    }

   private:
    std::pair<int, int> span(int node) const {
        int first = cascade_.einsum_count();
        int last = -1;
        for (const int leaf : tree_.leaves(node)) {
            first = std::min(first, tree_.leaf(leaf)->einsum);
            last = std::max(last, tree_.leaf(leaf)->einsum);
        }
        return {first, last};
    }

    void add(int node) {
        const auto [first, last] = span(node);
        if (const SharedLoop* loop = tree_.loop(node)) {
            const Einsum& einsum = cascade_.einsums[at(tree_.last_einsum(node))].einsum;
            const Dimension& dimension = einsum.dimensions[at(loop->dimension)];
            FusionLine line{FusionLineKind::loop, dimension.name};
            line.step = loop->step;
            line.extent = dimension.extent;
            add(std::move(line), first, last);
        } else if (const SharedStore* store = tree_.store(node)) {
            for (const int tensor : store->tensors) add_store(node, store->memory, tensor);
        } else if (const FusedLeaf* leaf = tree_.leaf(node)) {
            FusionLine line{FusionLineKind::leaf, cascade_.einsums[at(leaf->einsum)].name};
            line.words = std::ranges::find(plan_.members, leaf->einsum, &fusion::MemberPlan::einsum)->leaf_words;
            add(std::move(line), leaf->einsum, leaf->einsum);
        }
    }

    void add_store(int node, int memory, int tensor) {
        const CascadeTensor& of = cascade_.tensors[at(tensor)];
        FusionLine line{FusionLineKind::store, of.name, architecture_.memories[at(memory)].name,
                        std::string(to_text(of.role))};
        const std::int64_t words_of = architecture_.memories[at(memory)].word_bits;
        const std::int64_t bits = of.bits > 0 ? of.bits : words_of;
        for (const fused::StoreCost& cost : mapped_.evaluation.stores)
            if (cost.store == node && cost.tensor == tensor) {
                line.words = ceil_div(checked_mul(cost.tile_words, bits), words_of);
                line.throughout = cost.throughout;
            }
        const auto [first, last] = line.throughout ? span(node) : span_of_users(node, of);
        add(std::move(line), first, last);
    }

    bool uses(int node, const CascadeTensor& tensor) const {
        const auto inside = [&](const TensorUse& use) { return tree_.is_inside(tree_.leaf_of(use.einsum), node); };
        return std::ranges::any_of(tensor.writers, inside) || std::ranges::any_of(tensor.readers, inside);
    }

    // From the first branch with a user to the last one: all of the branch, whichever of its einsums that is.
    std::pair<int, int> span_of_users(int node, const CascadeTensor& tensor) const {
        while (!tree_.is_split(node) && tree_.leaf(node) == nullptr) node = tree_.children(node).front();
        if (!tree_.is_split(node)) return span(node);
        int first = cascade_.einsum_count();
        int last = -1;
        for (const int branch : tree_.children(node))
            if (uses(branch, tensor)) {
                first = std::min(first, span(branch).first);
                last = std::max(last, span(branch).second);
            }
        return {first, last};
    }

    void add(FusionLine line, int first, int last) {
        line.first = first;
        line.last = last;
        lines_.push_back(std::move(line));
    }

    const Cascade& cascade_;
    const Architecture& architecture_;
    const FusedTree& tree_;
    const fusion::Mapped& mapped_;
    const fusion::GroupPlan& plan_;
    std::vector<FusionLine> lines_;
};

// The nodes below the first split, one a group.
std::vector<FusionGroup> groups_of(const Cascade& cascade, const Architecture& architecture,
                                   const fusion::Mapped& mapped) {
    const FusedTree tree(cascade, mapped.mapping);
    int split = 0;
    while (!tree.is_split(split)) ++split;
    std::vector<FusionGroup> groups;
    for (std::size_t g = 0; g < mapped.plan.groups.size(); ++g) {
        const fusion::GroupPlan& plan = mapped.plan.groups[g];
        FusionGroup group{plan.first, {}, plan.energy_pj, plan.cycles, {}};
        for (int e = plan.first; e <= plan.last; ++e) group.einsums.push_back(cascade.einsums[at(e)].name);
        group.lines = GroupLines(cascade, architecture, tree, mapped, plan).of(tree.children(split)[g]);
        groups.push_back(std::move(group));
    }
    return groups;
}

// Of weighted energy and cycles: what a cycle costs; nothing: cycles alone count.
std::optional<double> price_of(const fusion::Weights& weights) {
    return weights.energy > 0.0 ? std::optional(weights.cycles / weights.energy) : std::nullopt;
}

void add_front(const Cascade& cascade, const Architecture& architecture, const fusion::Answer& answer,
               report::FusionReport& report) {
    for (const fusion::FrontPoint& one : answer.front) {
        const fusion::FusionPlan& plan = one.mapped.plan;
        report::FusionPoint point;
        point.energy_pj = plan.energy_pj;
        point.cycles = plan.cycles;
        point.groups = static_cast<std::int64_t>(plan.groups.size());
        point.proven = one.proven.has_value();
        if (one.proven) {
            point.from_pj_per_cycle = price_of(one.proven->first);
            point.to_pj_per_cycle = price_of(one.proven->second);
        }
        point.mapping = to_text(one.mapped.mapping, cascade, architecture);
        report.front.push_back(std::move(point));
    }
    if (answer.front.empty()) return;
    for (const fusion::Line& line : answer.lines) report.lines.push_back({price_of(line.weights), line.value});
    report.gap = answer.gap;
}

}  // namespace

report::FusionReport fusion_report(const Cascade& cascade, const Architecture& architecture, const Objective& objective,
                                   const fusion::Answer& answer, const Fusing& fusing) {
    const fusion::Machine machine = fusion::machine_around(architecture);
    const fusion::Mapped& best = *answer.fused;
    report::FusionReport report;
    report.architecture = architecture.name;
    report.cascade = cascade.name;
    report.objective = objective_name(objective.kind);
    report.proven = answer.proven;
    report.interrupted = answer.stopped;
    report.value = objective.score(best.evaluation.energy_pj, best.evaluation.cycles).value;
    report.bound = answer.proven ? report.value : std::min(answer.bound, report.value);
    report.proofs = answer.statistics.proofs;
    report.rounds = answer.statistics.rounds;
    report.leaves = static_cast<std::int64_t>(answer.statistics.leaves);
    report.buffer = architecture.memories[at(machine.buffer_memory)].name;
    report.buffer_words = fusion::buffer_words(architecture);
    if (answer.unfused)
        report.ways.push_back(costs_of(cascade, architecture, report::kUnfused, answer.unfused->evaluation));
    report.ways.push_back(costs_of(cascade, architecture, report::kFused, best.evaluation));
    report.ways.push_back(costs_of(cascade, architecture, machine, once_of(cascade, architecture, fusing)));
    report.groups = groups_of(cascade, architecture, best);
    report.mapping = to_text(best.mapping, cascade, architecture);
    add_front(cascade, architecture, answer, report);
    return report;
}

namespace {

[[noreturn]] void refuse_fusing(const std::string& why) { throw InputError(ErrorCode::usage, {}, why); }

FusedProgress progress_of(const fusion::Mapped* best, double bound) {
    if (best == nullptr) return {.bound = bound};
    return {true, static_cast<std::int64_t>(best->plan.groups.size()), best->evaluation.energy_pj,
            static_cast<std::int64_t>(best->evaluation.cycles), bound};
}

// The time limit is for each size, as it is for the search itself.
std::vector<report::FusionBuffer> buffers_of(const Cascade& cascade, const Architecture& architecture,
                                             const FusedOptions& options, const StopSource* stop) {
    std::vector<report::FusionBuffer> all;
    for (const std::int64_t size : options.buffers) {
        StopSource stop_of_size;
        const TimeLimit limit(stop_of_size, options.time_limit_seconds, stop);
        const std::vector<report::FusionBuffer> one =
            dram_words_by_buffer(cascade, architecture, {size}, [&](std::size_t) { return &stop_of_size; });
        all.insert(all.end(), one.begin(), one.end());
    }
    return all;
}

}  // namespace

Fusing fusing_for(const Cascade& cascade, const Architecture& architecture, const FusedOptions& options,
                  const ConstraintsOf& constraints) {
    if (!options.partial.empty() && !options.buffers.empty())
        refuse_fusing(
            fmt::format("{}buffers is for tensors of one width each, without partial sums of another", options.dashes));
    Fusing fusing = fusing_of(cascade, architecture, options.objective, constraints);
    if (!fusing.problem.empty()) refuse_fusing(fusing.problem);
    if (fusing.inside && !options.buffers.empty())
        refuse_fusing(fmt::format("{}buffers is for machines of a DRAM, a buffer and units with a register of one word",
                                  options.dashes));
    return fusing;
}

FusedAnswer search_fused(const Cascade& cascade, const Architecture& architecture, const Fusing& fusing,
                         const FusedOptions& options, const FusedControl& control) {
    FusedAnswer found;
    {
        StopSource stop;
        const TimeLimit limit(stop, options.time_limit_seconds, control.stop);
        fusion::TellProgress tell;
        if (control.progress)
            tell = [&](const fusion::Mapped* best, double bound) { control.progress(progress_of(best, bound)); };
        found.answer = fuse(cascade, architecture, fusing, options.objective, &stop, tell, options.partial);
    }
    report::FusionReport& report = found.report;
    if (found.answer.fused) {
        report = fusion_report(cascade, architecture, options.objective, found.answer, fusing);
        report.buffers = buffers_of(cascade, architecture, options, control.stop);
    }
    report.interrupted = found.answer.stopped;
    return found;
}

}  // namespace tilewright
