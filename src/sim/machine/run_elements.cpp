// Elements of a run: computations and departing results.
#include <cmath>
#include <utility>

#include "sim/dram/device.hpp"
#include "sim/machine/run.hpp"
#include "sim/noc/mesh.hpp"

namespace tilewright::sim {
void ReplayRun::arrived_at_element(std::int64_t step, int element) {
    --live_.at(step).missing[at(element)];
    if (elements_[at(element)].done == step) try_start(element);
}

void ReplayRun::try_start(int element) {
    Element& one = elements_[at(element)];
    while (one.busy_until < 0) {
        const auto live = live_.find(one.done);
        if (live == live_.end() || live->second.missing[at(element)] > 0) return;
        if (live->second.works[at(element)] != 0) {
            wait_ended(one);
            const auto cycles =
                static_cast<Cycle>(std::ceil(static_cast<double>(step_at(one.done).compute_cycles) * stretch_ - 1e-9));
            one.busy_until = network_.now() + cycles;
            time_.computing += cycles;
            record_step(element, cycles);
            finishing_.push({one.busy_until, element});
            return;
        }
        waited_for_others(one);
        one.sat_out = one.done;
        element_done(element);
    }
}

/// It waited for other elements: its next step was not issued, or they were at one without work for it.
void ReplayRun::waited_for_others(Element& one) {
    one.for_others += network_.now() - one.due_since;
    one.due_since = network_.now();
    one.waited_before = waited_;
}

/// From now on the elements without work in it wait for words.
void ReplayRun::step_retired(std::int64_t step) {
    for (Element& one : elements_)
        if (one.sat_out == step && one.busy_until < 0) waited_for_others(one);
}

void ReplayRun::wait_ended(Element& one) {
    if (one.sat_out >= retired_) waited_for_others(one);
    const Cycle waited = network_.now() - one.due_since;
    time_.waiting_for_words += waited;
    time_.waiting_for_others += std::exchange(one.for_others, 0);
    if (!std::exchange(one.worked, true)) {
        time_.filling += waited;
        ++time_.working;
        return;
    }
    for (std::size_t why = 0; why < kWaits; ++why) time_.waits[why] += waited_[why] - one.waited_before[why];
}

bool ReplayRun::finish_computations() {
    bool any = false;
    while (!finishing_.empty() && finishing_.top().at <= network_.now()) {
        const int element = finishing_.top().element;
        finishing_.pop();
        last_computed_ = elements_[at(element)].busy_until;
        elements_[at(element)].busy_until = -1;
        element_done(element);
        try_start(element);
        any = true;
    }
    return any;
}

void ReplayRun::element_done(int element) {
    Element& one = elements_[at(element)];
    const std::int64_t step = one.done++;
    element_advanced_ = true;
    one.due_since = network_.now();
    one.waited_before = waited_;
    if (--live_.at(step).elements_left == 0) create_drains(step);
}

/// Results leave when all elements have finished the step.
void ReplayRun::create_drains(std::int64_t step) {
    for (const Transfer& transfer : step_at(step).drains) {
        const Flow& flow = program_.flows[at(transfer.flow)];
        const std::vector<int>& group = program_.groups[at(transfer.group)];
        if (options_.reduce_in_network && group.size() > 1) {
            create_tree(step, transfer);
            continue;
        }
        std::vector<int> nodes;
        for (std::size_t i = 1; i < group.size(); ++i) nodes.push_back(node_of_element(group[i]));
        nodes.push_back(program_.floor.node_of_memory(flow.outer));
        const JobId job = new_job(Job::Kind::drain, step, transfer, node_of_element(group.front()), std::move(nodes));
        ++drains_left_[at(flow.tensor)][step];
        start_drain(job);
    }
}

/// One job per tree edge, nearest to the memory first.
void ReplayRun::create_tree(std::int64_t step, const Transfer& transfer) {
    const Flow& flow = program_.flows[at(transfer.flow)];
    const Mesh& mesh = network_.mesh();
    const int memory = program_.floor.node_of_memory(flow.outer);
    std::vector<int> sources;
    for (const int element : program_.groups[at(transfer.group)]) sources.push_back(node_of_element(element));
    std::vector<JobId> ways;
    for (const ReductionTree::Vertex& vertex : reduction_tree(mesh, sources, memory).vertices) {
        const JobId onward = vertex.parent < 0 ? -1 : ways[at(vertex.parent)];
        const int end = onward < 0 ? memory : jobs_[at(onward)].source;
        const JobId id = new_job(Job::Kind::drain, step, transfer, vertex.node, {end});
        Job& job = jobs_[at(id)];
        job.merges = true;
        job.onward = onward;
        if (onward >= 0) {
            job.place = jobs_[at(onward)].came.size();
            jobs_[at(onward)].came.push_back(0);
        }
        ways.push_back(id);
        const int element = mesh.y(vertex.node) * program_.floor.placed_x + mesh.x(vertex.node);
        enqueue(outlets_[at(element)], 0, id);
    }
    ++drains_left_[at(flow.tensor)][step];
}

void ReplayRun::start_drain(JobId id) {
    Job& job = jobs_[at(id)];
    job.words_left = job.transfer.words;
    const int element = program_.groups[at(job.transfer.group)][job.hop];
    enqueue(outlets_[at(element)], 0, id);
}

}  // namespace tilewright::sim
