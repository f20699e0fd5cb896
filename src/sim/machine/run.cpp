#include "sim/machine/run.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "arch/widths.hpp"
#include "sim/dram/device.hpp"

namespace tilewright::sim {
namespace {

/// Lists of the outlets of memories.
constexpr std::size_t kSends = 0;
constexpr std::size_t kLoads = 1;
constexpr std::size_t kStores = 2;

double stretch_of(const Program& program, const Evaluation& evaluation) {
    double stretch = 1.0;
    for (std::size_t m = at(program.floor.element); m < evaluation.memories.size(); ++m) {
        stretch = std::max(stretch, 1.0 / std::max(1e-9, evaluation.memories[m].slowdown));
    }
    return stretch;
}

}  // namespace

Buffers buffers_of(const Architecture& architecture, const Evaluation& evaluation, bool always_doubled) {
    Buffers buffers;
    for (std::size_t m = 0; m < architecture.memories.size(); ++m) {
        const tilewright::Memory& memory = architecture.memories[m];
        const bool roomy = !memory.capacity_words || *memory.capacity_words >= 2 * evaluation.memories[m].used_words;
        buffers.doubled.push_back(always_doubled || roomy || memory.multiple_buffering >= 2.0 ? 1 : 0);
    }
    buffers.doubled.push_back(1);
    return buffers;
}

ReplayRun::ReplayRun(const Einsum& einsum, const Architecture& architecture, const Program& program,
                     const std::vector<std::uint32_t>& steps, const Evaluation& evaluation,
                     const MachineOptions& options, const ReplayControl& control)
    : einsum_(einsum),
      architecture_(architecture),
      program_(program),
      steps_(steps),
      options_(options),
      control_(control),
      buffers_(buffers_of(architecture, evaluation, options.double_buffered)),
      stretch_(stretch_of(program, evaluation)),
      network_(program.floor.mesh, options.router),
      outermost_(einsum, architecture, options),
      elements_(at(program.floor.elements())),
      loads_left_(einsum.tensors.size()),
      drains_left_(einsum.tensors.size()),
      stores_left_(einsum.tensors.size()) {
    for (const tilewright::Memory& memory : architecture.memories) {
        read_ports_.emplace_back(memory.shared_words_per_cycle ? memory.shared_words_per_cycle
                                                               : memory.read_words_per_cycle);
    }
    make_banks(evaluation);
    for (int e = 0; e < program.floor.elements(); ++e)
        outlets_.push_back({node_of_element(e), std::vector<std::deque<JobId>>(1), 0});
    outlets_.push_back({program.floor.node_of_memory(0), std::vector<std::deque<JobId>>(3), 0});
    outlets_.push_back({program.floor.node_of_memory(1), std::vector<std::deque<JobId>>(3), 0});
    is_ready_.assign(outlets_.size(), 0);
    for (std::int64_t s = 0; s < step_count(); ++s) {
        if (!step_at(s).loads.empty()) load_steps_.push_back(s);
    }
}

/// Together they give the port's bandwidth; without one, each gives a flit.
void ReplayRun::make_banks(const Evaluation& evaluation) {
    banks_.resize(architecture_.memories.size());
    for (int m = 1; options_.banks > 0 && m < program_.floor.element; ++m) {
        const tilewright::Memory& memory = architecture_.memories[at(m)];
        if (memory.spreads_only) continue;
        const std::optional<double> pace =
            memory.shared_words_per_cycle ? memory.shared_words_per_cycle : memory.read_words_per_cycle;
        const double row = pace ? *pace / options_.banks
                                : static_cast<double>(options_.flit_bits) / static_cast<double>(memory.word_bits);
        std::vector<double> words;
        for (std::size_t t = 0; t < einsum_.tensors.size(); ++t) {
            const auto tile = static_cast<double>(evaluation.memories[at(m)].tensors[t].tile_words);
            const int tiles = buffers_.doubled[at(m)] != 0 ? 2 : 1;
            words.push_back(tile * tiles * bandwidth_share(einsum_.tensors[t], memory));
        }
        banks_[at(m)].emplace(options_.banks, std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(row))),
                              words);
    }
}

int ReplayRun::node_of_element(int element) const { return program_.floor.node_of_element(element); }

