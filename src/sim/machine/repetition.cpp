// Detection of repetition in a run, and jumps (moment.hpp).

#include <algorithm>
#include <cmath>

#include "sim/machine/run.hpp"

namespace tilewright::sim {
namespace {

std::size_t as_index(std::int64_t index) { return static_cast<std::size_t>(index); }

/// Packets between snapshots within a step.
constexpr std::int64_t kPacketsApart = 32;
/// Events of a trace before gaps are allowed.
constexpr std::size_t kEventsWithoutGaps = 100'000;
/// Steps with loads per snapshot: more than are ever under way.
constexpr std::size_t kLoadsBack = 8;
/// A step completed long ago.
constexpr std::int64_t kLongDone = -kNear - 1;

bool recent(const std::map<std::int64_t, int>& outstanding, std::int64_t retired) {
    return outstanding.empty() || outstanding.begin()->first >= retired - kNear;
}

}  // namespace

void ReplayRun::look_for_repetition() {
    if (!options_.detect_steady_state || options_.dram || options_.banks > 0 || control_.packets) return;
    if (control_.trace && trace_.size() < kEventsWithoutGaps) return;
    const std::int64_t step = retired_ + skipped_steps_;
    const bool step_ended = step != noted_step_ && step % apart_ == 0;
    if (!step_ended && packets_ - noted_packets_ < kPacketsApart * apart_) return;
    if (moments_.full()) {  // many without effect: fewer are taken
        moments_.clear();
        apart_ *= 2;
    }
    noted_step_ = step;
    note_moment();
    noted_packets_ = packets_;
}

void ReplayRun::note_moment() {
    // Outstanding results of long ago are not written: there are none.
    for (std::size_t t = 0; t < drains_left_.size(); ++t)
        if (!recent(drains_left_[t], retired_) || !recent(stores_left_[t], retired_)) return;
    moment_.write();
    visit(moment_);
    const NotedMoment now{clock(), retired_ + skipped_steps_, static_cast<std::int64_t>(loads_issued_), moment_.far(),
                          counters()};
    const std::optional<NotedMoment> before = moments_.exchange(moment_.writer().words(), now);
    if (!before) return;
    const std::optional<Period> period = period_between(*before, now);
    if (!period) return;
    const std::int64_t times = times_to_jump(*before, *period);
    if (times > 0) jump(*period, times);
}

/// Examined steps must recur, one period after the other.
std::int64_t ReplayRun::times_to_jump(const NotedMoment& before, const Period& period) const {
    if (period.steps == 0) return period.most_times;
    const auto count = static_cast<std::int64_t>(steps_.size());
    std::int64_t seen = retired_ + skipped_steps_ + kStepsAhead;
    if (period.loads > 0) {
        if (loads_issued_ >= load_steps_.size()) return 0;
        seen = std::max(seen, load_steps_[loads_issued_] + 1);
    }
    const std::int64_t wanted =
        period.most_times > count / period.steps ? count : seen + period.most_times * period.steps;
    std::int64_t same = before.step;  // the steps before this one equal those a period later
    while (same < wanted && same + period.steps < count &&
           steps_[as_index(same)] == steps_[as_index(same + period.steps)])
        ++same;
    return same < seen ? 0 : std::min(period.most_times, (same - seen) / period.steps + 1);
}

void ReplayRun::jump(const Period& period, std::int64_t times) {
    const std::vector<std::int64_t*> own = own_counters();
    const auto first_wait = own.size() - elements_.size() - 1 - kWaits;
    for (std::size_t why = 0; why < kWaits; ++why) waited_in_jump_[why] = times * period.counters[first_wait + why];
    moment_.shift(period.changes, times);
    visit(moment_);
    for (std::size_t i = 0; i < own.size(); ++i) *own[i] += times * period.counters[i];
    skipped_counts_.resize(period.counters.size() - own.size(), 0);
    for (std::size_t i = 0; i < skipped_counts_.size(); ++i)
        skipped_counts_[i] += times * period.counters[own.size() + i];
    trace_complete_ = false;
    skipped_cycles_ += times * period.cycles;
    skipped_steps_ += times * period.steps;
    loads_issued_ += as_index(times * period.loads);
    noted_step_ = retired_ + skipped_steps_;
    finishing_ = {};
    for (std::size_t e = 0; e < elements_.size(); ++e)
        if (elements_[e].busy_until >= 0) finishing_.push({elements_[e].busy_until, static_cast<int>(e)});
}

// ---- what is counted

/// Counters increased by a jump, in order: waits, then packets and waits for other elements.
std::vector<std::int64_t*> ReplayRun::own_counters() {
    std::vector<std::int64_t*> all{&time_.computing, &time_.waiting_for_words, &time_.waiting_for_others,
                                   &time_.filling};
    for (std::int64_t& wait : time_.waits) all.push_back(&wait);
    for (Cycle& wait : waited_) all.push_back(&wait);
    all.push_back(&packets_);
    for (Element& one : elements_) all.push_back(&one.for_others);
    return all;
}

std::vector<std::int64_t> ReplayRun::counters() {
    std::vector<std::int64_t> all;
    for (const std::int64_t* one : own_counters()) all.push_back(*one);
    const std::size_t own = all.size();
    all.push_back(outermost_.reads());
    all.push_back(outermost_.writes());
    for (int node = 0; node < network_.mesh().nodes(); ++node)
        for (int port = 0; port < kPorts; ++port) all.push_back(network_.flits_through(node, port));
    for (std::size_t i = 0; i < skipped_counts_.size(); ++i) all[own + i] += skipped_counts_[i];
    return all;
}

// ---- what the future depends on

void ReplayRun::visit(Moment& moment) {
    moment.near(issued_ - retired_);
    moment.near(jobs_alive_);
    moment.near(nothing_next_);
    visit_jobs(moment);
    visit_steps(moment);
    visit_loads(moment);
    visit_elements(moment);
    visit_ports(moment);
}

void ReplayRun::visit_jobs(Moment& moment) {
    for (const Outlet& outlet : outlets_) {
        moment.near(static_cast<std::int64_t>(outlet.turn));
        for (const std::deque<JobId>& list : outlet.lists) {
            moment.near(static_cast<std::int64_t>(list.size()));
            for (const JobId id : list) visit_job(moment, id);
        }
    }
    for (const int outlet : ready_outlets_) moment.near(outlet);
    network_.write_state(moment.writer(), [&](std::uint64_t tag) { visit_job(moment, static_cast<JobId>(tag)); });
}

void ReplayRun::visit_job(Moment& moment, JobId id) {
    if (!moment.mention(StateWriter::Kind::job, as_index(id))) return;
    Job& job = jobs_[as_index(id)];
    for (const std::int64_t fact :
         {static_cast<std::int64_t>(job.kind), std::int64_t{job.transfer.flow}, std::int64_t{job.transfer.group},
          job.transfer.words, std::int64_t{job.source}, static_cast<std::int64_t>(job.hop),
          std::int64_t{job.merges ? 1 : 0}, static_cast<std::int64_t>(job.place), std::int64_t{job.begin < 0 ? 0 : 1}})
        moment.near(fact);
    for (const int node : job.destinations) moment.near(node);
    for (const std::int64_t came : job.came) moment.near(came - job.sent);
    if (job.kind == Job::Kind::load) {
        visit_step(moment, job.step);
    } else {
        moment.near(job.step - retired_);
    }
    moment.amount(job.words_left);
    moment.amount(job.tails_left);
    for (std::int64_t& left : job.left) moment.amount(left);
    moment.near(job.onward < 0 ? 0 : 1);
    if (job.onward >= 0) visit_job(moment, job.onward);
}

/// All steps completed long ago are equal.
void ReplayRun::visit_step(Moment& moment, std::int64_t& step) const {
    const std::int64_t ahead = step - retired_;
    if (ahead <= kNear) return moment.near(std::max(ahead, kLongDone));
    step += moment.far(Trend::step, ahead);
}

void ReplayRun::visit_steps(Moment& moment) {
    for (const auto& [step, live] : live_) {
        moment.near(step - retired_);
        moment.near(live.elements_left);
        for (const int missing : live.missing) moment.near(missing);
    }
    for (const auto* all : {&drains_left_, &stores_left_}) {
        for (const std::map<std::int64_t, int>& outstanding : *all) {
            moment.near(static_cast<std::int64_t>(outstanding.size()));
            for (const auto& [step, count] : outstanding) {
                moment.near(step - retired_);
                moment.near(count);
            }
        }
    }
}

void ReplayRun::visit_loads(Moment& moment) {
    for (std::map<std::int64_t, int>& outstanding : loads_left_) {
        moment.near(static_cast<std::int64_t>(outstanding.size()));
        std::map<std::int64_t, int> moved;
        for (const auto& [known, count] : outstanding) {
            std::int64_t step = known;
            visit_step(moment, step);
            moment.near(count);
            moved[step] = count;
        }
        if (moment.shifts()) outstanding = std::move(moved);
    }
    // The last ones with issued loads, and the next one.
    const std::size_t first = loads_issued_ > kLoadsBack ? loads_issued_ - kLoadsBack : 0;
    const std::size_t end = std::min(loads_issued_ + 1, load_steps_.size());
    moment.near(static_cast<std::int64_t>(end - loads_issued_));
    for (std::size_t i = first; i < end; ++i) {
        std::int64_t step = load_step(i);
        visit_step(moment, step);
    }
}

void ReplayRun::visit_elements(Moment& moment) {
    for (Element& one : elements_) visit_element(moment, one);
    last_computed_ -= moment.far(Trend::past, network_.now() - last_computed_);
}

void ReplayRun::visit_element(Moment& moment, Element& one) {
    moment.near(one.done - retired_);
    moment.near(one.worked ? 1 : 0);
    moment.near(std::max<std::int64_t>(one.sat_out - retired_, -1));
    if (one.busy_until >= 0) {
        const Cycle ahead = one.busy_until - network_.now();
        if (ahead <= kNear) return moment.near(ahead);
        one.busy_until += moment.far(Trend::ahead, ahead);
        return;
    }
    moment.near(-1);
    const std::int64_t moved = moment.far(Trend::past, network_.now() - one.due_since);
    one.due_since -= moved;
    for (std::size_t why = 0; why < kWaits; ++why) moment.far(Trend::spent, waited_[why] - one.waited_before[why]);
    if (!moment.shifts() || moved > 0) return;
    // Its wait began within the period, as it will in the last skipped one.
    for (std::size_t why = 0; why < kWaits; ++why) one.waited_before[why] += waited_in_jump_[why];
}

void ReplayRun::visit_ports(Moment& moment) {
    std::vector<Pace*> ports;
    for (Pace* port : outermost_.ports()) ports.push_back(port);
    for (Pace& port : read_ports_) ports.push_back(&port);
    for (Pace* port : ports) {
        const auto busy =
            static_cast<std::int64_t>(std::llround(port->busy_for(network_.now()) * static_cast<double>(kPortUnit)));
        if (busy <= kNear * kPortUnit) {
            moment.near(busy);
        } else {
            port->shift(static_cast<double>(moment.far(Trend::port, busy)) / static_cast<double>(kPortUnit));
        }
    }
}

}  // namespace tilewright::sim
