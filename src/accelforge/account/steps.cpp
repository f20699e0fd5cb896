#include "accelforge/account/steps.hpp"

#include <algorithm>
#include <functional>

#include "base/error.hpp"

namespace tilewright::accelforge {
namespace {

using StepKind = Step::Kind;

constexpr std::size_t kMostBranches = 10'000;

void collect_branches(const std::vector<MappingNode>& nodes, Branch so_far, std::vector<Branch>& branches) {
    for (const MappingNode& node : nodes) {
        if (node.kind == MappingNode::Kind::split) {
            for (std::size_t i = 0; i < node.branches.size(); ++i) {
                Branch inner = so_far;
                inner.splits.push_back({&node, static_cast<int>(i)});
                collect_branches(node.branches[i], std::move(inner), branches);
            }
            return;
        }
        so_far.nodes.push_back(&node);
        so_far.splits_above.push_back(so_far.splits.size());
    }
    if (branches.size() == kMostBranches)
        throw InputError(ErrorCode::unsupported, nodes.front().where, "more than 10,000 branches");
    branches.push_back(std::move(so_far));
}

[[noreturn]] void fail_at(const MappingNode& node, ErrorCode code, const std::string& message) {
    throw InputError(code, node.where, message);
}

std::vector<std::string> component_names(const MachineSpec& machine) {
    std::vector<std::string> names;
    for (const Component& one : machine.components) names.push_back(one.name);
    return names;
}

/// Makes the steps of a branch, node by node.
class PathBuilder {
   public:
    PathBuilder(const Workload& workload, const EinsumSpec& einsum, MachineSpec machine, const Branch& branch)
        : workload_(workload), branch_(branch) {
        path_.einsum = &einsum;
        path_.machine = std::move(machine);
        path_.splits = branch.splits;
        for (const std::int64_t extent : einsum.extents) tiles_.push_back(static_cast<double>(extent));
    }

    EinsumPath build() {
        find_compute();
        for (std::size_t i = 0; i < branch_.nodes.size(); ++i) {
            const MappingNode& node = *branch_.nodes[i];
            splits_above_ = branch_.splits_above[i];
            if (node.kind == MappingNode::Kind::storage || node.kind == MappingNode::Kind::toll)
                add_holders(node);
            else if (node.kind == MappingNode::Kind::compute)
                add({StepKind::compute, &node, 0, path_.compute});
            else
                add_loop(node);
        }
        refuse_what_is_missing();
        refuse_too_many_instances();
        return std::move(path_);
    }

   private:
    int component_named(const MappingNode& node) const;
    void find_compute();
    void add(Step step) {
        step.position = path_.steps.size();
        step.splits_above = splits_above_;
        path_.steps.push_back(step);
    }
    void add_holders(const MappingNode& node);
    void add_loop(const MappingNode& node);
    bool a_memory_outside_may_keep(int component, int tensor) const;
    int fanout_of(const MappingNode& node, int component) const;
    void refuse_what_is_missing() const;
    void refuse_too_many_instances() const;

