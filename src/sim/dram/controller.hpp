// What serves the requests of one memory channel, clock by clock. Two controllers do (first_ready.hpp,
// round_robin.hpp); controller_of makes the one that the options ask for.
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
    first_ready,  ///< of what is ready the oldest, writes by and by (FR-FCFS, as in ramulator2)
    round_robin,  ///< the ranks in turn, each from a queue of commands of its own (as in DRAMSim2)
};

enum class RowPolicy : std::uint8_t {
    open,    ///< a row stays open until another one of its bank is wanted; round_robin: while a request waits for it
    closed,  ///< first_ready: closed with the last access to it that is known; round_robin: with every access
};

/// What only round_robin has.
struct RoundRobinOptions {
    int commands = 32;            ///< in a queue of commands; a request is two, until its row is open
    bool queue_per_bank = false;  ///< a queue for each bank; otherwise for each rank
    bool banks_first = false;     ///< the turn passes over the banks of a rank before it goes to the next rank
    int row_hits = 4;             ///< a row is closed after so many accesses beside the one that it was opened for
    bool power_down = true;       ///< a rank without work sleeps, where the device says how long it takes to wake up

    bool operator==(const RoundRobinOptions&) const = default;
};

struct ControllerOptions {
    Scheduling scheduling = Scheduling::first_ready;
    Interleaving interleaving = Interleaving::row_bank_column;
    RowPolicy rows = RowPolicy::open;
    int queue = 32;           ///< requests; first_ready: reads and writes each
    double write_high = 0.8;  ///< first_ready: above this part of the queue, writes go first
    double write_low = 0.2;   ///< first_ready: until they are below this part
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
    Controller() = default;
    Controller(const Controller&) = delete;
    Controller& operator=(const Controller&) = delete;
    virtual ~Controller() = default;

    /// Takes a request in this clock; false when its queue is full.
    virtual bool offer(const Request& request) = 0;

    /// One clock. completed() then has what was done in it.
    virtual void tick() = 0;
    virtual const std::vector<Done>& completed() const = 0;

    virtual Clock now() const = 0;
    /// Nothing waits and no data is under way; refreshes go on.
    virtual bool idle() const = 0;
    /// No clock before this one changes anything unless a request comes.
    virtual Clock next_event() const = 0;
    /// Passes clocks in which nothing happens. Requires clock < next_event().
    virtual void skip_to(Clock clock) = 0;

    virtual const Counts& counts() const = 0;
};

/// Why these options do not fit the device, or "".
std::string problem_with(const Device& device, const ControllerOptions& options);

/// Requires problem_with(device).empty() and problem_with(device, options).empty().
std::unique_ptr<Controller> controller_of(const Device& device, const ControllerOptions& options);

}  // namespace tilewright::sim::dram
