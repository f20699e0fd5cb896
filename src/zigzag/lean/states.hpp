// State of a relaxed allocation of loops, and its successors under one more outer loop. For the bound on loop orders
// (order_bound.hpp). Internal to account/zigzag.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "zigzag/lean/boundaries.hpp"

namespace tilewright::zigzag::lean {

inline constexpr int kShared = 4;  // memories of several operands, except a common last one

/// Loops fixed so far, and each operand's position. Equal states have equal continuations.
struct State {
    Prefix prefix = 0;
    /// 0: only irrelevant loops so far; l + 1: level l still takes loops.
    std::array<std::uint8_t, kOperands> level{};
    bool partial_sums = false;           ///< the output's level holds partial sums
    std::uint8_t ended = 0;              ///< bit m: evenly cut operands take no more loops in shared memory m
    std::array<double, kShared> used{};  ///< bits kept in a shared memory by finished operands
    /// Minimum extra bits for one more loop there.
    std::array<double, kShared> growth{};

    bool operator==(const State&) const = default;
};

struct Successor {
    State state;
    double spent_pj = 0.0;
};

class Transitions {
   public:
    explicit Transitions(const Boundaries& boundaries);

    State start() const;
    /// Adds the states after one more loop of this kind. Requires boundaries.has_more(state.prefix, kind).
    void extend(const State& state, int kind, std::vector<Successor>& successors) const;
    /// Remaining boundary cost without further loops; empty if it does not fit.
    std::optional<double> finish(const State& state) const;

   private:
    struct Shared {
        double capacity_bits = 0.0;
        double fixed_bits = 0.0;  ///< of operands without another memory above
        int residents = 0;
        std::array<Resident, kOperands> resident{};
        bool even = false;     ///< operands end at the same loop
        bool maximal = false;  ///< the allocation takes every loop that fits
    };
    struct Extension;

    void add_memory(const Memory& memory);
    bool at_top(int operand, int level) const { return level + 1 == setup_.operand[operand].levels; }
    double bits(const Extension& step, int operand, int level, Prefix prefix) const;
    double least_bits(const State& state, const Resident& resident) const;
    bool close(Extension& step, int operand) const;
    void settle(Extension step, int operand) const;
    void settle_idle(Extension step, int operand) const;
    void settle_alone(Extension step, int operand, int level) const;
    void settle_uneven(Extension step, int operand, int level, int memory) const;
    void settle_even(Extension step, int operand, int level, int memory) const;
    void end_even(Extension step, int operand, int level, int memory) const;
    void emit(Extension step) const;
    bool is_counted(const State& state, const Resident& resident, int memory) const;
    bool room_in(State& state, int memory) const;
    std::optional<double> finish_operand(State& state, int operand) const;
    bool holds_everything(const State& state) const;

    const Boundaries& boundaries_;
    const Setup& setup_;
    int shared_count_ = 0;
    std::array<Shared, kShared> shared_{};
    std::array<std::array<int, kLevels>, kOperands> shared_of_{};  ///< index into shared_, -1: none
    std::vector<Memory> last_;                                     ///< the last memory of all its residents
};

}  // namespace tilewright::zigzag::lean
