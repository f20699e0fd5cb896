// First legal clock of each command per bank of a channel, and the sleeping ranks: DRAMSim2's rules. They have no bank
// groups: with some, the longer times hold between all banks.
#pragma once

#include <array>
#include <vector>

#include "sim/dram/address.hpp"
#include "sim/dram/device.hpp"

namespace tilewright::sim::dram {

class BankTable {
   public:
    explicit BankTable(const Device& device);

    int ranks() const { return static_cast<int>(ranks_.size()); }
    int banks() const { return banks_per_rank_; }  ///< of a rank
    int bank_of(const Place& place) const { return place.bank * bank_groups_ + place.bank_group; }

    /// The open row, or -1.
    int open_row(int rank, int bank) const { return of(rank, bank).row; }
    bool any_open() const { return open_ > 0; }
    bool may_activate(int rank, int bank, Clock now) const;
    bool may_access(int rank, int bank, bool write, Clock now) const;
    bool may_precharge(int rank, int bank, Clock now) const;
    /// A closed bank meeting the times of an activation or a refresh, apart from the four-activation window.
    bool ready_closed(int rank, int bank, Clock now) const;

    void activate(int rank, int bank, int row, Clock now);
    void access(int rank, int bank, bool write, bool close, Clock now);
    void precharge(int rank, int bank, Clock now);
    void refresh(int rank, Clock now);

    bool asleep(int rank) const { return at(rank).asleep; }
    /// Every bank is closed, with its precharge completed.
    bool quiet(int rank, Clock now) const;
    bool may_wake(int rank, Clock now) const { return at(rank).asleep && now >= at(rank).may_wake; }
    void sleep(int rank, Clock now);
    void wake(int rank, Clock now);

    /// Next clock with a newly legal command, or a bank becoming quiet.
    Clock next_change(Clock now) const;

   private:
    struct Bank {
        int row = -1;
        Clock activate = 0;  ///< first legal clock of the command
        Clock precharge = 0;
        Clock read = 0;
        Clock write = 0;
        Clock quiet = 0;  ///< closed from this clock on
    };
    struct Rank {
        std::array<Clock, 4> activations{};  ///< first clock of a fifth one after the last four, the oldest first
        bool asleep = false;
        Clock may_wake = 0;
    };
    /// Between commands, from the device's times.
    struct Delays {
        int activate_to_activate, read_to_precharge, write_to_precharge, read_to_write, write_to_read;
        int column, rank_column, rank_write_to_read;
        int closing_read_to_activate, closing_write_to_activate;
    };
    static Delays delays_of(const Timing& timing);

    Bank& of(int rank, int bank) { return banks_[rank * banks_per_rank_ + bank]; }
    const Bank& of(int rank, int bank) const { return banks_[rank * banks_per_rank_ + bank]; }
    Rank& at(int rank) { return ranks_[rank]; }
    const Rank& at(int rank) const { return ranks_[rank]; }
    void space_columns(int rank, bool write, Clock now);

    Timing timing_;
    Delays delays_;
    int bank_groups_;
    int banks_per_rank_;
    std::vector<Bank> banks_;  ///< [rank * banks_per_rank_ + bank]
    std::vector<Rank> ranks_;
    int open_ = 0;  ///< banks
};

}  // namespace tilewright::sim::dram
