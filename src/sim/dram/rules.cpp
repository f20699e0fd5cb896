#include "sim/dram/rules.hpp"

#include <initializer_list>

namespace tilewright::sim::dram {
namespace {

using enum Command;
using Commands = std::initializer_list<Command>;

constexpr Commands kReads = {read, read_close};
constexpr Commands kWrites = {write, write_close};

/// Timing rules; `add` takes every pair.
class Rules {
   public:
    explicit Rules(const Device& device) : t_(device.timing), own_data_bus_(device.organisation.own_data_bus) {}

    std::vector<Rule> all() {
        data_bus();
        columns(Scope::rank, t_.column_short, t_.write_read_short, t_.burst);
        columns(Scope::bank_group, t_.column_long, t_.write_read_long, t_.burst_long);
        add(Scope::rank, kReads, kWrites, t_.read + t_.burst + 2 - t_.write);
        activates();
        rank_precharges();
        refreshes();
        bank();
        return rules_;
    }

   private:
    void add(Scope scope, Commands before, Commands after, int clocks, int window = 1, bool other_ranks = false) {
        for (const Command b : before) {
            for (const Command a : after) rules_.push_back({scope, b, a, clocks, window, other_ranks});
        }
    }
    /// A multi-clock activation takes effect with its last clock.
    int late() const { return t_.activate_cycles - 1; }
    int written() const { return t_.write + t_.burst + t_.write_recovery; }

    void data_bus() {
        const Scope scope = own_data_bus_ ? Scope::rank : Scope::channel;
        add(scope, kReads, kReads, t_.burst);
        add(scope, kWrites, kWrites, t_.burst);
        if (own_data_bus_) return;
        add(Scope::rank, kReads, {read, write, read_close, write_close}, t_.burst + t_.rank_switch, 1, true);
        add(Scope::rank, kWrites, kReads, t_.write + t_.burst + t_.rank_switch - t_.read, 1, true);
    }
    void columns(Scope scope, int column, int write_read, int burst) {
        add(scope, kReads, kReads, column);
        add(scope, kWrites, kWrites, column);
        add(scope, kWrites, kReads, t_.write + burst + write_read);
    }
    void activates() {
        add(Scope::rank, {activate}, {activate}, t_.row_short);
        add(Scope::bank_group, {activate}, {activate}, t_.row_long);
        add(Scope::rank, {activate}, {activate}, t_.four_activates, 4);
        if (late() > 0)
            add(Scope::channel, {activate}, {activate, precharge, precharge_all, refresh}, t_.activate_cycles);
    }
    void rank_precharges() {
        add(Scope::rank, {read}, {precharge_all}, t_.read_precharge);
        add(Scope::rank, {write}, {precharge_all}, written());
        add(Scope::rank, {activate}, {precharge_all}, t_.row_open + late());
        add(Scope::rank, {precharge_all}, {activate}, t_.precharge_all - late());
        if (t_.precharge_gap > 0) {
            add(Scope::rank, {precharge, precharge_all}, {precharge, precharge_all}, t_.precharge_gap);
        }
    }
    void refreshes() {
        add(Scope::rank, {activate}, {refresh}, t_.row_cycle + late());
        add(Scope::rank, {precharge, precharge_all}, {refresh}, t_.precharge);
        add(Scope::rank, {read_close}, {refresh}, t_.read_precharge + t_.precharge);
        add(Scope::rank, {write_close}, {refresh}, written() + t_.precharge);
        add(Scope::rank, {refresh}, {activate}, t_.refresh - late());
        add(Scope::rank, {refresh}, {refresh}, t_.refresh);
        add(Scope::rank, {refresh}, {precharge_all}, t_.refresh);
    }
    void bank() {
        add(Scope::bank, {activate}, {activate}, t_.row_cycle);
        add(Scope::bank, {activate}, {read, read_close}, t_.activate_read + late());
        add(Scope::bank, {activate}, {write, write_close}, t_.activate_write + late());
        add(Scope::bank, {activate}, {precharge}, t_.row_open + late());
        add(Scope::bank, {precharge}, {activate}, t_.precharge - late());
        add(Scope::bank, {read}, {precharge}, t_.read_precharge);
        add(Scope::bank, {write}, {precharge}, written());
        add(Scope::bank, {read_close}, {activate}, t_.read_precharge + t_.precharge - late());
        add(Scope::bank, {write_close}, {activate}, written() + t_.precharge - late());
    }

    const Timing& t_;
    bool own_data_bus_;
    std::vector<Rule> rules_;
};

}  // namespace

std::vector<Rule> rules_of(const Device& device) { return Rules(device).all(); }

}  // namespace tilewright::sim::dram
