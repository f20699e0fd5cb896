#include "sim/dram/first_ready.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "sim/dram/device.hpp"

namespace tilewright::sim::dram {

FirstReady::FirstReady(const Device& device, const ControllerOptions& options)
    : device_(device),
      options_(options),
      banks_(device),
      next_refresh_(device.timing.refresh_interval),
      active_per_bank_(at(banks_.count())),
      second_due_(at(banks_.count()), -1),
      bus_time_(device) {}

bool FirstReady::idle() const {
    return reads_.empty() && writes_.empty() && active_.empty() && activating_.empty() && finishing_.empty() &&
           absorbed_.empty();
}

bool FirstReady::waits_to_be_written(std::int64_t address) const {
    return std::any_of(writes_.begin(), writes_.end(), [&](const Entry& e) { return e.request.address == address; });
}

bool FirstReady::offer(const Request& request) {
    const bool waiting = waits_to_be_written(request.address);
    if (waiting) {
        ++counts_.forwarded;
        quiet_until_ = 0;
        if (request.write) {
            absorbed_.push_back({request.tag, true});
        } else {
            finishing_.push_back({now_ + 1, request.tag});
        }
        return true;
    }
    Queue& queue = request.write ? writes_ : reads_;
    if (queue.size() >= at(options_.queue)) return false;
    const Command access = request.write ? Command::write : Command::read;
    queue.push_back(
        {request, place_of(device_.organisation, options_.interleaving, request.address), access, access, now_, false});
    quiet_until_ = 0;
    return true;
}

void FirstReady::tick() {
    ++now_;
    completed_ = std::exchange(absorbed_, {});
    if (now_ < quiet_until_) return;
    serve_finished();
    request_refresh();
    bool issued = false;
    switch (device_.bus) {
        case CommandBus::single: issued = step_single(); break;
        case CommandBus::row_and_column: issued = step_row_and_column(); break;
        case CommandBus::clock_sync: issued = step_clock_sync(); break;
    }
    settle_quiet(issued);
}

void FirstReady::serve_finished() {
    while (!finishing_.empty() && finishing_.front().at <= now_) {
        completed_.push_back({finishing_.front().tag, false});
        finishing_.pop_front();
    }
}

void FirstReady::request_refresh() {
    if (device_.timing.refresh_interval <= 0 || now_ != next_refresh_) return;
    next_refresh_ += device_.timing.refresh_interval;
    for (int rank = 0; rank < device_.organisation.ranks; ++rank) {
        Entry entry;
        entry.place.rank = rank;
        entry.access = Command::refresh;
        entry.counted = true;
        maintenance_.push_back(entry);
    }
}

/// Length of the quiet time after a clock without commands.
void FirstReady::settle_quiet(bool issued) {
    quiet_until_ = 0;
    if (issued || synced_) return;
    Clock earliest = device_.timing.refresh_interval > 0 ? next_refresh_ : std::numeric_limits<Clock>::max();
    if (!finishing_.empty()) earliest = std::min(earliest, finishing_.front().at);
    for (Queue* queue : {&reads_, &writes_, &active_, &maintenance_, &activating_}) {
        earliest = std::min(earliest, earliest_ready(*queue));
    }
    quiet_until_ = earliest;
}

Clock FirstReady::earliest_ready(Queue& queue) {
    Clock earliest = std::numeric_limits<Clock>::max();
    for (const Entry& entry : queue)
        earliest = std::min(earliest, banks_.ready(banks_.next(entry.access, entry.place), entry.place));
    return earliest;
}

// ---- one command per clock

bool FirstReady::step_single() {
    Candidate candidate = best_ready(active_, {});
    if (!candidate) candidate = pick_maintenance({});
    if (!candidate && maintenance_.empty()) candidate = pick_access({});
    if (candidate) issue(candidate);
    return static_cast<bool>(candidate);
}

// ---- a row and a column command per clock

bool FirstReady::step_row_and_column() {
    const bool column = issue_on(true);
    const bool row = issue_on(false);
    return column || row;
}

bool FirstReady::issue_on(bool column_bus) {
    const Filter fits = [&](const Entry& entry) { return is_access(entry.next) == column_bus; };
    Candidate candidate;
    if (column_bus) candidate = best_ready(active_, fits);
    if (!candidate) candidate = pick_maintenance(fits);
    if (!candidate && maintenance_.empty()) candidate = pick_access(fits);
    if (candidate) issue(candidate);
    return static_cast<bool>(candidate);
}

// ---- who goes next

FirstReady::Candidate FirstReady::best_ready(Queue& queue, const Filter& filter) {
    Candidate best;
    for (std::size_t i = 0; i < queue.size(); ++i) {
        Entry& entry = queue[i];
        entry.next = banks_.next(entry.access, entry.place);
        if (filter && !filter(entry)) continue;
        if (banks_.ready(entry.next, entry.place) > now_) continue;
        if (!best || entry.arrived < best.entry().arrived) best = {&queue, i};
    }
    return best;
}

FirstReady::Candidate FirstReady::pick_maintenance(const Filter& filter) {
    if (maintenance_.empty()) return {};
    Entry& first = maintenance_.front();
    first.next = banks_.next(first.access, first.place);
    if (banks_.ready(first.next, first.place) > now_ || closes_row_in_use(first)) return {};
    if (filter && !filter(first)) return {};
    return {&maintenance_, 0};
}

FirstReady::Candidate FirstReady::pick_access(const Filter& filter) {
    choose_mode();
    return best_ready(write_mode_ ? writes_ : reads_,
                      [&](const Entry& entry) { return !closes_row_in_use(entry) && (!filter || filter(entry)); });
}

void FirstReady::choose_mode() {
    const auto waiting = static_cast<double>(writes_.size());
    if (!write_mode_) {
        write_mode_ = waiting > options_.write_high * options_.queue || reads_.empty();
    } else if (waiting < options_.write_low * options_.queue && !reads_.empty()) {
        write_mode_ = false;
    }
}

bool FirstReady::closes_row_in_use(const Entry& entry) const {
    if (active_.empty()) return false;
    if (entry.next == Command::precharge) return active_per_bank_[at(banks_.flat(entry.place))] > 0;
    if (entry.next != Command::precharge_all) return false;
    return std::any_of(active_.begin(), active_.end(),
                       [&](const Entry& a) { return a.place.rank == entry.place.rank; });
}

// ---- what a command changes

void FirstReady::issue(const Candidate& candidate) {
    Entry& entry = candidate.entry();
    close_if_last(entry, *candidate.queue);
    count(entry);
    banks_.issue(entry.next, entry.place, now_);
    ++counts_.commands[static_cast<std::size_t>(entry.next)];
    advance(candidate);
}

void FirstReady::close_if_last(Entry& entry, const Queue& queue) {
    if (options_.rows != RowPolicy::closed || !is_access(entry.next)) return;
    const auto same_row = [&](const Entry& other) {
        return &other != &entry && banks_.flat(other.place) == banks_.flat(entry.place) &&
               other.place.row == entry.place.row;
    };
    const int others_active = active_per_bank_[at(banks_.flat(entry.place))] - (&queue == &active_ ? 1 : 0);
    const bool wanted = others_active > 0 || std::any_of(reads_.begin(), reads_.end(), same_row) ||
                        std::any_of(writes_.begin(), writes_.end(), same_row);
    if (wanted) return;
    entry.access = entry.next = entry.request.write ? Command::write_close : Command::read_close;
}

void FirstReady::count(Entry& entry) {
    if (entry.counted) return;
    entry.counted = true;
    if (is_access(entry.next)) {
        ++counts_.row_hits;
    } else if (entry.next == Command::precharge) {
        ++counts_.row_conflicts;
    } else {
        ++counts_.row_misses;
    }
    entry.opened = !is_access(entry.next);
}

void FirstReady::advance(const Candidate& candidate) {
    const Entry& entry = candidate.entry();
    if (entry.next == entry.access) {
        retire(candidate);
    } else if (entry.next == Command::activate) {
        promote(candidate);
    }
}

void FirstReady::retire(const Candidate& candidate) {
    const Entry& entry = candidate.entry();
    if (candidate.queue == &active_) --active_per_bank_[at(banks_.flat(entry.place))];
    if (entry.access == Command::refresh) {
        bus_time_.refreshes(entry.place.rank, now_);
    } else {
        bus_time_.moves({entry.place.rank, entry.request.write, entry.arrived, entry.opened}, now_, counts_);
        if (entry.request.write) {
            completed_.push_back({entry.request.tag, true});
        } else {
            finishing_.push_back({now_ + device_.timing.read + device_.timing.burst, entry.request.tag});
        }
    }
    candidate.queue->erase(candidate.queue->begin() + static_cast<std::ptrdiff_t>(candidate.index));
}

void FirstReady::promote(const Candidate& candidate) {
    active_.push_back(candidate.entry());
    ++active_per_bank_[at(banks_.flat(candidate.entry().place))];
    candidate.queue->erase(candidate.queue->begin() + static_cast<std::ptrdiff_t>(candidate.index));
}

}  // namespace tilewright::sim::dram
