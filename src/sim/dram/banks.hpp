// The banks of a channel as state machines: a request's next command, its first legal clock, its effect.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/dram/address.hpp"
#include "sim/dram/rules.hpp"

namespace tilewright::sim::dram {

class Banks {
   public:
    explicit Banks(const Device& device);

    /// The next command towards `access` (a read, a write or a refresh).
    Command next(Command access, const Place& place) const;

    /// The first legal clock. For refresh and precharge_all only the rank counts.
    Clock ready(Command command, const Place& place) const;

    void issue(Command command, const Place& place, Clock now);

    int flat(const Place& place) const {
        return (place.rank * organisation_.bank_groups + place.bank_group) * organisation_.banks + place.bank;
    }
    int count() const { return static_cast<int>(banks_.size()); }
    int banks_per_rank() const { return organisation_.bank_groups * organisation_.banks; }
    bool row_open(const Place& place) const { return banks_[flat(place)].state == State::open; }

   private:
    enum class State : std::uint8_t { closed, activating, open };
    struct Bank {
        State state = State::closed;
        int row = -1;
    };
    /// One place at one scope: first legal and last clock of each command.
    struct Node {
        std::array<Clock, kCommands> allowed{};
        std::array<Clock, 4> activates{-1, -1, -1, -1};  ///< the last four, newest first
    };
    struct Effect {
        Command after;
        int clocks;
        int window;
        bool other_ranks;
    };

    Node& node(Scope scope, const Place& place);
    std::size_t index(Scope scope, const Place& place) const;
    void note(Node& node, Scope scope, Command command, Clock now);
    bool all_closed(int rank) const;

    Organisation organisation_;
    bool two_part_activation_;
    std::vector<Bank> banks_;
    std::array<std::vector<Node>, kScopes> nodes_;
    std::array<std::array<std::vector<Effect>, kCommands>, kScopes> effects_;
};

}  // namespace tilewright::sim::dram
