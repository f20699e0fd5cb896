// Flits, their packets, and links carrying flits one way and credits the other.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace tilewright::sim {

using Cycle = std::int64_t;

/// A packet stays in the pool while any of its flits is in flight.
using PacketSlot = std::uint32_t;

struct Flit {
    PacketSlot packet = 0;
    std::uint8_t virtual_channel = 0;
    bool tail = false;
};

struct Packet {
    int source = 0;
    std::vector<int> destinations;  ///< distinct
    int flits = 1;
    std::uint64_t tag = 0;  ///< the sender's
    Cycle created = 0;
    Cycle injected = 0;
    int undelivered = 0;  ///< destinations without the tail
};

/// Traffic on a link by arrival cycle: per cycle at most one flit and one credit, none later than kReach - 1 cycles
/// from now.
class Link {
   public:
    static constexpr Cycle kReach = 8;

    void send(Cycle arrival, const Flit& flit) {
        flits_[slot(arrival)] = flit;
        flits_due_ |= bit(arrival);
    }
    void send_credit(Cycle arrival, int virtual_channel) {
        credits_[slot(arrival)] = static_cast<std::uint8_t>(virtual_channel);
        credits_due_ |= bit(arrival);
    }

    bool flit_arrives(Cycle now) const { return (flits_due_ & bit(now)) != 0; }
    Flit take(Cycle now) {
        flits_due_ &= static_cast<std::uint8_t>(~bit(now));
        return flits_[slot(now)];
    }
    bool credit_arrives(Cycle now) const { return (credits_due_ & bit(now)) != 0; }
    int take_credit(Cycle now) {
        credits_due_ &= static_cast<std::uint8_t>(~bit(now));
        return credits_[slot(now)];
    }

    bool empty() const { return flits_due_ == 0 && credits_due_ == 0; }

    /// Calls see_flit(cycles from now, flit) and see_credit(cycles from now, virtual channel) for the traffic in
    /// flight.
    template <typename SeeFlit, typename SeeCredit>
    void for_each(Cycle now, SeeFlit see_flit, SeeCredit see_credit) const {
        if (empty()) return;
        for (Cycle ahead = 0; ahead < kReach; ++ahead) {
            if (flit_arrives(now + ahead)) see_flit(ahead, flits_[slot(now + ahead)]);
            if (credit_arrives(now + ahead)) see_credit(ahead, credits_[slot(now + ahead)]);
        }
    }

   private:
    static std::size_t slot(Cycle cycle) { return static_cast<std::size_t>(cycle & (kReach - 1)); }
    static std::uint8_t bit(Cycle cycle) { return static_cast<std::uint8_t>(1U << slot(cycle)); }

    std::array<Flit, kReach> flits_{};
    std::array<std::uint8_t, kReach> credits_{};
    std::uint8_t flits_due_ = 0;
    std::uint8_t credits_due_ = 0;
};

/// The sender's view of one virtual channel downstream.
struct Downstream {
    int occupied = 0;  ///< flits without a returned credit
    bool taken = false;
    bool tail_sent = false;

    void take() {
        taken = true;
        tail_sent = false;
    }
    void sent(bool tail, bool wait_for_tail_credit) {
        ++occupied;
        if (!tail) return;
        tail_sent = true;
        if (!wait_for_tail_credit) taken = false;
    }
    void credit(bool wait_for_tail_credit) {
        --occupied;
        if (wait_for_tail_credit && occupied == 0 && tail_sent) taken = false;
    }
};

}  // namespace tilewright::sim
