// Queues of requests as commands (an activation and an access each) and their arbitration: round robin over the queues,
// in a queue the first legal command. A due refresh goes first, once its rank's open rows are served and closed. If no
// command is legal, a row without waiting requests is closed.
#pragma once

#include <optional>
#include <vector>

#include "sim/dram/bank_table.hpp"
#include "sim/dram/controller.hpp"

namespace tilewright::sim::dram {

struct Waiting {
    Request request;
    Place place;
    int bank = 0;  ///< within its rank, over all groups
    Clock arrived = 0;
    bool conflict = false;   ///< another row of its bank was open at its arrival
    bool activated = false;  ///< its row was opened for it
};

struct NextCommand {
    enum class Kind : std::uint8_t { activate, access, precharge, refresh };
    Kind kind = Kind::access;
    int rank = 0;
    int bank = 0;
    Waiting waiting{};  ///< of an activation and an access
};

class CommandQueues {
   public:
    CommandQueues(const BankTable& banks, const ControllerOptions& options);

    bool has_room(int rank, int bank) const;
    /// Requires has_room.
    void push(const Waiting& waiting);
    bool empty() const { return waiting_ == 0; }
    bool empty(int rank) const;

    /// Refreshes the rank as soon as possible; replaces an earlier pending refresh.
    void refresh(int rank) { refreshing_ = rank; }

    /// Takes the next command out of its queue. An access with an open row takes its activation along.
    std::optional<NextCommand> take(const BankTable& banks, Clock now);

   private:
    using Queue = std::vector<Waiting>;
    struct Turn {
        int rank = 0;
        int bank = 0;

        bool operator==(const Turn&) const = default;
    };

    std::size_t index(int rank, int bank) const;
    Queue& queue(int rank, int bank) { return queues_[index(rank, bank)]; }
    int& hits(int rank, int bank) { return hits_[rank * banks_ + bank]; }
    bool hits_exhausted(int rank, int bank) const;
    void pass(Turn& turn) const;
    void pass_to_next_queue(Turn& turn) const;

    std::optional<NextCommand> toward_refresh(const BankTable& banks, Clock now);
    std::optional<NextCommand> serve_or_close(const BankTable& banks, int bank, Clock now);
    std::optional<NextCommand> from_queues(const BankTable& banks, Clock now);
    std::optional<NextCommand> from_queue(Queue& queue, const BankTable& banks, Clock now);
    std::optional<NextCommand> close_a_row(const BankTable& banks, Clock now);
    bool access_may_go(const Waiting& waiting, const BankTable& banks, Clock now) const;
    bool row_is_wanted(int rank, int bank, int row);
    NextCommand access(Queue& queue, std::size_t index);
    NextCommand precharge(int rank, int bank);

    ControllerOptions options_;
    int ranks_;
    int banks_;
    std::vector<Queue> queues_;
    std::vector<int> hits_;  ///< [rank * banks_ + bank] since the activation
    std::size_t waiting_ = 0;
    int refreshing_ = -1;
    Turn turn_;
    Turn closing_;
};

}  // namespace tilewright::sim::dram