ReplayResult ReplayRun::run() {
    issue_loads();
    issue_steps();
    settle_steps();
    bool flushed = false;
    for (std::int64_t turn = 0;; ++turn) {
        if ((turn & 1023) == 0) {
            const bool stopped = control_.stop != nullptr && control_.stop->requested();
            if (stopped || (control_.most_cycles && clock() > *control_.most_cycles)) {
                interrupted_ = true;
                break;
            }
            if (control_.progress)
                control_.progress(retired_ + skipped_steps_, static_cast<std::int64_t>(steps_.size()));
        }
        if (finished()) {
            if (!std::exchange(flushed, true)) outermost_.flush();
            if (outermost_.settled()) break;
        }
        look_for_repetition();
        const bool computed = finish_computations();
        settle_steps();
        if (control_.trace) sample();
        outermost_.step(network_.now());
        const bool pushed = push_out();
        if (!computed && !pushed && network_.idle()) {
            skip_idle();
            continue;
        }
        network_.step();
        pass(1);
        for (const Arrival& arrival : network_.arrivals()) arrive(arrival);
        settle_steps();
    }
    return result();
}

bool ReplayRun::finished() const { return retired_ == step_count() && jobs_alive_ == 0; }

/// The mesh is idle: skips to the next end of a computation or access.
void ReplayRun::skip_idle() {
    Cycle next = outermost_.next_event(network_.now());
    if (!finishing_.empty()) next = std::min(next, finishing_.top().at);
    for (const Pace& port : read_ports_) {
        if (port.free_at() > network_.now()) next = std::min(next, port.free_at());
    }
    for (const std::optional<Banks>& banks : banks_) {
        const Cycle free = banks ? banks->next_free(network_.now()) : 0;
        if (free > 0) next = std::min(next, free);
    }
    if (next != std::numeric_limits<Cycle>::max()) {
        nothing_next_ = 0;
    } else if (++nothing_next_ > 2) {
        throw std::logic_error("the simulated machine waits for itself");
    } else {
        next = network_.now() + 1;  // this cycle's data is visible in the next one
    }
    next = std::max(next, network_.now() + 1);
    pass(next - network_.now());
    network_.skip_to(next);
}

void ReplayRun::pass(Cycle cycles) {
    waited_[static_cast<std::size_t>(holdup_ ? holdup_->why : Wait::flight)] += cycles;
}

void ReplayRun::issue_steps() {
    while (issued_ < step_count() && issued_ < retired_ + kStepsAhead) issue(issued_++);
}

void ReplayRun::issue(std::int64_t step) {
    const Step& what = step_at(step);
    Live& live = live_[step];
    live.missing.assign(elements_.size(), 0);
    live.works.assign(elements_.size(), 0);
    for (const int element : program_.groups[at(what.working)]) live.works[at(element)] = 1;
    live.elements_left = static_cast<int>(elements_.size());
    for (const Transfer& transfer : what.sends) {
        const Flow& flow = program_.flows[at(transfer.flow)];
        std::vector<int> nodes;
        for (const int element : program_.groups[at(transfer.group)]) {
            ++live.missing[at(element)];
            nodes.push_back(node_of_element(element));
        }
        const JobId job =
            new_job(Job::Kind::send, step, transfer, program_.floor.node_of_memory(flow.outer), std::move(nodes));
        enqueue(outlets_[elements_.size() + (flow.outer == 0 ? 0 : 1)], kSends, job);
    }
    for (std::size_t e = 0; e < elements_.size(); ++e) {
        if (elements_[e].done != step) continue;
        waited_for_others(elements_[e]);
        try_start(static_cast<int>(e));
    }
}

/// Loads run ahead of the steps: a tile arrives while its predecessor is in use.
void ReplayRun::issue_loads() {
    while (loads_issued_ < load_steps_.size()) {
        const bool for_issued_step = load_step(loads_issued_) < retired_ + kStepsAhead;
        const bool is_next = loads_issued_ < 2 || retired_ >= load_step(loads_issued_ - 2);
        const bool soon = for_issued_step || is_next;
        if (!soon) return;
        const std::int64_t step = load_step(loads_issued_++);
        for (const Transfer& transfer : step_at(step).loads) {
            const Flow& flow = program_.flows[at(transfer.flow)];
            const bool from_outermost = flow.outer == 0;
            const JobId job =
                new_job(Job::Kind::load, step, transfer, from_outermost ? program_.floor.node_of_memory(0) : -1,
                        {program_.floor.node_of_memory(1)});
            ++loads_left_[at(flow.tensor)][step];
            enqueue(outlets_[elements_.size() + (from_outermost ? 0 : 1)], kLoads, job);
        }
    }
}

void ReplayRun::retire_steps() {
    while (!live_.empty() && live_.begin()->second.elements_left == 0 && live_.begin()->first == retired_) {
        const Step& what = step_at(retired_);
        for (const Transfer& transfer : what.stores) {
            const Flow& flow = program_.flows[at(transfer.flow)];
            const bool to_outermost = flow.outer == 0;
            const JobId job =
                new_job(Job::Kind::store, retired_, transfer, to_outermost ? program_.floor.node_of_memory(1) : -1,
                        {program_.floor.node_of_memory(flow.outer)});
            ++stores_left_[at(flow.tensor)][retired_];
            enqueue(outlets_[elements_.size() + 1], kStores, job);
        }
        live_.erase(live_.begin());
        step_retired(retired_++);
        if (retired_ % program_.outer_period == 0) iteration_ends_.push_back(network_.now());
    }
    issue_loads();
    issue_steps();
}

