// Departures from the nodes of a run, packet by packet.
#include <algorithm>
#include <utility>

#include "arch/widths.hpp"
#include "base/numbers/checked.hpp"
#include "sim/dram/device.hpp"
#include "sim/machine/run.hpp"

namespace tilewright::sim {
namespace {

/// Packets queued at a terminal: enough to keep its link busy.
constexpr std::int64_t kPacketsAhead = 2;
constexpr std::size_t kFetchedAhead = 4;

}  // namespace

bool ReplayRun::push_out() {
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

/// Among the memories' pending transfers, elements wait for the oldest step's.
void ReplayRun::hold_up(const Outlet& outlet, const Job& job, Wait why) {
    const bool of_memory = at(&outlet - outlets_.data()) >= elements_.size();
    if (of_memory && (!holdup_ || job.step < holdup_->step)) holdup_ = {job.step, why};
}

bool ReplayRun::push_out(Outlet& outlet) {
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

/// Fetches from the outermost memory ahead of the turn.
void ReplayRun::prefetch(const std::deque<JobId>& list) {
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

/// Takes the next words from their source, or returns the cause of the delay.
std::optional<Wait> ReplayRun::taken_from_source(Job& job, std::int64_t words) {
    if (job.kind == Job::Kind::drain) return std::nullopt;
    const Flow& flow = flow_of(job);
    if (job.kind == Job::Kind::store) return taken_from_memory(job, at(flow.inner), words);
    if (flow.outer != 0) return taken_from_memory(job, at(flow.outer), words);
    if (outermost_.take(job.stream, flow.tensor, words, network_.now())) return std::nullopt;
    return Wait::outermost;
}

std::optional<Wait> ReplayRun::taken_from_memory(Job& job, std::size_t memory, std::int64_t words) {
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

double ReplayRun::memory_words(const Job& job, int memory, std::int64_t words) const {
    const Tensor& tensor = einsum_.tensors[at(flow_of(job).tensor)];
    return static_cast<double>(words) * bandwidth_share(tensor, architecture_.memories[at(memory)]);
}

/// Packet `number` of a job, from 1, reached a memory.
void ReplayRun::written_to_banks(const Job& job, int memory, std::int64_t number) {
    if (!banks_[at(memory)]) return;
    const std::int64_t before = (number - 1) * packet_words(job);
    const std::int64_t words = std::min(packet_words(job), job.transfer.words - before);
    banks_[at(memory)]->write(network_.now(), flow_of(job).tensor, memory_words(job, memory, words));
}

/// The counterparts of its next packet have arrived.
bool ReplayRun::has_come(const Job& job) const {
    return std::all_of(job.came.begin(), job.came.end(), [&](std::int64_t came) { return came > job.sent; });
}

/// Trees do not wait for each other.
void ReplayRun::advance_one_that_has_come(std::deque<JobId>& list) const {
    const auto found = std::find_if(list.begin(), list.end(), [&](JobId id) { return has_come(jobs_[at(id)]); });
    if (found != list.end()) std::rotate(list.begin(), found, found + 1);
}

bool ReplayRun::push_packet(Outlet& outlet, std::deque<JobId>& list) {
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
    if (job.source < 0) {  // between co-located memories only the sender's port counts
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

}  // namespace tilewright::sim
