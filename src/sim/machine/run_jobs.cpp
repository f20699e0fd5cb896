// Jobs of a run: start, packet arrivals, end.
//
// Start conditions of a run's jobs, and their causes of delay.
#include <algorithm>

#include "arch/widths.hpp"
#include "base/numbers/checked.hpp"
#include "sim/dram/device.hpp"
#include "sim/machine/run.hpp"

namespace tilewright::sim {

ReplayRun::JobId ReplayRun::new_job(Job::Kind kind, std::int64_t step, const Transfer& transfer, int source,
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

void ReplayRun::enqueue(Outlet& outlet, std::size_t list, JobId job) {
    outlet.lists[list].push_back(job);
    const auto index = static_cast<int>(&outlet - outlets_.data());
    if (is_ready_[at(index)] != 0) return;
    is_ready_[at(index)] = 1;
    ready_outlets_.push_back(index);
}

std::int64_t ReplayRun::word_bits_of(const Job& job) const {
    const Flow& flow = flow_of(job);
    return bits_of(einsum_.tensors[at(flow.tensor)], architecture_.memories[at(flow.outer)].word_bits);
}

std::int64_t ReplayRun::packet_words(const Job& job) const {
    const std::int64_t word_bits = word_bits_of(job);
    const std::int64_t payload = static_cast<std::int64_t>(options_.packet_flits - 1) * options_.flit_bits;
    return std::max<std::int64_t>(1, payload / std::max<std::int64_t>(1, word_bits));
}

void ReplayRun::arrive(const Arrival& arrival) {
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

void ReplayRun::finish_job(JobId id) {
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

bool ReplayRun::may_start(const Job& job) const {
    const int tensor = flow_of(job).tensor;
    switch (job.kind) {
        case Job::Kind::load: return may_load(job);
        case Job::Kind::send: return room_at_elements(job) && loaded(job);
        case Job::Kind::drain: return true;
        case Job::Kind::store: return written_before(drains_left_[at(tensor)], job.step + 1);
    }
    return true;
}

/// Cause of a blocked job's delay; empty if it is another job, with a cause of its own.
std::optional<Wait> ReplayRun::why_not_started(const Job& job) const {
    const Flow& flow = flow_of(job);
    if (job.kind == Job::Kind::store) return Wait::sums;
    if (job.kind == Job::Kind::send) {
        if (!loaded(job)) return std::nullopt;
        return flow.result && !written_before(drains_left_[at(flow.tensor)], job.step - 1) ? Wait::sums : Wait::room;
    }
    if (flow.outer != 0 && !written_before(loads_left_[at(flow.tensor)], job.step)) return std::nullopt;
    return flow.result && !stores_left_[at(flow.tensor)].empty() ? Wait::sums : Wait::room;
}

/// A memory holds the tile in use and, with room for two, the next one. Partial sums must be present before their read.
bool ReplayRun::may_load(const Job& job) const {
    const Flow& flow = flow_of(job);
    const auto place =
        std::lower_bound(load_steps_.begin(), load_steps_.end(), job.step + skipped_steps_) - load_steps_.begin();
    const std::int64_t back = buffers_.doubled[at(flow.inner)] != 0 ? 2 : 1;
    // The tile `back` loads ago is in use until its successor's step.
    const std::int64_t free_from = place >= back ? load_step(at(place - back + 1)) : 0;
    if (retired_ < free_from) return false;
    if (flow.result && !written_before(stores_left_[at(flow.tensor)], free_from)) return false;
    // Further out, the words must arrive first.
    return flow.outer == 0 || written_before(loads_left_[at(flow.tensor)], job.step);
}

bool ReplayRun::room_at_elements(const Job& job) const {
    const Flow& flow = flow_of(job);
    const std::int64_t needed = buffers_.doubled[at(flow.inner)] != 0 ? job.step - 1 : job.step;
    for (const int element : program_.groups[at(job.transfer.group)]) {
        if (elements_[at(element)].done < needed) return false;
    }
    return !flow.result || written_before(drains_left_[at(flow.tensor)], job.step - 1);
}

bool ReplayRun::loaded(const Job& job) const {
    return flow_of(job).outer == 0 || written_before(loads_left_[at(flow_of(job).tensor)], job.step + 1);
}

bool ReplayRun::written_before(const std::map<std::int64_t, int>& outstanding, std::int64_t step) const {
    return outstanding.empty() || outstanding.begin()->first >= step;
}

}  // namespace tilewright::sim