/// Elements without work pass a step at once, so one end of a step may bring the next.
void ReplayRun::settle_steps() {
    while (std::exchange(element_advanced_, false)) retire_steps();
}

// ---- what is told

std::string ReplayRun::name_of(const Job& job) const {
    const char* const kinds[] = {"load ", "send ", "result ", "store "};
    return kinds[static_cast<std::size_t>(job.kind)] + einsum_.tensors[at(flow_of(job).tensor)].name + ", step " +
           std::to_string(job.step + skipped_steps_);
}

PacketSeen ReplayRun::seen(const Job& job, std::size_t destination, const Arrival& arrival) const {
    const bool drains = job.kind == Job::Kind::drain;
    const int element = drains ? program_.groups[at(job.transfer.group)][job.hop] : 0;
    return {.kind = static_cast<PacketSeen::Kind>(job.kind),
            .step = job.step,
            .flow = job.transfer.flow,
            .group = job.transfer.group,
            .hop = static_cast<int>(job.hop),
            .number = job.source < 0 ? job.sent : job.packets - job.left[destination],
            .source = job.source < 0          ? arrival.node
                      : drains && !job.merges ? node_of_element(element)
                                              : job.source,
            .destination = arrival.node,
            .outermost = flow_of(job).outer == 0,
            .arrival = arrival};
}

/// At most one sample per hundred cycles.
void ReplayRun::sample() {
    constexpr Cycle kApart = 100;
    if (!occupancy_.empty() && clock() < occupancy_.back().at + kApart) return;
    if (occupancy_.size() < kMostTraceEvents) {
        occupancy_.push_back({clock(), jobs_alive_, static_cast<int>(finishing_.size())});
    }
}

void ReplayRun::record(const std::string& track, const std::string& name, Cycle begin, Cycle end, int element) {
    if (!control_.trace) return;
    if (trace_.size() >= kMostTraceEvents) {
        trace_complete_ = false;
        return;
    }
    trace_.push_back({track, name, begin, end, element});
}

/// Elements are named as in the link picture.
void ReplayRun::record_step(int element, Cycle cycles) {
    if (!control_.trace) return;
    const int columns = program_.floor.placed_x;
    record("element (" + std::to_string(element % columns) + "," + std::to_string(element / columns) + ")",
           "step " + std::to_string(elements_[at(element)].done + skipped_steps_), clock(), clock() + cycles, element);
}

/// Source of a job's words.
std::string ReplayRun::track_of(const Job& job) const {
    if (job.source < 0) return "memory to memory";
    if (job.source == program_.floor.node_of_memory(0)) return architecture_.memories.front().name;
    if (job.kind == Job::Kind::drain) return "results";
    return architecture_.memories[at(std::max(1, flow_of(job).outer))].name;
}

ReplayResult ReplayRun::result() const {
    ReplayResult result;
    result.cycles = clock();
    result.simulated_cycles = network_.now();
    result.extrapolated = skipped_cycles_ > 0;
    result.steps = static_cast<std::int64_t>(steps_.size());
    result.steps_done = retired_ + skipped_steps_;
    result.interrupted = interrupted_;
    result.elements = time_;
    for (const Element& one : elements_)  // interrupted run: the missing computation
        result.elements.computing -= std::max<Cycle>(0, one.busy_until - network_.now());
    result.elements.other = clock() * static_cast<std::int64_t>(elements_.size()) - result.elements.computing -
                            time_.waiting_for_words - time_.waiting_for_others;
    for (int node = 0; node < network_.mesh().nodes(); ++node) {
        for (int port = 0; port < kPorts; ++port) result.flits.push_back(network_.flits_through(node, port));
    }
    for (std::size_t i = 0; i < result.flits.size() && !skipped_counts_.empty(); ++i)
        result.flits[i] += skipped_counts_[2 + i];
    result.draining = interrupted_ ? 0 : network_.now() - last_computed_;
    result.iteration_ends = iteration_ends_;
    result.packets = packets_;
    result.bank_conflicts = bank_conflicts_;
    result.dram_reads = outermost_.reads() + (skipped_counts_.empty() ? 0 : skipped_counts_[0]);
    result.dram_writes = outermost_.writes() + (skipped_counts_.empty() ? 0 : skipped_counts_[1]);
    result.dram = outermost_.counts();
    result.dram_energy_pj = outermost_.energy_pj();
    result.trace = trace_;
    result.occupancy = occupancy_;
    result.trace_complete = trace_complete_;
    return result;
}

}  // namespace tilewright::sim
