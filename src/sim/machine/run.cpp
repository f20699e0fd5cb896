#include "sim/machine/run.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "arch/widths.hpp"
#include "base/checked.hpp"
#include "sim/noc/reduction.hpp"

namespace tilewright::sim {
namespace {

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

/// Packets that wait at a terminal: enough to keep its link busy.
constexpr std::int64_t kPacketsAhead = 2;
constexpr std::size_t kFetchedAhead = 4;

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

Run::Run(const Einsum& einsum, const Architecture& architecture, const Program& program,
         const std::vector<std::uint32_t>& steps, const Evaluation& evaluation, const MachineOptions& options,
         const ReplayControl& control)
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

/// Together they give what the port gives; where that is not said, each gives a flit.
void Run::make_banks(const Evaluation& evaluation) {
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

int Run::node_of_element(int element) const { return program_.floor.node_of_element(element); }

ReplayResult Run::run() {
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

bool Run::finished() const { return retired_ == step_count() && jobs_alive_ == 0; }

/// Nothing moves on the mesh: on to the next computation that ends, or access that is done.
void Run::skip_idle() {
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
        next = network_.now() + 1;  // what came from the memory in this cycle is seen in the next one
    }
    next = std::max(next, network_.now() + 1);
    pass(next - network_.now());
    network_.skip_to(next);
}

void Run::pass(Cycle cycles) { waited_[static_cast<std::size_t>(holdup_ ? holdup_->why : Wait::flight)] += cycles; }

// ---- steps

void Run::issue_steps() {
    while (issued_ < step_count() && issued_ < retired_ + kStepsAhead) issue(issued_++);
}

void Run::issue(std::int64_t step) {
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

/// Loads run ahead of the steps: a tile comes while the one before it is used.
void Run::issue_loads() {
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

void Run::retire_steps() {
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

/// Elements that have nothing to do in a step pass it at once, so that one end of a step may bring the next.
void Run::settle_steps() {
    while (std::exchange(element_advanced_, false)) retire_steps();
}

// ---- jobs

Run::JobId Run::new_job(Job::Kind kind, std::int64_t step, const Transfer& transfer, int source,
                        std::vector<int> destinations) {
    if (free_jobs_.empty()) {
        free_jobs_.push_back(static_cast<JobId>(jobs_.size()));
        jobs_.emplace_back();
    }
    const JobId id = free_jobs_.back();
    free_jobs_.pop_back();
    Job& job = jobs_[at(id)];
    job = {};
    job.kind = kind;
    job.step = step;
    job.transfer = transfer;
    job.source = source;
    job.destinations = std::move(destinations);
    job.words_left = transfer.words;
    const std::int64_t packets = ceil_div(transfer.words, packet_words(job));
    job.packets = packets;
    job.left.assign(job.destinations.size(), packets);
    job.tails_left = packets * static_cast<std::int64_t>(job.destinations.size());
    ++jobs_alive_;
    return id;
}

void Run::enqueue(Outlet& outlet, std::size_t list, JobId job) {
    outlet.lists[list].push_back(job);
    const auto index = static_cast<int>(&outlet - outlets_.data());
    if (is_ready_[at(index)] != 0) return;
    is_ready_[at(index)] = 1;
    ready_outlets_.push_back(index);
}

std::int64_t Run::word_bits_of(const Job& job) const {
    const Flow& flow = flow_of(job);
    return bits_of(einsum_.tensors[at(flow.tensor)], architecture_.memories[at(flow.outer)].word_bits);
}

std::int64_t Run::packet_words(const Job& job) const {
    const std::int64_t word_bits = word_bits_of(job);
    const std::int64_t payload = static_cast<std::int64_t>(options_.packet_flits - 1) * options_.flit_bits;
    return std::max<std::int64_t>(1, payload / std::max<std::int64_t>(1, word_bits));
}

bool Run::may_start(const Job& job) const {
    const int tensor = flow_of(job).tensor;
    switch (job.kind) {
        case Job::Kind::load: return may_load(job);
        case Job::Kind::send: return room_at_elements(job) && loaded(job);
        case Job::Kind::drain: return true;
        case Job::Kind::store: return written_before(drains_left_[at(tensor)], job.step + 1);
    }
    return true;
}

/// What keeps a job that may not start from it; nothing when that is another job, which has its own reason.
std::optional<Wait> Run::why_not_started(const Job& job) const {
    const Flow& flow = flow_of(job);
    if (job.kind == Job::Kind::store) return Wait::sums;
    if (job.kind == Job::Kind::send) {
        if (!loaded(job)) return std::nullopt;
        return flow.result && !written_before(drains_left_[at(flow.tensor)], job.step - 1) ? Wait::sums : Wait::room;
    }
    if (flow.outer != 0 && !written_before(loads_left_[at(flow.tensor)], job.step)) return std::nullopt;
    return flow.result && !stores_left_[at(flow.tensor)].empty() ? Wait::sums : Wait::room;
}

/// A memory holds the tile in use and, with room for two, the next one. Partial sums have to be there before they are
/// read.
bool Run::may_load(const Job& job) const {
    const Flow& flow = flow_of(job);
    const auto place =
        std::lower_bound(load_steps_.begin(), load_steps_.end(), job.step + skipped_steps_) - load_steps_.begin();
    const std::int64_t back = buffers_.doubled[at(flow.inner)] != 0 ? 2 : 1;
    // The tile `back` loads ago is in use until the step of the one after it.
    const std::int64_t free_from = place >= back ? load_step(at(place - back + 1)) : 0;
    if (retired_ < free_from) return false;
    if (flow.result && !written_before(stores_left_[at(flow.tensor)], free_from)) return false;
    // Further out, the words have to be there first.
    return flow.outer == 0 || written_before(loads_left_[at(flow.tensor)], job.step);
}

bool Run::room_at_elements(const Job& job) const {
    const Flow& flow = flow_of(job);
    const std::int64_t needed = buffers_.doubled[at(flow.inner)] != 0 ? job.step - 1 : job.step;
    for (const int element : program_.groups[at(job.transfer.group)]) {
        if (elements_[at(element)].done < needed) return false;
    }
    return !flow.result || written_before(drains_left_[at(flow.tensor)], job.step - 1);
}

bool Run::loaded(const Job& job) const {
    return flow_of(job).outer == 0 || written_before(loads_left_[at(flow_of(job).tensor)], job.step + 1);
}

/// Nothing of an earlier step is outstanding.
bool Run::written_before(const std::map<std::int64_t, int>& outstanding, std::int64_t step) const {
    return outstanding.empty() || outstanding.begin()->first >= step;
}

// ---- what leaves the nodes

bool Run::push_out() {
    bool pushed = false;
    holdup_.reset();
    for (std::size_t i = 0; i < ready_outlets_.size();) {
        Outlet& outlet = outlets_[at(ready_outlets_[i])];
        pushed = push_out(outlet) || pushed;
        const bool empty =
            std::all_of(outlet.lists.begin(), outlet.lists.end(), [](const auto& list) { return list.empty(); });
        if (!empty) {
            ++i;
            continue;
        }
        is_ready_[at(ready_outlets_[i])] = 0;
        ready_outlets_[i] = ready_outlets_.back();
        ready_outlets_.pop_back();
    }
    return pushed;
}

/// Of what the memories have to send, the oldest step's is what elements wait for.
void Run::hold_up(const Outlet& outlet, const Job& job, Wait why) {
    const bool of_memory = at(&outlet - outlets_.data()) >= elements_.size();
    if (of_memory && (!holdup_ || job.step < holdup_->step)) holdup_ = {job.step, why};
}

bool Run::push_out(Outlet& outlet) {
    if (network_.packets_waiting(outlet.node) >= kPacketsAhead) {
        for (const std::deque<JobId>& list : outlet.lists)
            if (!list.empty()) hold_up(outlet, jobs_[at(list.front())], Wait::links);
        return false;
    }
    for (std::size_t i = 0; i < outlet.lists.size(); ++i) {
        std::deque<JobId>& list = outlet.lists[(outlet.turn + i) % outlet.lists.size()];
        if (list.empty()) continue;
        prefetch(list);
        if (!has_come(jobs_[at(list.front())])) advance_one_that_has_come(list);
        if (!push_packet(outlet, list)) continue;
        outlet.turn = (outlet.turn + i + 1) % outlet.lists.size();
        return true;
    }
    return false;
}

/// What comes from the outermost memory is asked for before its turn.
void Run::prefetch(const std::deque<JobId>& list) {
    for (std::size_t i = 0; i < std::min(list.size(), kFetchedAhead); ++i) {
        Job& job = jobs_[at(list[i])];
        const bool reads = (job.kind == Job::Kind::load || job.kind == Job::Kind::send) && flow_of(job).outer == 0;
        if (!reads || job.fetching) continue;
        if (!may_start(job)) return;
        if (free_streams_.empty()) free_streams_.push_back(streams_++);
        job.stream = free_streams_.back();
        free_streams_.pop_back();
        job.fetching = true;
        outermost_.fetch(job.stream, flow_of(job).tensor, job.transfer.words);
    }
}

/// Takes the next words from where they come; or says what keeps them.
std::optional<Wait> Run::taken_from_source(Job& job, std::int64_t words) {
    if (job.kind == Job::Kind::drain) return std::nullopt;
    const Flow& flow = flow_of(job);
    if (job.kind == Job::Kind::store) return taken_from_memory(job, at(flow.inner), words);
    if (flow.outer != 0) return taken_from_memory(job, at(flow.outer), words);
    if (outermost_.take(job.stream, flow.tensor, words, network_.now())) return std::nullopt;
    return Wait::outermost;
}

std::optional<Wait> Run::taken_from_memory(Job& job, std::size_t memory, std::int64_t words) {
    const int tensor = flow_of(job).tensor;
    Pace& port = read_ports_[memory];
    if (!port.free(network_.now())) return Wait::memories;
    if (banks_[memory]) {
        const double taken = memory_words(job, static_cast<int>(memory), words);
        if (!banks_[memory]->free(network_.now(), tensor, taken)) {
            if (!std::exchange(job.waited_for_bank, true)) ++bank_conflicts_;
            return Wait::banks;
        }
        banks_[memory]->read(network_.now(), tensor, taken);
        job.waited_for_bank = false;
    }
    port.use(network_.now(), words, bandwidth_share(einsum_.tensors[at(tensor)], architecture_.memories[memory]));
    return std::nullopt;
}

double Run::memory_words(const Job& job, int memory, std::int64_t words) const {
    const Tensor& tensor = einsum_.tensors[at(flow_of(job).tensor)];
    return static_cast<double>(words) * bandwidth_share(tensor, architecture_.memories[at(memory)]);
}

/// The number-th packet of a job, from 1, reached a memory.
void Run::written_to_banks(const Job& job, int memory, std::int64_t number) {
    if (!banks_[at(memory)]) return;
    const std::int64_t before = (number - 1) * packet_words(job);
    const std::int64_t words = std::min(packet_words(job), job.transfer.words - before);
    banks_[at(memory)]->write(network_.now(), flow_of(job).tensor, memory_words(job, memory, words));
}

/// The counterparts of its next packet are here.
bool Run::has_come(const Job& job) const {
    return std::all_of(job.came.begin(), job.came.end(), [&](std::int64_t came) { return came > job.sent; });
}

/// Trees do not wait for each other.
void Run::advance_one_that_has_come(std::deque<JobId>& list) const {
    const auto found = std::find_if(list.begin(), list.end(), [&](JobId id) { return has_come(jobs_[at(id)]); });
    if (found != list.end()) std::rotate(list.begin(), found, found + 1);
}

bool Run::push_packet(Outlet& outlet, std::deque<JobId>& list) {
    const JobId id = list.front();
    Job& job = jobs_[at(id)];
    if (job.begin < 0 && !may_start(job)) {
        if (const std::optional<Wait> why = why_not_started(job)) hold_up(outlet, job, *why);
        return false;
    }
    if (!has_come(job)) return false;
    const std::int64_t words = std::min(packet_words(job), job.words_left);
    if (const std::optional<Wait> why = taken_from_source(job, words)) {
        hold_up(outlet, job, *why);
        return false;
    }
    hold_up(outlet, job, Wait::links);
    if (job.begin < 0) job.begin = clock();
    job.words_left -= words;
    ++job.sent;
    if (job.words_left == 0) list.pop_front();
    if (job.source < 0) {  // from one memory to another at the same place: the port of the sender is all there is
        written_to_banks(job, job.kind == Job::Kind::store ? flow_of(job).outer : flow_of(job).inner, job.sent);
        if (control_.packets) {
            const Cycle now = network_.now();
            control_.packets(seen(job, 0, {static_cast<std::uint64_t>(id), outlet.node, 0, now, now, now, now}));
        }
        if (job.words_left == 0) finish_job(id);
        return true;
    }
    const std::int64_t word_bits = word_bits_of(job);
    const auto flits = 1 + static_cast<int>(ceil_div(words * word_bits, options_.flit_bits));
    const bool drains = job.kind == Job::Kind::drain;
    network_.send({outlet.node, drains ? std::vector<int>{job.destinations[job.hop]} : job.destinations,
                   std::min(flits, options_.packet_flits), static_cast<std::uint64_t>(id)});
    ++packets_;
    return true;
}

void Run::arrive(const Arrival& arrival) {
    const auto id = static_cast<JobId>(arrival.tag);
    Job& job = jobs_[at(id)];
    const auto index =
        job.kind == Job::Kind::drain
            ? job.hop
            : static_cast<std::size_t>(std::find(job.destinations.begin(), job.destinations.end(), arrival.node) -
                                       job.destinations.begin());
    const bool complete_there = --job.left[index] == 0;
    if (control_.packets) control_.packets(seen(job, index, arrival));
    const bool complete = --job.tails_left == 0;
    const bool into_memory = job.kind != Job::Kind::send && job.onward < 0 && index + 1 == job.left.size();
    if (into_memory) {
        written_to_banks(job, job.kind == Job::Kind::load ? flow_of(job).inner : flow_of(job).outer,
                         job.packets - job.left[index]);
    }
    if (job.onward >= 0) ++jobs_[at(job.onward)].came[job.place];
    if (job.merges) {
        if (complete) finish_job(id);
        return;
    }
    if (job.kind == Job::Kind::send && complete_there) {
        const int element = program_.groups[at(job.transfer.group)][index];
        arrived_at_element(job.step, element);
    }
    if (job.kind == Job::Kind::drain && complete_there && !complete) {
        ++job.hop;
        start_drain(id);
        return;
    }
    if (complete) finish_job(id);
}

void Run::finish_job(JobId id) {
    Job& job = jobs_[at(id)];
    const Flow& flow = flow_of(job);
    const auto tick_off = [&](std::map<std::int64_t, int>& left) {
        const auto found = left.find(job.step);
        if (--found->second == 0) left.erase(found);
    };
    if (job.kind == Job::Kind::load) tick_off(loads_left_[at(flow.tensor)]);
    const bool at_the_memory = job.onward < 0;
    if (job.kind == Job::Kind::drain && at_the_memory) tick_off(drains_left_[at(flow.tensor)]);
    if (job.kind == Job::Kind::store) tick_off(stores_left_[at(flow.tensor)]);
    const bool written_out =
        (job.kind == Job::Kind::store || job.kind == Job::Kind::drain) && flow.outer == 0 && at_the_memory;
    if (written_out) outermost_.write(flow.tensor, job.transfer.words, network_.now());
    if (job.stream >= 0) free_streams_.push_back(job.stream);
    record(track_of(job), name_of(job), job.begin, clock());
    --jobs_alive_;
    free_jobs_.push_back(id);
}

// ---- elements

void Run::arrived_at_element(std::int64_t step, int element) {
    --live_.at(step).missing[at(element)];
    if (elements_[at(element)].done == step) try_start(element);
}

void Run::try_start(int element) {
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

/// Until now it waited for other elements: its next step was not issued yet, or they were at one that it sat out.
void Run::waited_for_others(Element& one) {
    one.for_others += network_.now() - one.due_since;
    one.due_since = network_.now();
    one.waited_before = waited_;
}

/// From now on those that sat it out wait for words.
void Run::step_retired(std::int64_t step) {
    for (Element& one : elements_)
        if (one.sat_out == step && one.busy_until < 0) waited_for_others(one);
}

void Run::wait_ended(Element& one) {
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

bool Run::finish_computations() {
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

void Run::element_done(int element) {
    Element& one = elements_[at(element)];
    const std::int64_t step = one.done++;
    element_advanced_ = true;
    one.due_since = network_.now();
    one.waited_before = waited_;
    if (--live_.at(step).elements_left == 0) create_drains(step);
}

/// Results leave when all elements have done the step.
void Run::create_drains(std::int64_t step) {
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

/// A job for every way of the tree, those near the memory first.
void Run::create_tree(std::int64_t step, const Transfer& transfer) {
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

/// The next hop of the chain.
void Run::start_drain(JobId id) {
    Job& job = jobs_[at(id)];
    job.words_left = job.transfer.words;
    const int element = program_.groups[at(job.transfer.group)][job.hop];
    enqueue(outlets_[at(element)], 0, id);
}

// ---- what is told

std::string Run::name_of(const Job& job) const {
    const char* const kinds[] = {"load ", "send ", "result ", "store "};
    return kinds[static_cast<std::size_t>(job.kind)] + einsum_.tensors[at(flow_of(job).tensor)].name + ", step " +
           std::to_string(job.step + skipped_steps_);
}

PacketSeen Run::seen(const Job& job, std::size_t destination, const Arrival& arrival) const {
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
void Run::sample() {
    constexpr Cycle kApart = 100;
    if (!occupancy_.empty() && clock() < occupancy_.back().at + kApart) return;
    if (occupancy_.size() < kMostTraceEvents) {
        occupancy_.push_back({clock(), jobs_alive_, static_cast<int>(finishing_.size())});
    }
}

void Run::record(const std::string& track, const std::string& name, Cycle begin, Cycle end, int element) {
    if (!control_.trace) return;
    if (trace_.size() >= kMostTraceEvents) {
        trace_complete_ = false;
        return;
    }
    trace_.push_back({track, name, begin, end, element});
}

/// Elements are called as in the picture of the links.
void Run::record_step(int element, Cycle cycles) {
    if (!control_.trace) return;
    const int columns = program_.floor.placed_x;
    record("element (" + std::to_string(element % columns) + "," + std::to_string(element / columns) + ")",
           "step " + std::to_string(elements_[at(element)].done + skipped_steps_), clock(), clock() + cycles, element);
}

/// Where the words of a job come from.
std::string Run::track_of(const Job& job) const {
    if (job.source < 0) return "memory to memory";
    if (job.source == program_.floor.node_of_memory(0)) return architecture_.memories.front().name;
    if (job.kind == Job::Kind::drain) return "results";
    return architecture_.memories[at(std::max(1, flow_of(job).outer))].name;
}

ReplayResult Run::result() const {
    ReplayResult result;
    result.cycles = clock();
    result.simulated_cycles = network_.now();
    result.extrapolated = skipped_cycles_ > 0;
    result.steps = static_cast<std::int64_t>(steps_.size());
    result.steps_done = retired_ + skipped_steps_;
    result.interrupted = interrupted_;
    result.elements = time_;
    for (const Element& one : elements_)  // of a run that was interrupted: what is not computed yet
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
