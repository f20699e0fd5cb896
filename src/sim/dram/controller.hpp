// Controllers of one memory channel, clock by clock: first_ready.hpp and round_robin.hpp; controller_of makes the
// selected one.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/dram/address.hpp"
#include "sim/dram/rules.hpp"

namespace tilewright::sim::dram {

enum class Scheduling : std::uint8_t {
    first_ready,  ///< oldest ready request first, writes in batches (FR-FCFS, as in ramulator2)
    round_robin,  ///< ranks in turn, each with its own command queue (as in DRAMSim2)
};

enum class RowPolicy : std::uint8_t {
    open,    ///< open until another row of the bank is requested; round_robin: while a request waits for it
    closed,  ///< first_ready: closed with the last known access to it; round_robin: with every access
};

struct RoundRobinOptions {
    int commands = 32;            ///< in a command queue; a request is two, until its row is open
    bool queue_per_bank = false;  ///< a queue per bank; otherwise per rank
    bool banks_first = false;     ///< round robin over a rank's banks before the next rank
    int row_hits = 4;             ///< accesses to an open row beyond the first before it is closed
    bool power_down = true;       ///< idle ranks sleep, if the device gives a wake-up time

    bool operator==(const RoundRobinOptions&) const = default;
};

struct ControllerOptions {
    Scheduling scheduling = Scheduling::first_ready;
    Interleaving interleaving = Interleaving::row_bank_column;
    RowPolicy rows = RowPolicy::open;
    int queue = 32;           ///< requests; first_ready: reads and writes each
    double write_high = 0.8;  ///< first_ready: fill above which writes go first
    double write_low = 0.2;   ///< first_ready: fill below which they stop
    RoundRobinOptions round_robin;

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

/// Cause of an idle data bus with a waiting access.
enum class Lost : std::uint8_t {
    refresh,     ///< refresh of its rank
    rows,        ///< activation of its row
    turnaround,  ///< read-write turnaround
    spacing,     ///< other command spacing: bank group, ranks
};
inline constexpr std::size_t kLost = 4;

/// Counts so far.
struct Counts {
    std::array<std::int64_t, kCommands> commands{};
    std::int64_t row_hits = 0;
    std::int64_t row_misses = 0;     ///< the bank was closed
    std::int64_t row_conflicts = 0;  ///< another row was open
    std::int64_t forwarded = 0;      ///< reads served from the write queue, and writes merged with a waiting one

    Clock busy = 0;                   ///< data clocks of all channels
    std::array<Clock, kLost> lost{};  ///< clocks from an access's earliest possible data to its actual data

    std::int64_t of(Command command) const { return commands[static_cast<std::size_t>(command)]; }
};

class Controller {
   public:
    Controller() = default;
    Controller(const Controller&) = delete;
    Controller& operator=(const Controller&) = delete;
    virtual ~Controller() = default;

    /// Takes a request in this clock; false if its queue is full.
    virtual bool offer(const Request& request) = 0;

    /// One clock; completed() then has its results.
    virtual void tick() = 0;
    virtual const std::vector<Done>& completed() const = 0;

    virtual Clock now() const = 0;
    /// No request or data under way; refreshes go on.
    virtual bool idle() const = 0;
    /// Lower bound on the next change without new requests.
    virtual Clock next_event() const = 0;
    /// Skips idle clocks. Requires clock < next_event().
    virtual void skip_to(Clock clock) = 0;

    virtual const Counts& counts() const = 0;
};

/// Reason why these options do not fit the device, or "".
std::string problem_with(const Device& device, const ControllerOptions& options);

/// Requires problem_with(device).empty() and problem_with(device, options).empty().
std::unique_ptr<Controller> controller_of(const Device& device, const ControllerOptions& options);

// Use of a channel's data buses: clocks of data, and of waiting accesses by cause.

class BusTime {
   public:
    explicit BusTime(const Device& device);

    struct Access {
        int rank = 0;
        bool write = false;
        Clock arrived = 0;    ///< at the controller
        bool opened = false;  ///< activated for this access
    };
    /// The access's command goes now; its data follows.
    void moves(const Access& access, Clock now, Counts& counts);

    void refreshes(int rank, Clock now);

   private:
    struct Bus {
        Clock free_at = 0;
        bool write = false;  ///< moved last
    };
    Timing timing_;
    bool bus_per_rank_;
    std::vector<Bus> buses_;
    std::vector<Clock> refreshed_until_;  ///< [rank]
};

}  // namespace tilewright::sim::dram
