#include "sim/dram/bank_table.hpp"

#include <algorithm>
#include <limits>

namespace tilewright::sim::dram {
namespace {

void put_off(Clock& clock, Clock until) { clock = std::max(clock, until); }

}  // namespace

BankTable::BankTable(const Device& device)
    : timing_(device.timing),
      delays_(delays_of(device.timing)),
      bank_groups_(device.organisation.bank_groups),
      banks_per_rank_(device.organisation.bank_groups * device.organisation.banks),
      banks_(static_cast<std::size_t>(device.organisation.ranks * banks_per_rank_)),
      ranks_(static_cast<std::size_t>(device.organisation.ranks)) {}

BankTable::Delays BankTable::delays_of(const Timing& t) {
    const int burst = std::max(t.burst, t.burst_long);
    Delays d{};
    d.activate_to_activate = std::max(t.row_short, t.row_long);
    // JEDEC's: the burst, plus tRTP minus tCCD.
    d.read_to_precharge = t.burst + std::max(t.read_precharge - t.column_short, 0);
    d.write_to_precharge = t.write + t.burst + t.write_recovery;
    d.read_to_write = t.read + t.burst + t.rank_switch - t.write;
    d.write_to_read = t.write + burst + std::max(t.write_read_short, t.write_read_long);
    d.column = std::max({t.column_short, t.column_long, burst});
    d.rank_column = t.burst + t.rank_switch;
    d.rank_write_to_read = t.write + t.burst + t.rank_switch - t.read;
    d.closing_read_to_activate = t.read_precharge + t.precharge;
    d.closing_write_to_activate = d.write_to_precharge + t.precharge;
    return d;
}

bool BankTable::ready_closed(int rank, int bank, Clock now) const {
    const Bank& one = of(rank, bank);
    return one.row < 0 && now >= one.activate;
}

bool BankTable::may_activate(int rank, int bank, Clock now) const {
    return ready_closed(rank, bank, now) && now >= of(rank, bank).quiet && !asleep(rank) &&
           now >= at(rank).activations.front();
}

bool BankTable::may_access(int rank, int bank, bool write, Clock now) const {
    const Bank& one = of(rank, bank);
    return one.row >= 0 && now >= (write ? one.write : one.read);
}

bool BankTable::may_precharge(int rank, int bank, Clock now) const {
    const Bank& one = of(rank, bank);
    return one.row >= 0 && now >= one.precharge;
}

void BankTable::activate(int rank, int bank, int row, Clock now) {
    for (int other = 0; other < banks_per_rank_; ++other) {
        if (other != bank) put_off(of(rank, other).activate, now + delays_.activate_to_activate);
    }
    Bank& one = of(rank, bank);
    one.row = row;
    ++open_;
    put_off(one.activate, now + timing_.row_cycle);
    put_off(one.precharge, now + timing_.row_open);
    put_off(one.read, now + timing_.activate_read);
    put_off(one.write, now + timing_.activate_write);
    auto& activations = at(rank).activations;
    std::rotate(activations.begin(), activations.begin() + 1, activations.end());
    activations.back() = now + timing_.four_activates;
}

/// Minimum wait of all banks' column commands for an access's data.
void BankTable::space_columns(int rank, bool write, Clock now) {
    for (int r = 0; r < ranks(); ++r) {
        const bool same = r == rank;
        const Clock alike = now + (same ? delays_.column : delays_.rank_column);
        const Clock to_read = now + (same ? delays_.write_to_read : delays_.rank_write_to_read);
        for (int b = 0; b < banks_per_rank_; ++b) {
            Bank& one = of(r, b);
            if (!same && one.row < 0) continue;
            put_off(one.read, write ? to_read : alike);
            put_off(one.write, write ? alike : now + delays_.read_to_write);
        }
    }
}

void BankTable::access(int rank, int bank, bool write, bool close, Clock now) {
    space_columns(rank, write, now);
    Bank& one = of(rank, bank);
    const Clock closing = now + (write ? delays_.write_to_precharge : delays_.read_to_precharge);
    if (!close) {
        put_off(one.precharge, closing);
        return;
    }
    one.row = -1;
    --open_;
    one.quiet = closing + timing_.precharge;
    put_off(one.activate, now + (write ? delays_.closing_write_to_activate : delays_.closing_read_to_activate));
}

void BankTable::precharge(int rank, int bank, Clock now) {
    Bank& one = of(rank, bank);
    one.row = -1;
    --open_;
    one.quiet = now + timing_.precharge;
    put_off(one.activate, one.quiet);
}

void BankTable::refresh(int rank, Clock now) {
    for (int b = 0; b < banks_per_rank_; ++b) of(rank, b).activate = of(rank, b).quiet = now + timing_.refresh;
}

bool BankTable::quiet(int rank, Clock now) const {
    for (int b = 0; b < banks_per_rank_; ++b) {
        if (of(rank, b).row >= 0 || now < of(rank, b).quiet) return false;
    }
    return true;
}

void BankTable::sleep(int rank, Clock now) {
    at(rank).asleep = true;
    at(rank).may_wake = now + timing_.power_down;
}

void BankTable::wake(int rank, Clock now) {
    at(rank).asleep = false;
    for (int b = 0; b < banks_per_rank_; ++b) of(rank, b).activate = now + timing_.power_up;
}

Clock BankTable::next_change(Clock now) const {
    Clock next = std::numeric_limits<Clock>::max();
    const auto consider = [&](Clock clock) {
        if (clock > now) next = std::min(next, clock);
    };
    for (int r = 0; r < ranks(); ++r) {
        if (asleep(r)) {
            consider(at(r).may_wake);
            continue;
        }
        consider(at(r).activations.front());
        for (int b = 0; b < banks_per_rank_; ++b) {
            const Bank& one = of(r, b);
            for (const Clock clock : {one.activate, one.precharge, one.read, one.write, one.quiet}) consider(clock);
        }
    }
    return next;
}

}  // namespace tilewright::sim::dram