    const Workload& workload_;
    const Branch& branch_;
    EinsumPath path_;
    std::vector<double> tiles_;
    std::size_t splits_above_ = 0;
};

int PathBuilder::component_named(const MappingNode& node) const {
    const int index = path_.machine.component_of(node.component);
    if (index < 0)
        fail_at(node, ErrorCode::unknown_level,
                "the machine has no '" + node.component + "'" +
                    did_you_mean(node.component, component_names(path_.machine)));
    if (!path_.place_on_path.empty() && path_.place_on_path[index] < 0)
        fail_at(node, ErrorCode::bad_value,
                "'" + node.component + "' does not lie above '" + path_.component(path_.compute).name +
                    "', which computes '" + path_.einsum->name + "'");
    return index;
}

void PathBuilder::find_compute() {
    const MappingNode& last = *branch_.nodes.back();
    path_.compute = component_named(last);
    if (path_.component(path_.compute).kind != ComponentKind::compute)
        fail_at(last, ErrorCode::bad_value, "'" + last.component + "' does not compute");
    path_.components = path_.machine.path_to(path_.compute);
    path_.place_on_path.assign(path_.machine.components.size(), -1);
    for (std::size_t i = 0; i < path_.components.size(); ++i)
        path_.place_on_path[path_.components[i]] = static_cast<int>(i);
}

void PathBuilder::add_holders(const MappingNode& node) {
    const int component = component_named(node);
    const bool is_toll = node.kind == MappingNode::Kind::toll;
    const ComponentKind wanted = is_toll ? ComponentKind::toll : ComponentKind::memory;
    if (path_.component(component).kind != wanted)
        fail_at(node, ErrorCode::bad_value, "'" + node.component + "' is no " + (is_toll ? "toll" : "memory"));
    for (const std::string& name : node.tensors) {
        const std::vector<std::string> known = workload_.tensors();
        if (std::ranges::find(known, name) == known.end())
            fail_at(node, ErrorCode::unknown_tensor, "no einsum uses '" + name + "'" + did_you_mean(name, known));
        const int tensor = path_.einsum->access_of(name);
        if (tensor < 0) continue;
        const bool first = std::ranges::none_of(path_.steps, [&](const Step& step) {
            return step.tensor == tensor && path_.component(step.component).kind == ComponentKind::memory;
        });
        if (first && is_toll && a_memory_outside_may_keep(component, tensor))
            fail_at(node, ErrorCode::bad_value, "'" + name + "' passes a toll before any memory holds it");
        add({StepKind::hold, &node, 0, component, tensor, first && !is_toll});
    }
}

// A machine may be a macro alone: tensors that it does not keep outside a toll come from nowhere.
bool PathBuilder::a_memory_outside_may_keep(int component, int tensor) const {
    return std::ranges::any_of(path_.components, [&](int index) {
        const Component& one = path_.component(index);
        return path_.place_on_path[index] < path_.place_on_path[component] && one.kind == ComponentKind::memory &&
               ((one.keep | one.may_keep) >> static_cast<unsigned>(tensor) & 1U) != 0;
    });
}

int PathBuilder::fanout_of(const MappingNode& node, int component) const {
    const std::vector<Fanout>& fanouts = path_.component(component).fanouts;
    const auto found = std::ranges::find(fanouts, node.dimension, &Fanout::name);
    if (found == fanouts.end())
        fail_at(node, ErrorCode::no_fanout, "'" + node.component + "' has no fan-out '" + node.dimension + "'");
    return static_cast<int>(found - fanouts.begin());
}

void PathBuilder::add_loop(const MappingNode& node) {
    const int variable = path_.einsum->variable_of(node.variable);
    if (variable < 0)
        fail_at(node, ErrorCode::unknown_name,
                "einsum '" + path_.einsum->name + "' has no rank variable '" + node.variable + "'" +
                    did_you_mean(node.variable, path_.einsum->variables));
    Step step{StepKind::loop, &node};
    step.variable = variable;
    double& outside = tiles_[variable];
    step.tile = path_.einsum->extents[variable] == 1 ? 1.0 : node.tile_shape;
    if (step.tile > outside)
        fail_at(node, ErrorCode::bad_value, "a tile that is larger than what is left of '" + node.variable + "' there");
    outside = step.tile;
    if (node.kind == MappingNode::Kind::spatial) {
        step.spatial = true;
        step.component = component_named(node);
        step.fanout = fanout_of(node, step.component);
    }
    add(step);
}

void PathBuilder::refuse_what_is_missing() const {
    const MappingNode& last = *branch_.nodes.back();
    const EinsumSpec& einsum = *path_.einsum;
    for (std::size_t v = 0; v < einsum.variables.size(); ++v)
        if (tiles_[v] > 1.0)
            fail_at(last, ErrorCode::factor_product,
                    "'" + einsum.variables[v] + "' of '" + einsum.name + "' needs a loop of tile shape 1");
    for (std::size_t t = 0; t < einsum.accesses.size(); ++t)
        if (std::ranges::none_of(path_.steps, [&](const Step& step) { return step.tensor == static_cast<int>(t); }))
            fail_at(last, ErrorCode::bad_value,
                    "no memory holds '" + einsum.accesses[t].tensor + "' of '" + einsum.name + "'");
}

void PathBuilder::refuse_too_many_instances() const {
    std::vector<double> outside;
    for (const std::int64_t extent : path_.einsum->extents) outside.push_back(static_cast<double>(extent));
    std::vector<std::pair<std::pair<int, int>, double>> used;
    for (const Step& step : path_.steps) {
        if (step.kind != StepKind::loop) continue;
        double& before = outside[step.variable];
        const double trips = before / step.tile;
        before = step.tile;
        if (!step.spatial) continue;
        const std::pair<int, int> key{step.component, step.fanout};
        auto found = std::ranges::find(used, key, &std::pair<std::pair<int, int>, double>::first);
        if (found == used.end()) found = used.insert(used.end(), {key, 1.0});
        found->second *= trips;
        const Fanout& fanout = path_.component(step.component).fanouts[step.fanout];
        if (found->second > fanout.size)
            fail_at(*step.node, ErrorCode::bad_value, "more instances than '" + fanout.name + "' has");
    }
}

/// Holders with an unplaced reservation.
using Waiting = std::vector<Step>;

void place_waiting(Waiting& waiting, std::vector<Step>& out, const std::function<bool(const Step&)>& which) {
    Waiting rest;
    for (Step& step : waiting) {
        if (!which(step)) {
            rest.push_back(step);
            continue;
        }
        step.kind = StepKind::reserve;
        out.push_back(step);
    }
    waiting = std::move(rest);
}

void pass_loop(const EinsumPath& path, const Step& loop, Waiting& waiting, std::vector<Step>& out) {
    const auto moves = [&](const Step& held) { return relevancy(path.access(held.tensor), loop.variable); };
    if (loop.spatial) {
        place_waiting(waiting, out, [&](const Step& held) { return held.component != loop.component; });
        out.push_back(loop);
        return;
    }
    place_waiting(waiting, out, [&](const Step& held) { return moves(held) == Relevancy::none; });
    out.push_back(loop);
    place_waiting(waiting, out, [&](const Step& held) { return moves(held) == Relevancy::partial; });
}

// Relevant loops over one variable must keep their order.
void refuse_crossing(const EinsumPath& path, const std::vector<Step>& steps, int tensor) {
    for (std::size_t i = 0; i < steps.size(); ++i)
        for (std::size_t j = i + 1; j < steps.size(); ++j) {
            const bool loops = steps[i].kind == StepKind::loop && steps[j].kind == StepKind::loop;
            if (!loops || steps[i].variable != steps[j].variable || steps[i].position < steps[j].position) continue;
            if (relevancy(path.access(tensor), steps[i].variable) != Relevancy::none)
                fail_at(*steps[i].node, ErrorCode::bad_value,
                        "loops over '" + path.einsum->variables[steps[i].variable] + "' change places for '" +
                            path.access(tensor).tensor + "': put the spatial one further in");
        }
}

void sort_runs_of_loops(std::vector<Step>& steps) {
    for (auto begin = steps.begin(); begin != steps.end();) {
        auto end = begin;
        while (end != steps.end() && end->kind == StepKind::loop) ++end;
        std::stable_sort(begin, end, [](const Step& a, const Step& b) { return a.position < b.position; });
        begin = end == steps.end() ? end : end + 1;
    }
}

}  // namespace

std::vector<Branch> branches_of(const MappingTree& tree) {
    std::vector<Branch> branches;
    collect_branches(tree.nodes, {}, branches);
    return branches;
}

EinsumPath path_of(const Workload& workload, const EinsumSpec& einsum, MachineSpec machine, const Branch& branch) {
    return PathBuilder(workload, einsum, std::move(machine), branch).build();
}

std::vector<Step> with_reservations(const EinsumPath& path) {
    std::vector<Step> out;
    Waiting waiting;
    const auto all = [](const Step&) { return true; };
    for (const Step& step : path.steps) {
        if (step.kind == StepKind::loop) {
            pass_loop(path, step, waiting, out);
            continue;
        }
        place_waiting(waiting, out, all);
        out.push_back(step);
        if (step.kind != StepKind::hold) continue;
        waiting.push_back(step);
        if (step.first || path.einsum->is_copy) place_waiting(waiting, out, all);
    }
    return out;
}

std::vector<Step> steps_of_tensor(const EinsumPath& path, const std::vector<Step>& steps, int tensor) {
    std::vector<Step> spatial;
    for (const Step& step : steps)
        if (step.kind == StepKind::loop && step.spatial) spatial.push_back(step);
    const auto place = [&](const Step& step) { return path.place_on_path[step.component]; };
    std::vector<Step> out;
    for (const Step& step : steps) {
        const bool other = step.tensor >= 0 && step.tensor != tensor;
        if (other || (step.kind == StepKind::loop && step.spatial)) continue;
        if (step.kind == StepKind::hold || step.kind == StepKind::compute) {
            const auto belongs_here = [&](const Step& loop) { return place(loop) <= place(step); };
            std::ranges::copy_if(spatial, std::back_inserter(out), belongs_here);
            std::erase_if(spatial, belongs_here);
        }
        out.push_back(step);
    }
    out.insert(out.end(), spatial.begin(), spatial.end());
    sort_runs_of_loops(out);
    refuse_crossing(path, out, tensor);
    return out;
}

}  // namespace tilewright::accelforge
