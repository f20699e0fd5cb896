#include "sim/dram/command_queues.hpp"

#include <algorithm>
#include <utility>

namespace tilewright::sim::dram {
namespace {

bool same_row(const Waiting& a, const Waiting& b) {
    return a.place.rank == b.place.rank && a.bank == b.bank && a.place.row == b.place.row;
}

int commands_of(const Waiting& waiting) { return waiting.activated ? 1 : 2; }

}  // namespace

CommandQueues::CommandQueues(const BankTable& banks, const ControllerOptions& options)
    : options_(options),
      ranks_(banks.ranks()),
      banks_(banks.banks()),
      queues_(static_cast<std::size_t>(ranks_ * (options.round_robin.queue_per_bank ? banks_ : 1))),
      hits_(static_cast<std::size_t>(ranks_ * banks_), 0) {}

std::size_t CommandQueues::index(int rank, int bank) const {
    return static_cast<std::size_t>(options_.round_robin.queue_per_bank ? rank * banks_ + bank : rank);
}

bool CommandQueues::hits_exhausted(int rank, int bank) const {
    return hits_[rank * banks_ + bank] >= options_.round_robin.row_hits;
}

bool CommandQueues::has_room(int rank, int bank) const {
    int commands = 0;
    for (const Waiting& waiting : queues_[index(rank, bank)]) commands += commands_of(waiting);
    return commands + 2 <= options_.round_robin.commands;
}

void CommandQueues::push(const Waiting& waiting) {
    queue(waiting.place.rank, waiting.bank).push_back(waiting);
    ++waiting_;
}

bool CommandQueues::empty(int rank) const {
    if (!options_.round_robin.queue_per_bank) return queues_[index(rank, 0)].empty();
    for (int bank = 0; bank < banks_; ++bank) {
        if (!queues_[index(rank, bank)].empty()) return false;
    }
    return true;
}

// ---- turns

void CommandQueues::pass(Turn& turn) const {
    if (options_.round_robin.banks_first) {
        turn.bank = (turn.bank + 1) % banks_;
        if (turn.bank == 0) turn.rank = (turn.rank + 1) % ranks_;
    } else {
        turn.rank = (turn.rank + 1) % ranks_;
        if (turn.rank == 0) turn.bank = (turn.bank + 1) % banks_;
    }
}

void CommandQueues::pass_to_next_queue(Turn& turn) const {
    if (options_.round_robin.queue_per_bank) {
        pass(turn);
    } else {
        turn.rank = (turn.rank + 1) % ranks_;
    }
}

// ---- who goes next

std::optional<NextCommand> CommandQueues::take(const BankTable& banks, Clock now) {
    std::optional<NextCommand> next;
    if (refreshing_ >= 0) next = toward_refresh(banks, now);
    if (!next && waiting_ > 0) next = from_queues(banks, now);
    if (!next && options_.rows == RowPolicy::open && banks.any_open()) next = close_a_row(banks, now);
    if (next) pass(turn_);
    return next;
}

/// Scans the banks in order up to the first one not ready.
std::optional<NextCommand> CommandQueues::toward_refresh(const BankTable& banks, Clock now) {
    for (int bank = 0; bank < banks_; ++bank) {
        if (banks.open_row(refreshing_, bank) >= 0) return serve_or_close(banks, bank, now);
        if (!banks.ready_closed(refreshing_, bank, now)) return std::nullopt;
    }
    if (banks.asleep(refreshing_)) return std::nullopt;
    return NextCommand{.kind = NextCommand::Kind::refresh, .rank = std::exchange(refreshing_, -1)};
}

/// For an open bank of a rank to be refreshed: the access it was opened for, or its precharge.
std::optional<NextCommand> CommandQueues::serve_or_close(const BankTable& banks, int bank, Clock now) {
    Queue& waiting = queue(refreshing_, bank);
    const int row = banks.open_row(refreshing_, bank);
    const auto first = std::find_if(waiting.begin(), waiting.end(),
                                    [&](const Waiting& one) { return one.bank == bank && one.place.row == row; });
    if (first != waiting.end() && first->activated) {
        if (!access_may_go(*first, banks, now)) return std::nullopt;
        return access(waiting, static_cast<std::size_t>(first - waiting.begin()));
    }
    if (options_.rows == RowPolicy::closed || !banks.may_precharge(refreshing_, bank, now)) return std::nullopt;
    return precharge(refreshing_, bank);
}

std::optional<NextCommand> CommandQueues::from_queues(const BankTable& banks, Clock now) {
    const Turn first = turn_;
    do {
        if (turn_.rank != refreshing_) {
            if (std::optional<NextCommand> next = from_queue(queue(turn_.rank, turn_.bank), banks, now)) return next;
        }
        pass_to_next_queue(turn_);
    } while (turn_ != first);
    return std::nullopt;
}

std::optional<NextCommand> CommandQueues::from_queue(Queue& waiting, const BankTable& banks, Clock now) {
    const bool closes = options_.rows == RowPolicy::closed;
    const std::size_t count =
        closes && options_.round_robin.queue_per_bank ? std::min<std::size_t>(1, waiting.size()) : waiting.size();
    for (std::size_t i = 0; i < count; ++i) {
        Waiting& one = waiting[i];
        const bool behind = !closes && std::any_of(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(i),
                                                   [&](const Waiting& other) { return same_row(other, one); });
        if (behind) continue;
        if (!one.activated && banks.may_activate(one.place.rank, one.bank, now)) {
            one.activated = true;
            return NextCommand{NextCommand::Kind::activate, one.place.rank, one.bank, one};
        }
        if ((one.activated || !closes) && access_may_go(one, banks, now)) return access(waiting, i);
    }
    return std::nullopt;
}

bool CommandQueues::access_may_go(const Waiting& waiting, const BankTable& banks, Clock now) const {
    const int rank = waiting.place.rank;
    return banks.open_row(rank, waiting.bank) == waiting.place.row && !hits_exhausted(rank, waiting.bank) &&
           banks.may_access(rank, waiting.bank, waiting.request.write, now);
}

bool CommandQueues::row_is_wanted(int rank, int bank, int row) {
    return std::any_of(queue(rank, bank).begin(), queue(rank, bank).end(),
                       [&](const Waiting& one) { return one.bank == bank && one.place.row == row; });
}

std::optional<NextCommand> CommandQueues::close_a_row(const BankTable& banks, Clock now) {
    const Turn first = closing_;
    do {
        const int rank = closing_.rank;
        const int bank = closing_.bank;
        const int row = banks.open_row(rank, bank);
        if (row >= 0 && banks.may_precharge(rank, bank, now) &&
            (hits_exhausted(rank, bank) || !row_is_wanted(rank, bank, row))) {
            return precharge(rank, bank);
        }
        pass(closing_);
    } while (closing_ != first);
    return std::nullopt;
}

NextCommand CommandQueues::access(Queue& waiting, std::size_t index) {
    const Waiting one = waiting[index];
    if (!one.activated) ++hits(one.place.rank, one.bank);
    waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(index));
    --waiting_;
    return {NextCommand::Kind::access, one.place.rank, one.bank, one};
}

NextCommand CommandQueues::precharge(int rank, int bank) {
    hits(rank, bank) = 0;
    return {.kind = NextCommand::Kind::precharge, .rank = rank, .bank = bank};
}

}  // namespace tilewright::sim::dram
