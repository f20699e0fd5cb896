// Round-robin controller over the ranks. DRAMSim2's (Rosenfeld, Cooper-Balis and Jacob, Computer Architecture Letters
// 2011), to the clock.
//
// Requests queue for room among the commands of their rank or bank (command_queues.hpp); per clock one moves there, and
// one command goes out. Ranks are refreshed in turn, evenly over the interval. An idle rank sleeps, and wakes for a
// request or a refresh. Writes complete with their data sent, reads with it received; neither is served from a queue.
#pragma once

#include <deque>
#include <vector>

#include "sim/dram/bank_table.hpp"
#include "sim/dram/command_queues.hpp"
#include "sim/dram/controller.hpp"

namespace tilewright::sim::dram {

class RoundRobin : public Controller {
   public:
    RoundRobin(const Device& device, const ControllerOptions& options);

    bool offer(const Request& request) override;
    void tick() override;
    const std::vector<Done>& completed() const override { return completed_; }
    Clock now() const override { return now_; }
    bool idle() const override { return requests_.empty() && queues_.empty() && reads_.empty() && writes_.empty(); }
    Clock next_event() const override { return quiet_until_ > now_ + 1 ? quiet_until_ : now_ + 1; }
    void skip_to(Clock clock) override { now_ = clock; }
    const Counts& counts() const override { return counts_; }

   private:
    struct UnderWay {
        Clock done_at = 0;
        std::uint64_t tag = 0;
    };

    // Each returns true on a change.
    bool finish(std::deque<UnderWay>& accesses, bool write);
    bool request_refresh();
    bool issue();
    bool move_to_commands();
    bool sleep_and_wake();

    void activate(const NextCommand& next);
    void access(const NextCommand& next);
    void precharge(const NextCommand& next);
    void refresh(const NextCommand& next);
    void count(Command command) { ++counts_.commands[static_cast<std::size_t>(command)]; }
    Clock next_change() const;

    Device device_;
    ControllerOptions options_;
    bool sleeps_;
    BankTable banks_;
    CommandQueues queues_;
    BusTime bus_time_;
    Clock now_ = 0;
    Clock quiet_until_ = 0;
    std::vector<Waiting> requests_;  ///< not yet among the commands
    std::deque<UnderWay> reads_;
    std::deque<UnderWay> writes_;
    int refresh_next_ = 0;
    std::vector<Clock> refresh_due_;     ///< [rank]
    std::vector<bool> to_be_refreshed_;  ///< [rank]
    std::vector<Done> completed_;
    Counts counts_;
};

}  // namespace tilewright::sim::dram
