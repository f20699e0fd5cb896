// The controller of one memory channel, clock by clock: queues of reads and writes, first ready first come first
// served, refresh, turnaround between reads and writes.
//
// A request whose row was opened for it keeps the bank until it is served. Writes wait until there are enough of them,
// or no reads; they are done when their command has gone, reads when their data is there. A read of an address that
// waits to be written is served from the queue. Data of reads comes in the order in which their commands went.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "sim/dram/banks.hpp"

namespace tilewright::sim::dram {

enum class RowPolicy : std::uint8_t {
    open,    ///< a row stays open until another one of its bank is wanted
    closed,  ///< it is closed with the last access to it that is known
};

struct ControllerOptions {
    Interleaving interleaving = Interleaving::row_bank_column;
    RowPolicy rows = RowPolicy::open;
    int queue = 32;           ///< requests, of reads and of writes each
    double write_high = 0.8;  ///< above this part of the queue, writes go first
    double write_low = 0.2;   ///< until they are below this part

    bool operator==(const ControllerOptions&) const = default;
};

struct Request {
    std::int64_t address = 0;  ///< bytes, within the channel
    bool write = false;
    std::uint64_t tag = 0;
};

struct Done {
    std::uint64_t tag = 0;
    bool write = false;
};

/// Why the data bus stood still although an access was waiting for it.
enum class Lost : std::uint8_t {
    refresh,     ///< its rank was being refreshed
    rows,        ///< its row had to be opened
    turnaround,  ///< the bus turned from reads to writes, or back
    spacing,     ///< commands have to keep their distance otherwise: in a bank group, between ranks
};
inline constexpr std::size_t kLost = 4;

/// What happened so far.
struct Counts {
    std::array<std::int64_t, kCommands> commands{};
    std::int64_t row_hits = 0;
    std::int64_t row_misses = 0;     ///< the bank was closed
    std::int64_t row_conflicts = 0;  ///< another row was open
    std::int64_t forwarded =
        0;  ///< reads served from the queue of writes, and writes to an address that waits to be written

    Clock busy = 0;                   ///< clocks in which data moved, of all channels
    std::array<Clock, kLost> lost{};  ///< clocks from when an access could have moved its data until it did

    std::int64_t of(Command command) const { return commands[static_cast<std::size_t>(command)]; }
};

class Controller {
   public:
    /// Requires problem_with(device).empty().
    Controller(const Device& device, const ControllerOptions& options);

    /// Takes a request in this clock; false when its queue is full.
    bool offer(const Request& request);

    /// One clock. completed() then has what was done in it.
    void tick();
    const std::vector<Done>& completed() const { return completed_; }

    Clock now() const { return now_; }
    /// Nothing waits and no data is under way; refreshes go on.
    bool idle() const;
    /// No clock before this one changes anything unless a request comes.
    Clock next_event() const { return quiet_until_ > now_ + 1 ? quiet_until_ : now_ + 1; }
    /// Passes clocks in which nothing happens. Requires clock < next_event().
    void skip_to(Clock clock) { now_ = clock; }

    const Counts& counts() const { return counts_; }

   private:
    struct Entry {
        Request request;
        Place place;
        Command access = Command::read;
        Command next = Command::read;
        Clock arrived = 0;
        bool counted = false;
        bool opened = false;  ///< its row was opened for it
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
    void count_data(const Entry& entry);
    void close_if_last(Entry& entry, const Queue& queue);
    void advance(const Candidate& candidate);
    void retire(const Candidate& candidate);
    void promote(const Candidate& candidate);
    bool waits_to_be_written(std::int64_t address) const;

    // LPDDR5 (controller_clock_sync.cpp)
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
    Queue active_;       ///< their row was opened for them
    Queue maintenance_;  ///< refreshes
    Queue activating_;   ///< the second half of their activation is due
    std::vector<int> active_per_bank_;
    std::vector<Clock> second_due_;  ///< [bank] -1: none
    struct Finishing {
        Clock at;
        std::uint64_t tag;
    };
    std::vector<Clock> refreshed_until_;  ///< [rank]
    struct Bus {
        Clock free_at = 0;
        bool write = false;  ///< moved last
    };
    std::vector<Bus> buses_;  ///< of data
    std::deque<Finishing> finishing_;
    std::vector<Done> absorbed_;  ///< writes to an address that waits to be written
    std::vector<Done> completed_;
    Counts counts_;
    Candidate synced_;
    Clock data_clock_until_ = 0;
};

}  // namespace tilewright::sim::dram
