// First-ready controller: queues of reads and writes, refresh, read-write turnaround. ramulator2's, to the clock.
//
// A request keeps the bank of its activation until served. Writes wait for a full batch or an empty read queue; they
// complete with their command, reads with their data. A read of a waiting write's address is served from the queue.
// Read data arrives in command order.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "sim/dram/banks.hpp"
#include "sim/dram/controller.hpp"

namespace tilewright::sim::dram {

class FirstReady : public Controller {
   public:
    FirstReady(const Device& device, const ControllerOptions& options);

    bool offer(const Request& request) override;
    void tick() override;
    const std::vector<Done>& completed() const override { return completed_; }
    Clock now() const override { return now_; }
    bool idle() const override;
    Clock next_event() const override { return quiet_until_ > now_ + 1 ? quiet_until_ : now_ + 1; }
    void skip_to(Clock clock) override { now_ = clock; }
    const Counts& counts() const override { return counts_; }

   private:
    struct Entry {
        Request request;
        Place place;
        Command access = Command::read;
        Command next = Command::read;
        Clock arrived = 0;
        bool counted = false;
        bool opened = false;  ///< activated for this request
    };
    using Queue = std::vector<Entry>;
    struct Candidate {
        Queue* queue = nullptr;
        std::size_t index = 0;
        explicit operator bool() const { return queue != nullptr; }
        Entry& entry() const { return (*queue)[index]; }
    };
    using Filter = std::function<bool(const Entry&)>;

    void serve_finished();
    void request_refresh();
    bool step_single();
    bool step_row_and_column();
    bool issue_on(bool column_bus);
    void settle_quiet(bool issued);
    Clock earliest_ready(Queue& queue);

    Candidate best_ready(Queue& queue, const Filter& filter);
    Candidate pick_maintenance(const Filter& filter);
    Candidate pick_access(const Filter& filter);
    void choose_mode();
    bool closes_row_in_use(const Entry& entry) const;

    void issue(const Candidate& candidate);
    void count(Entry& entry);
    void close_if_last(Entry& entry, const Queue& queue);
    void advance(const Candidate& candidate);
    void retire(const Candidate& candidate);
    void promote(const Candidate& candidate);
    bool waits_to_be_written(std::int64_t address) const;

    // LPDDR5 (first_ready_clock_sync.cpp)
    bool step_clock_sync();
    bool allowed_while_activating(const Entry& entry) const;
    bool blocks_activation(const Entry& entry) const;
    Candidate second_activation(bool only_urgent);
    void issue_second_activation(const Candidate& candidate);
    bool needs_sync(const Entry& entry) const;
    bool sync_would_miss_deadline() const;
    bool try_sync(const Candidate& candidate);
    bool finish_synced();
    void extend_data_clock(const Entry& entry);
    void issue_plainly(const Candidate& candidate);

    Device device_;
    ControllerOptions options_;
    Banks banks_;
    Clock now_ = 0;
    Clock quiet_until_ = 0;
    Clock next_refresh_ = 0;
    bool write_mode_ = false;
    Queue reads_;
    Queue writes_;
    Queue active_;       ///< activated for them
    Queue maintenance_;  ///< refreshes
    Queue activating_;   ///< with a pending second half of the activation
    std::vector<int> active_per_bank_;
    std::vector<Clock> second_due_;  ///< [bank] -1: none
    BusTime bus_time_;
    struct Finishing {
        Clock at;
        std::uint64_t tag;
    };
    std::deque<Finishing> finishing_;
    std::vector<Done> absorbed_;  ///< merged with a waiting write
    std::vector<Done> completed_;
    Counts counts_;
    Candidate synced_;
    Clock data_clock_until_ = 0;
};

}  // namespace tilewright::sim::dram
