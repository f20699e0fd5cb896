// Start conditions of a run's jobs, and their causes of delay.
#include <algorithm>

#include "sim/dram/index.hpp"
#include "sim/machine/run.hpp"

namespace tilewright::sim {
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
