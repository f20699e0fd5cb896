// LPDDR5: an activation has two halves with a bounded distance; the data clock must run before data moves, and
// restarting it costs a command. The command after a restart is the access behind it.
#include <algorithm>
#include <utility>

#include "sim/dram/device.hpp"
#include "sim/dram/first_ready.hpp"

namespace tilewright::sim::dram {

bool FirstReady::step_clock_sync() {
    const Candidate urgent = second_activation(true);
    if (synced_) return finish_synced();
    const Filter allowed = [&](const Entry& entry) { return allowed_while_activating(entry); };
    const Filter not_half = [&](const Entry& entry) {
        return entry.next != Command::activate_second && allowed_while_activating(entry);
    };
    Candidate candidate = urgent;
    if (!candidate) candidate = best_ready(active_, allowed);
    if (!candidate) candidate = pick_maintenance(not_half);
    if (!candidate && maintenance_.empty()) candidate = pick_access(not_half);
    if (!candidate) {
        const Candidate second = second_activation(false);
        if (second) issue_second_activation(second);
        return static_cast<bool>(second);
    }
    if (candidate.queue == &activating_) {
        issue_second_activation(candidate);
    } else if (!try_sync(candidate)) {
        issue_plainly(candidate);
    }
    return true;
}

/// With halves pending, no other activation, and no precharge of their banks.
bool FirstReady::allowed_while_activating(const Entry& entry) const {
    if (activating_.empty()) return true;
    if (entry.next == Command::activate || entry.next == Command::activate_second) return false;
    return is_access(entry.next) || !blocks_activation(entry);
}

bool FirstReady::blocks_activation(const Entry& entry) const {
    if (entry.next == Command::precharge) return second_due_[at(banks_.flat(entry.place))] >= 0;
    return std::any_of(activating_.begin(), activating_.end(),
                       [&](const Entry& a) { return a.place.rank == entry.place.rank; });
}

/// The pending half with the earliest deadline among the legal ones.
FirstReady::Candidate FirstReady::second_activation(bool only_urgent) {
    Candidate best;
    Clock best_due = 0;
    for (std::size_t i = 0; i < activating_.size(); ++i) {
        Entry& entry = activating_[i];
        const Clock due = second_due_[at(banks_.flat(entry.place))];
        entry.next = Command::activate_second;
        if ((only_urgent && due > now_) || banks_.ready(entry.next, entry.place) > now_) continue;
        if (best && (due > best_due || (due == best_due && entry.arrived >= best.entry().arrived))) continue;
        best = {&activating_, i};
        best_due = due;
    }
    return best;
}

void FirstReady::issue_second_activation(const Candidate& candidate) {
    Entry& entry = candidate.entry();
    count(entry);
    banks_.issue(Command::activate_second, entry.place, now_);
    ++counts_.commands[static_cast<std::size_t>(Command::activate_second)];
    second_due_[at(banks_.flat(entry.place))] = -1;
    promote(candidate);
}

bool FirstReady::needs_sync(const Entry& entry) const { return is_access(entry.next) && now_ >= data_clock_until_; }

/// The data clock's start takes two clocks; no half may fall due in them.
bool FirstReady::sync_would_miss_deadline() const {
    return std::any_of(activating_.begin(), activating_.end(),
                       [&](const Entry& entry) { return second_due_[at(banks_.flat(entry.place))] <= now_ + 1; });
}

bool FirstReady::try_sync(const Candidate& candidate) {
    const Entry& entry = candidate.entry();
    if (!needs_sync(entry)) return false;
    if (sync_would_miss_deadline()) {
        issue_second_activation(second_activation(false));
        return true;
    }
    const Command sync = entry.request.write ? Command::sync_write : Command::sync_read;
    banks_.issue(sync, entry.place, now_);
    ++counts_.commands[static_cast<std::size_t>(sync)];
    synced_ = candidate;
    return true;
}

bool FirstReady::finish_synced() {
    Entry& entry = synced_.entry();
    if (banks_.ready(entry.next, entry.place) > now_) return true;
    extend_data_clock(entry);
    count(entry);
    banks_.issue(entry.next, entry.place, now_);
    ++counts_.commands[static_cast<std::size_t>(entry.next)];
    const Candidate synced = std::exchange(synced_, {});
    retire(synced);
    return true;
}

void FirstReady::extend_data_clock(const Entry& entry) {
    const Timing& t = device_.timing;
    const int latency = entry.request.write ? t.write : t.read;
    data_clock_until_ = std::max(data_clock_until_, now_ + latency + t.burst + t.data_clock_after);
}

void FirstReady::issue_plainly(const Candidate& candidate) {
    Entry& entry = candidate.entry();
    close_if_last(entry, *candidate.queue);
    if (is_access(entry.next)) extend_data_clock(entry);
    count(entry);
    banks_.issue(entry.next, entry.place, now_);
    ++counts_.commands[static_cast<std::size_t>(entry.next)];
    if (entry.next != Command::activate) {
        advance(candidate);
        return;
    }
    second_due_[at(banks_.flat(entry.place))] = now_ + device_.timing.second_activate_within;
    activating_.push_back(entry);
    candidate.queue->erase(candidate.queue->begin() + static_cast<std::ptrdiff_t>(candidate.index));
}

}  // namespace tilewright::sim::dram
