#include "sim/dram/banks.hpp"

#include <algorithm>

#include "sim/dram/device.hpp"

namespace tilewright::sim::dram {
namespace {

template <typename Enum>
std::size_t of(Enum value) {
    return static_cast<std::size_t>(value);
}

bool of_whole_rank(Command command) { return command == Command::refresh || command == Command::precharge_all; }

}  // namespace

Banks::Banks(const Device& device)
    : organisation_(device.organisation),
      two_part_activation_(device.bus == CommandBus::clock_sync),
      banks_(at(device.organisation.ranks * device.organisation.bank_groups * device.organisation.banks)) {
    const Organisation& o = organisation_;
    nodes_[of(Scope::channel)].resize(1);
    nodes_[of(Scope::rank)].resize(at(o.ranks));
    nodes_[of(Scope::bank_group)].resize(at(o.ranks * o.bank_groups));
    nodes_[of(Scope::bank)].resize(banks_.size());
    for (const Rule& rule : rules_of(device)) {
        effects_[of(rule.scope)][of(rule.before)].push_back({rule.after, rule.clocks, rule.window, rule.other_ranks});
    }
}

std::size_t Banks::index(Scope scope, const Place& place) const {
    switch (scope) {
        case Scope::channel: return 0;
        case Scope::rank: return at(place.rank);
        case Scope::bank_group: return at(place.rank * organisation_.bank_groups + place.bank_group);
        case Scope::bank: return at(flat(place));
    }
    return 0;
}

Command Banks::next(Command access, const Place& place) const {
    if (access == Command::refresh) return all_closed(place.rank) ? Command::refresh : Command::precharge_all;
    const Bank& bank = banks_[at(flat(place))];
    switch (bank.state) {
        case State::closed: return Command::activate;
        case State::activating: return Command::activate_second;
        case State::open: return bank.row == place.row ? access : Command::precharge;
    }
    return access;
}

bool Banks::all_closed(int rank) const {
    const auto first = banks_.begin() + rank * banks_per_rank();
    return std::all_of(first, first + banks_per_rank(), [](const Bank& bank) { return bank.state == State::closed; });
}

Clock Banks::ready(Command command, const Place& place) const {
    const std::size_t c = of(command);
    Clock ready =
        std::max(nodes_[of(Scope::channel)][0].allowed[c], nodes_[of(Scope::rank)][at(place.rank)].allowed[c]);
    if (of_whole_rank(command)) return ready;
    ready = std::max(ready, nodes_[of(Scope::bank_group)][index(Scope::bank_group, place)].allowed[c]);
    return std::max(ready, nodes_[of(Scope::bank)][index(Scope::bank, place)].allowed[c]);
}

void Banks::note(Node& node, Scope scope, Command command, Clock now) {
    if (command == Command::activate) {
        std::rotate(node.activates.begin(), node.activates.end() - 1, node.activates.end());
        node.activates[0] = now;
    }
    for (const Effect& effect : effects_[of(scope)][of(command)]) {
        if (effect.other_ranks) continue;
        const Clock from = effect.window == 1 ? now : node.activates[at(effect.window - 1)];
        if (from < 0) continue;
        Clock& allowed = node.allowed[of(effect.after)];
        allowed = std::max(allowed, from + effect.clocks);
    }
}

void Banks::issue(Command command, const Place& place, Clock now) {
    note(nodes_[of(Scope::channel)][0], Scope::channel, command, now);
    note(nodes_[of(Scope::rank)][at(place.rank)], Scope::rank, command, now);
    for (const Effect& effect : effects_[of(Scope::rank)][of(command)]) {
        if (!effect.other_ranks) continue;
        for (int rank = 0; rank < organisation_.ranks; ++rank) {
            if (rank == place.rank) continue;
            Clock& allowed = nodes_[of(Scope::rank)][at(rank)].allowed[of(effect.after)];
            allowed = std::max(allowed, now + effect.clocks);
        }
    }
    if (of_whole_rank(command)) {
        if (command == Command::refresh) return;
        const auto first = banks_.begin() + place.rank * banks_per_rank();
        std::fill(first, first + banks_per_rank(), Bank{});
        return;
    }
    note(nodes_[of(Scope::bank_group)][index(Scope::bank_group, place)], Scope::bank_group, command, now);
    note(nodes_[of(Scope::bank)][index(Scope::bank, place)], Scope::bank, command, now);
    Bank& bank = banks_[at(flat(place))];
    switch (command) {
        case Command::activate:
            bank = two_part_activation_ ? Bank{State::activating, -1} : Bank{State::open, place.row};
            break;
        case Command::activate_second: bank = {State::open, place.row}; break;
        case Command::precharge:
        case Command::read_close:
        case Command::write_close: bank = {}; break;
        default: break;
    }
}

}  // namespace tilewright::sim::dram
