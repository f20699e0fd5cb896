#include "sim/dram/controller.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace tilewright::sim::dram {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

}  // namespace

Controller::Controller(const Device& device, const ControllerOptions& options)
    : device_(device),
      options_(options),
      banks_(device),
      next_refresh_(device.timing.refresh_interval),
      active_per_bank_(at(banks_.count())),
      second_due_(at(banks_.count()), -1),
      refreshed_until_(at(device.organisation.ranks), 0),
      buses_(at(device.organisation.own_data_bus ? device.organisation.ranks : 1)) {}

bool Controller::idle() const {
    return reads_.empty() && writes_.empty() && active_.empty() && activating_.empty() && finishing_.empty() &&
           absorbed_.empty();
}

bool Controller::waits_to_be_written(std::int64_t address) const {
    return std::any_of(writes_.begin(), writes_.end(), [&](const Entry& e) { return e.request.address == address; });
}

bool Controller::offer(const Request& request) {
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

void Controller::tick() {
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

void Controller::serve_finished() {
    while (!finishing_.empty() && finishing_.front().at <= now_) {
        completed_.push_back({finishing_.front().tag, false});
        finishing_.pop_front();
    }
}

void Controller::request_refresh() {
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

/// How long nothing can happen, when nothing did.
void Controller::settle_quiet(bool issued) {
    quiet_until_ = 0;
    if (issued || synced_) return;
    Clock earliest = device_.timing.refresh_interval > 0 ? next_refresh_ : std::numeric_limits<Clock>::max();
    if (!finishing_.empty()) earliest = std::min(earliest, finishing_.front().at);
    for (Queue* queue : {&reads_, &writes_, &active_, &maintenance_, &activating_}) {
        earliest = std::min(earliest, earliest_ready(*queue));
    }
    quiet_until_ = earliest;
}

Clock Controller::earliest_ready(Queue& queue) {
    Clock earliest = std::numeric_limits<Clock>::max();
    for (const Entry& entry : queue)
        earliest = std::min(earliest, banks_.ready(banks_.next(entry.access, entry.place), entry.place));
    return earliest;
}

// ---- one command per clock

bool Controller::step_single() {
    Candidate candidate = best_ready(active_, {});
    if (!candidate) candidate = pick_maintenance({});
    if (!candidate && maintenance_.empty()) candidate = pick_access({});
    if (candidate) issue(candidate);
    return static_cast<bool>(candidate);
}

// ---- a row and a column command per clock

bool Controller::step_row_and_column() {
    const bool column = issue_on(true);
    const bool row = issue_on(false);
    return column || row;
}

bool Controller::issue_on(bool column_bus) {
    const Filter fits = [&](const Entry& entry) { return is_access(entry.next) == column_bus; };
    Candidate candidate;
    if (column_bus) candidate = best_ready(active_, fits);
    if (!candidate) candidate = pick_maintenance(fits);
    if (!candidate && maintenance_.empty()) candidate = pick_access(fits);
    if (candidate) issue(candidate);
    return static_cast<bool>(candidate);
}

// ---- who goes next

Controller::Candidate Controller::best_ready(Queue& queue, const Filter& filter) {
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

Controller::Candidate Controller::pick_maintenance(const Filter& filter) {
    if (maintenance_.empty()) return {};
    Entry& first = maintenance_.front();
    first.next = banks_.next(first.access, first.place);
    if (banks_.ready(first.next, first.place) > now_ || closes_row_in_use(first)) return {};
    if (filter && !filter(first)) return {};
    return {&maintenance_, 0};
}

Controller::Candidate Controller::pick_access(const Filter& filter) {
    choose_mode();
    return best_ready(write_mode_ ? writes_ : reads_,
                      [&](const Entry& entry) { return !closes_row_in_use(entry) && (!filter || filter(entry)); });
}

void Controller::choose_mode() {
    const auto waiting = static_cast<double>(writes_.size());
    if (!write_mode_) {
        write_mode_ = waiting > options_.write_high * options_.queue || reads_.empty();
    } else if (waiting < options_.write_low * options_.queue && !reads_.empty()) {
        write_mode_ = false;
    }
}

bool Controller::closes_row_in_use(const Entry& entry) const {
    if (active_.empty()) return false;
    if (entry.next == Command::precharge) return active_per_bank_[at(banks_.flat(entry.place))] > 0;
    if (entry.next != Command::precharge_all) return false;
    return std::any_of(active_.begin(), active_.end(),
                       [&](const Entry& a) { return a.place.rank == entry.place.rank; });
}

// ---- what a command changes

void Controller::issue(const Candidate& candidate) {
    Entry& entry = candidate.entry();
    close_if_last(entry, *candidate.queue);
    count(entry);
    banks_.issue(entry.next, entry.place, now_);
    ++counts_.commands[static_cast<std::size_t>(entry.next)];
    advance(candidate);
}

void Controller::close_if_last(Entry& entry, const Queue& queue) {
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

void Controller::count(Entry& entry) {
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

/// Its data moves so long after the command of an access; the bus may have been free before.
void Controller::count_data(const Entry& entry) {
    const Timing& t = device_.timing;
    const bool write = entry.request.write;
    const int latency = write ? t.write : t.read;
    Bus& bus = buses_[device_.organisation.own_data_bus ? at(entry.place.rank) : 0];
    const Clock data = now_ + latency;
    const Clock possible = std::max(bus.free_at, entry.arrived + 1 + latency);
    const bool refreshed = refreshed_until_[at(entry.place.rank)] > entry.arrived;
    const Lost why = refreshed            ? Lost::refresh
                     : entry.opened       ? Lost::rows
                     : bus.write != write ? Lost::turnaround
                                          : Lost::spacing;
    counts_.busy += t.burst;
    counts_.lost[static_cast<std::size_t>(why)] += std::max<Clock>(0, data - possible);
    bus = {data + t.burst, write};
}

void Controller::advance(const Candidate& candidate) {
    const Entry& entry = candidate.entry();
    if (entry.next == entry.access) {
        retire(candidate);
    } else if (entry.next == Command::activate) {
        promote(candidate);
    }
}

void Controller::retire(const Candidate& candidate) {
    const Entry& entry = candidate.entry();
    if (candidate.queue == &active_) --active_per_bank_[at(banks_.flat(entry.place))];
    if (entry.access == Command::refresh) {
        refreshed_until_[at(entry.place.rank)] = now_ + device_.timing.refresh;
    } else {
        count_data(entry);
        if (entry.request.write) {
            completed_.push_back({entry.request.tag, true});
        } else {
            finishing_.push_back({now_ + device_.timing.read + device_.timing.burst, entry.request.tag});
        }
    }
    candidate.queue->erase(candidate.queue->begin() + static_cast<std::ptrdiff_t>(candidate.index));
}

void Controller::promote(const Candidate& candidate) {
    active_.push_back(candidate.entry());
    ++active_per_bank_[at(banks_.flat(candidate.entry().place))];
    candidate.queue->erase(candidate.queue->begin() + static_cast<std::ptrdiff_t>(candidate.index));
}

}  // namespace tilewright::sim::dram
