#include "sim/dram/round_robin.hpp"

#include <algorithm>

#include "sim/dram/device.hpp"

namespace tilewright::sim::dram {

RoundRobin::RoundRobin(const Device& device, const ControllerOptions& options)
    : device_(device),
      options_(options),
      sleeps_(options.round_robin.power_down && device.timing.power_up > 0),
      banks_(device),
      queues_(banks_, options),
      bus_time_(device),
      to_be_refreshed_(at(device.organisation.ranks), false) {
    const int ranks = device.organisation.ranks;
    for (int rank = 0; rank < ranks; ++rank)
        refresh_due_.push_back(1 + device.timing.refresh_interval / ranks * (rank + 1));
}

bool RoundRobin::offer(const Request& request) {
    if (requests_.size() >= at(options_.queue)) return false;
    Waiting waiting;
    waiting.request = request;
    waiting.place = place_of(device_.organisation, options_.interleaving, request.address);
    waiting.bank = banks_.bank_of(waiting.place);
    waiting.arrived = now_;
    requests_.push_back(waiting);
    quiet_until_ = 0;
    return true;
}

void RoundRobin::tick() {
    ++now_;
    completed_.clear();
    if (now_ < quiet_until_) return;
    bool changed = finish(writes_, true);
    changed |= request_refresh();
    changed |= issue();
    changed |= move_to_commands();
    changed |= sleep_and_wake();
    changed |= finish(reads_, false);
    quiet_until_ = changed ? 0 : next_change();
}

/// One access at most: the bus serializes them.
bool RoundRobin::finish(std::deque<UnderWay>& accesses, bool write) {
    if (accesses.empty() || accesses.front().done_at > now_) return false;
    completed_.push_back({accesses.front().tag, write});
    accesses.pop_front();
    return true;
}

/// A sleeping rank is woken in time.
bool RoundRobin::request_refresh() {
    if (device_.timing.refresh_interval <= 0) return false;
    const int rank = refresh_next_;
    Clock& due = refresh_due_[at(rank)];
    if (now_ < due) {
        const bool wakes = banks_.asleep(rank) && due - now_ <= device_.timing.power_up;
        if (!wakes || to_be_refreshed_[at(rank)]) return false;
        to_be_refreshed_[at(rank)] = true;
        return true;
    }
    queues_.refresh(rank);
    to_be_refreshed_[at(rank)] = true;
    due += device_.timing.refresh_interval;
    refresh_next_ = (rank + 1) % device_.organisation.ranks;
    return true;
}

bool RoundRobin::issue() {
    const std::optional<NextCommand> next = queues_.take(banks_, now_);
    if (!next) return false;
    switch (next->kind) {
        case NextCommand::Kind::activate: activate(*next); break;
        case NextCommand::Kind::access: access(*next); break;
        case NextCommand::Kind::precharge: precharge(*next); break;
        case NextCommand::Kind::refresh: refresh(*next); break;
    }
    return true;
}

void RoundRobin::activate(const NextCommand& next) {
    ++(next.waiting.conflict ? counts_.row_conflicts : counts_.row_misses);
    count(Command::activate);
    banks_.activate(next.rank, next.bank, next.waiting.place.row, now_);
}

void RoundRobin::access(const NextCommand& next) {
    const Waiting& waiting = next.waiting;
    const bool write = waiting.request.write;
    const bool closes = options_.rows == RowPolicy::closed;
    if (!waiting.activated) ++counts_.row_hits;
    count(write ? closes ? Command::write_close : Command::write : closes ? Command::read_close : Command::read);
    banks_.access(next.rank, next.bank, write, closes, now_);
    bus_time_.moves({next.rank, write, waiting.arrived, waiting.activated}, now_, counts_);
    const Timing& t = device_.timing;
    if (write) {
        writes_.push_back({now_ + t.write + t.burst, waiting.request.tag});
    } else {
        // One clock for the command on its way to the rank; the data of writes does not wait for theirs.
        reads_.push_back({now_ + 1 + t.read + t.burst, waiting.request.tag});
    }
}

void RoundRobin::precharge(const NextCommand& next) {
    count(Command::precharge);
    banks_.precharge(next.rank, next.bank, now_);
}

void RoundRobin::refresh(const NextCommand& next) {
    count(Command::refresh);
    banks_.refresh(next.rank, now_);
    bus_time_.refreshes(next.rank, now_);
    to_be_refreshed_[at(next.rank)] = false;
}

bool RoundRobin::move_to_commands() {
    const auto first = std::find_if(requests_.begin(), requests_.end(), [&](const Waiting& waiting) {
        return queues_.has_room(waiting.place.rank, waiting.bank);
    });
    if (first == requests_.end()) return false;
    const int row = banks_.open_row(first->place.rank, first->bank);
    first->conflict = row >= 0 && row != first->place.row;
    queues_.push(*first);
    requests_.erase(first);
    return true;
}

bool RoundRobin::sleep_and_wake() {
    if (!sleeps_) return false;
    bool changed = false;
    for (int rank = 0; rank < banks_.ranks(); ++rank) {
        const bool needed = to_be_refreshed_[at(rank)] || !queues_.empty(rank);
        if (!needed && !banks_.asleep(rank) && banks_.quiet(rank, now_)) {
            banks_.sleep(rank, now_);
            changed = true;
        } else if (needed && banks_.may_wake(rank, now_)) {
            banks_.wake(rank, now_);
            changed = true;
        }
    }
    return changed;
}

/// After a clock without change, a lower bound on the next change.
Clock RoundRobin::next_change() const {
    Clock next = banks_.next_change(now_);
    if (!reads_.empty()) next = std::min(next, reads_.front().done_at);
    if (!writes_.empty()) next = std::min(next, writes_.front().done_at);
    if (device_.timing.refresh_interval > 0) {
        const Clock due = refresh_due_[at(refresh_next_)];
        const bool to_be_woken = banks_.asleep(refresh_next_) && !to_be_refreshed_[at(refresh_next_)];
        next = std::min(next, to_be_woken ? due - device_.timing.power_up : due);
    }
    return next;
}

}  // namespace tilewright::sim::dram
