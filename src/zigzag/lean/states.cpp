#include "zigzag/lean/states.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace tilewright::zigzag::lean {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

// An operand without loops is in its first memory.
bool is_at(std::uint8_t position, int level) { return position == level + 1 || (position == 0 && level == 0); }

}  // namespace

// One added loop: the resulting state, and the decisions so far.
struct Transitions::Extension {
    State state;
    double spent_pj;
    int kind;
    Prefix next;                                 // the prefix with the loop
    std::array<std::uint8_t, kOperands> before;  // levels
    std::uint8_t ended_before;
    std::uint8_t decided;  // bit m: whether the even memory m ends here
    std::vector<Successor>* successors;
};

Transitions::Transitions(const Boundaries& boundaries) : boundaries_(boundaries), setup_(boundaries.setup()) {
    for (auto& levels : shared_of_) levels.fill(-1);
    for (int m = 0; m < setup_.memories; ++m) add_memory(setup_.memory[m]);
}

void Transitions::add_memory(const Memory& memory) {
    Shared shared;
    for (int k = 0; k < memory.residents; ++k) {
        const Resident& resident = memory.resident[k];
        if (!resident.top) {
            shared.resident[shared.residents++] = resident;
            continue;
        }
        const int o = resident.operand;
        const bool partial_sums = o == 0 && setup_.operand[o].names_reuse_from[resident.level + 1];
        shared.fixed_bits += boundaries_.bits(o, resident.level, boundaries_.prefixes() - 1, partial_sums);
    }
    if (shared.residents == 0) return last_.push_back(memory);
    if (memory.residents == 1) return;
    if (shared_count_ == kShared)
        throw InputError(ErrorCode::unsupported, {},
                         "bounds on loop orders know at most " + std::to_string(kShared) +
                             " memories of several operands below the last ones");
    const bool mixed = shared.residents < memory.residents;
    shared.capacity_bits = memory.capacity_bits;
    shared.even = setup_.even && !mixed;
    shared.maximal = !mixed && (shared.even || !setup_.even);
    for (int k = 0; k < shared.residents; ++k) {
        const Resident& resident = shared.resident[k];
        shared.maximal = shared.maximal && boundaries_.exact(resident.operand);
        shared_of_[resident.operand][resident.level] = shared_count_;
    }
    shared_[shared_count_++] = shared;
}

State Transitions::start() const {
    State state;
    state.level[0] = 1;
    state.partial_sums = setup_.operand[0].names_reuse_from[1] || boundaries_.reuse_remains(0);
    state.growth.fill(kNoLimit);
    return state;
}

double Transitions::bits(const Extension& step, int o, int level, Prefix prefix) const {
    return boundaries_.bits(o, level, prefix, o == 0 && step.state.partial_sums);
}

// The operand's level is complete: the boundary above it lies here. False if the next level is too small.
bool Transitions::close(Extension& step, int o) const {
    const int level = step.state.level[o] - 1;
    const Prefix prefix = step.state.prefix;
    step.spent_pj += level < 0 ? boundaries_.idle_pj(o, prefix) : boundaries_.boundary_pj(o, level, prefix);
    ++step.state.level[o];
    if (o == 0)
        step.state.partial_sums = setup_.operand[0].names_reuse_from[level + 2] || boundaries_.reuse_remains(prefix);
    return at_top(o, level + 1) || bits(step, o, level + 1, prefix) <= setup_.operand[o].capacity_bits[level + 1];
}

void Transitions::extend(const State& state, int kind, std::vector<Successor>& successors) const {
    settle({state, 0.0, kind, state.prefix + boundaries_.step(kind), state.level, state.ended, 0, &successors}, 0);
}

void Transitions::settle(Extension step, int o) const {
    if (o == setup_.operands) return emit(step);
    const int level = step.state.level[o] - 1;
    const bool reuse = setup_.is_reuse[step.kind][o] != 0;
    if (level < 0) return settle_idle(step, o);
    if (at_top(o, level)) return settle(step, o + 1);
    const int memory = shared_of_[o][level];
    if (memory >= 0 && shared_[memory].even) return settle_even(step, o, level, memory);
    // A boundary before an irrelevant loop costs the same as one after it.
    if (reuse) return settle(step, o + 1);
    memory < 0 ? settle_alone(step, o, level) : settle_uneven(step, o, level, memory);
}

// Only irrelevant loops so far: its first memory takes them.
void Transitions::settle_idle(Extension step, int o) const {
    const int memory = shared_of_[o][0];
    if (setup_.is_reuse[step.kind][o] == 0) {
        if (close(step, o)) settle(step, o);
    } else if (memory >= 0 && shared_[memory].even) {
        settle_even(step, o, 0, memory);
    } else {
        settle(step, o + 1);
    }
}

void Transitions::settle_alone(Extension step, int o, int level) const {
    const bool fits = bits(step, o, level, step.next) <= setup_.operand[o].capacity_bits[level];
    if (fits) settle(step, o + 1);
    if ((!fits || !boundaries_.exact(o)) && close(step, o)) settle(step, o);
}

void Transitions::settle_uneven(Extension step, int o, int level, int memory) const {
    const double here = bits(step, o, level, step.state.prefix);
    const double next = bits(step, o, level, step.next);
    if (step.state.used[memory] + next <= shared_[memory].capacity_bits) settle(step, o + 1);
    step.state.used[memory] += here;
    step.state.growth[memory] = std::min(step.state.growth[memory], next - here);
    if (close(step, o)) settle(step, o);
}

void Transitions::settle_even(Extension step, int o, int level, int memory) const {
    const std::uint8_t bit = static_cast<std::uint8_t>(1U << memory);
    const bool reuse = setup_.is_reuse[step.kind][o] != 0;
    if ((step.ended_before & bit) != 0) {
        const bool was_here = is_at(step.before[o], level);
        if (was_here && reuse) return settle(step, o + 1);
        if (!was_here) step.state.used[memory] += bits(step, o, level, step.state.prefix);
        if (!close(step, o)) return;
        // Irrelevant loops after the cut: the outputs above are partial sums.
        if (o == 0 && was_here) step.state.partial_sums = true;
        return settle(step, o);
    }
    if ((step.decided & bit) != 0) {
        if ((step.state.ended & bit) != 0) return end_even(step, o, level, memory);
        return settle(step, o + 1);
    }
    step.decided |= bit;
    settle(step, o + 1);
    step.state.ended |= bit;
    step.state.growth[memory] = 0.0;
    end_even(step, o, level, memory);
}

// The memory is complete from here on.
void Transitions::end_even(Extension step, int o, int level, int memory) const {
    const double here = bits(step, o, level, step.state.prefix);
    step.state.used[memory] += here;
    step.state.growth[memory] += bits(step, o, level, step.next) - here;
    if (setup_.is_reuse[step.kind][o] != 0) return settle(step, o + 1);
    if (close(step, o)) settle(step, o);
}

bool Transitions::is_counted(const State& state, const Resident& resident, int memory) const {
    const std::uint8_t level = state.level[resident.operand];
    return level > resident.level + 1 || (is_at(level, resident.level) && (state.ended >> memory & 1) != 0);
}

// Of an operand with an incomplete level there.
double Transitions::least_bits(const State& state, const Resident& resident) const {
    const int o = resident.operand;
    const bool here = state.level[o] - 1 == resident.level;
    const bool partial_sums =
        o == 0 && (here ? state.partial_sums : setup_.operand[0].names_reuse_from[resident.level + 1]);
    return boundaries_.bits(o, resident.level, state.prefix, partial_sums);
}

// False if the memory overflows, or has more room left than the allocation would leave.
bool Transitions::room_in(State& state, int m) const {
    const Shared& shared = shared_[m];
    double total = shared.fixed_bits + state.used[m];
    bool all_counted = true;
    bool all_above = true;
    for (int k = 0; k < shared.residents; ++k) {
        const Resident& resident = shared.resident[k];
        all_above = all_above && state.level[resident.operand] - 1 > resident.level;
        if (is_counted(state, resident, m)) continue;
        all_counted = false;
        total += least_bits(state, resident);
    }
    if (total > shared.capacity_bits) return false;
    if (!all_counted) return true;
    const bool could_take_more = total + state.growth[m] <= shared.capacity_bits;
    if (shared.maximal && state.used[m] > 0.0 && could_take_more) return false;
    state.used[m] = 0.0;
    state.growth[m] = kNoLimit;
    if (all_above) state.ended &= static_cast<std::uint8_t>(~(1U << m));
    return true;
}

void Transitions::emit(Extension step) const {
    step.state.prefix = step.next;
    for (int m = 0; m < shared_count_; ++m)
        if (!room_in(step.state, m)) return;
    step.successors->push_back({step.state, step.spent_pj});
}

// All remaining levels end with the last loop.
std::optional<double> Transitions::finish_operand(State& state, int o) const {
    Extension step{state, 0.0, 0, state.prefix, state.level, 0, 0, nullptr};
    while (step.state.level[o] == 0 || !at_top(o, step.state.level[o] - 1)) {
        const int level = step.state.level[o] - 1;
        const int memory = level < 0 ? -1 : shared_of_[o][level];
        const bool counted = memory >= 0 && is_at(step.before[o], level) && (state.ended >> memory & 1) != 0;
        if (memory >= 0 && !counted) step.state.used[memory] += bits(step, o, level, state.prefix);
        if (!close(step, o)) return std::nullopt;
        if (o == 0 && counted) step.state.partial_sums = true;
    }
    state = step.state;
    return step.spent_pj;
}

bool Transitions::holds_everything(const State& state) const {
    for (int m = 0; m < shared_count_; ++m) {
        const Shared& shared = shared_[m];
        const double total = shared.fixed_bits + state.used[m];
        if (total > shared.capacity_bits) return false;
        if (shared.maximal && total + state.growth[m] <= shared.capacity_bits) return false;
    }
    return std::all_of(last_.begin(), last_.end(), [&](const Memory& memory) {
        double total = 0.0;
        for (int k = 0; k < memory.residents; ++k) total += least_bits(state, memory.resident[k]);
        return total <= memory.capacity_bits;
    });
}

std::optional<double> Transitions::finish(const State& from) const {
    State state = from;
    double spent_pj = 0.0;
    for (int o = 0; o < setup_.operands; ++o) {
        const std::optional<double> one = finish_operand(state, o);
        if (!one) return std::nullopt;
        spent_pj += *one;
    }
    if (!holds_everything(state)) return std::nullopt;
    return spent_pj;
}

}  // namespace tilewright::zigzag::lean
