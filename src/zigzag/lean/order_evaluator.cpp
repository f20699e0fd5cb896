#include "zigzag/lean/order_evaluator.hpp"

#include <algorithm>

#include "zigzag/accounting/port_time.hpp"
#include "zigzag/lean/movement.hpp"
#include "zigzag/lean/setup.hpp"

namespace tilewright::zigzag::lean {
namespace {

// The latency of a loop order (port_time.hpp), for the order evaluator. Internal to account/zigzag.

// One operand's stream at one level in one direction, in cycles.
struct Transfer {
    double real = 0.0;     // of one transfer
    double period = 1.0;   // from one to the next
    double allowed = 0.0;  // of a period
    double count = 0.0;
    double bits_per_cycle = 0.0;  // on average, whole

    Activity activity() const {
        return {static_cast<std::int64_t>(real), static_cast<std::int64_t>(allowed), static_cast<std::int64_t>(period),
                static_cast<std::int64_t>(count)};
    }
};

bool goes_up_or_comes_from_above(Direction direction) {
    return direction == Direction::read_up || direction == Direction::write_from_above;
}

class Latency {
   public:
    Latency(const Setup& setup, const Nest& nest)
        : setup_(setup), nest_(nest), total_(nest.sequence.outside[0] * setup.cycles_per_operation) {}

    double cycles() {
        flag_double_buffers();
        follow_sums(setup_, setup_.operand[0].whole, nest_, sums_);
        for (int o = 0; o < setup_.operands; ++o) make_transfers(o);
        double stall = 0.0;
        for (int p = 0; p < setup_.ports; ++p) stall = std::max(stall, stall_of(setup_.port[p]));
        for (int p = 0; p < setup_.ports; ++p) load(setup_.port[p], total_ + stall);
        return total_ + stall + onloading() + offloading();
    }

   private:
    // --- double buffers: on the fractional mapping ---

    // Bits needed at a time in level `l`: its outermost relevant loops stream.
    double effective_share(int o, int l, const Sizes& sizes, const Sums& sums) const {
        const Operand& operand = setup_.operand[o];
        const bool finished = o == 0 && !sums.partial[l + 1];
        const double bits = sizes.elements[l + 1] * (finished ? operand.final_bits : operand.bits);
        return std::floor(bits / outermost(o, l, Role::relevant)) / operand.capacity_bits[l];
    }

    // Product of the outermost loops of level `l` in this role.
    double outermost(int o, int l, Role role) const {
        double product = 1.0;
        const int start = l == 0 ? 0 : nest_.end[o][l - 1];
        for (int p = nest_.end[o][l] - 1; p >= start; --p) {
            const std::uint8_t kind = nest_.sequence.order[p];
            if (setup_.operand[o].step[kind].role != role) break;
            product *= setup_.factor[kind];
        }
        return product;
    }

    // A level using at most half of its memory, or leaving room for its own copy, is exchanged in the background.
    void flag_double_buffers() {
        Sums sums;
        follow_sums(setup_, setup_.operand[0].fractional, nest_, sums);
        std::array<std::array<double, kLevels>, kOperands> own;
        std::array<double, kMemories> filled{};
        for (int o = 0; o < setup_.operands; ++o) {
            const Operand& operand = setup_.operand[o];
            Sizes sizes;
            size_levels(setup_, operand.fractional, o, nest_, sizes);
            for (int l = 0; l < operand.levels; ++l) own[o][l] = effective_share(o, l, sizes, sums);
        }
        for (int m = 0; m < setup_.memories; ++m)
            for (int k = 0; k < setup_.memory[m].residents; ++k) {
                const Resident& resident = setup_.memory[m].resident[k];
                filled[setup_.memory[m].index] += own[resident.operand][resident.level];
            }
        for (int o = 0; o < setup_.operands; ++o) {
            const Operand& operand = setup_.operand[o];
            buffered_[o][0] = false;
            for (int l = 0; l < operand.levels; ++l) {
                double& used = filled[operand.memory[l]];
                const bool half_free = used <= 0.5;
                const bool room = !half_free && own[o][l] <= 1.0 - used;
                buffered_[o][l + 1] = half_free || room;
                if (room && setup_.shares_memory[operand.memory[l]]) used += own[o][l];
            }
        }
    }

    // --- transfers: on the whole mapping ---

    void make_transfers(int o) {
        const Operand& operand = setup_.operand[o];
        Sizes sizes;
        size_levels(setup_, operand.whole, o, nest_, sizes);
        inner_fill_bits_[o] = sizes.elements[1] * stored_bits(o, 1);
        for (int l = 0; l < operand.levels; ++l) {
            Moves moves;
            moves_of(setup_, operand.whole, o, l, nest_, sizes, sums_, moves);
            for (int d = 0; d < kDirections; ++d)
                transfer_[o][l].values[d] = transfer(o, l, static_cast<Direction>(d), moves.values[d], sizes);
        }
    }

    double stored_bits(int o, int architecture_level) const {
        const Operand& operand = setup_.operand[o];
        return o == 0 && !sums_.partial[architecture_level] ? operand.final_bits : operand.bits;
    }

    Transfer transfer(int o, int l, Direction direction, const Move& move, const Sizes& sizes) const {
        const Operand& operand = setup_.operand[o];
        const Stream& stream = operand.stream[l][direction];
        Transfer transfer;
        transfer.count = move.count;
        if (move.count == 0.0) return transfer;
        const int a = goes_up_or_comes_from_above(direction) ? l + 1 : l;
        transfer.real = ceiling(move.elements * move.bits / stream.word_bits);
        transfer.period = total_ / move.count;
        const double repeats = a == 0 ? 1.0 : outermost(o, a - 1, Role::reuse);
        transfer.allowed = buffered_[o][a] ? transfer.period : transfer.period / repeats;
        const double below = sizes.elements[a] * stored_bits(o, a) / transfer.period;
        // ZigZag truncates bits per operation.
        const double average =
            whole_part((a == l ? below * operand.whole.boost[a] : below) * setup_.cycles_per_operation);
        transfer.bits_per_cycle = ceiling(average / setup_.cycles_per_operation);
        return transfer;
    }

    const Transfer& transfer(const PortUser& user) const { return transfer_[user.operand][user.level][user.direction]; }

    double stall_of(const Port& port) const {
        std::array<Activity, kUsers> activities;
        std::size_t count = 0;
        for (int u = 0; u < port.users; ++u)
            if (transfer(port.user[u]).count != 0.0) activities[count++] = transfer(port.user[u]).activity();
        return static_cast<double>(port_stall(std::span(activities.data(), count)));
    }

    // --- loading and off-loading ---

    // One-time transfers are loading as a whole; of repeated ones the first is.
    void load(const Port& port, double cycles) {
        std::array<double, kUsers> remaining;
        std::array<double, kUsers> least;
        std::array<PortUser, kUsers> once;
        std::size_t count = 0;
        double busy_bits_per_cycle = 0.0;
        for (int u = 0; u < port.users; ++u) {
            const PortUser& user = port.user[u];
            const Direction d = user.direction;
            if (user.operand == 0 && (d == Direction::read_down || d == Direction::write_from_above)) continue;
            const Transfer& one = transfer(user);
            loading_[user.operand][user.level][d] = {one.real, port.serves_both_inputs};
            if (one.count > 1.0) busy_bits_per_cycle += one.bits_per_cycle;
            if (one.count != 1.0) continue;
            once[count] = user;
            remaining[count] = one.real;
            least[count++] = ceiling(inner_fill_bits_[user.operand] / port.word_bits);
        }
        const double surplus = std::max(0.0, (port.word_bits - busy_bits_per_cycle) / port.word_bits * cycles);
        hide_in_surplus(std::span(remaining.data(), count), std::span(least.data(), count), surplus);
        for (std::size_t i = 0; i < count; ++i)
            loading_[once[i].operand][once[i].level][once[i].direction].cycles = remaining[i];
    }

    double onloading() const {
        std::array<Onloading, kOperands> inputs;
        for (int o = 1; o < setup_.operands; ++o)
            for (int l = 0; l + 1 < setup_.operand[o].levels; ++l) {
                const Loading& lower = loading_[o][l][Direction::write_from_above];
                const Loading& upper = loading_[o][l + 1][Direction::read_down];
                inputs[o].add_boundary(std::max(lower.cycles, upper.cycles), upper.both_inputs, lower.both_inputs);
            }
        return setup_.operands == 2 ? inputs[1].separate : onloading_cycles(inputs[1], inputs[2]);
    }

    double offloading() const {
        double cycles = 0.0;
        for (int l = 0; l + 1 < setup_.operand[0].levels; ++l)
            cycles += std::max(loading_[0][l][Direction::read_up].cycles,
                               loading_[0][l + 1][Direction::write_from_below].cycles);
        return cycles;
    }

    struct Loading {
        double cycles = 0.0;
        bool both_inputs = false;
    };

    const Setup& setup_;
    const Nest& nest_;
    double total_;  // cycles of the iterations
    Sums sums_;
    std::array<std::array<bool, kLevels + 1>, kOperands> buffered_;
    std::array<double, kOperands> inner_fill_bits_{};
    std::array<std::array<PerDirection<Transfer>, kLevels>, kOperands> transfer_;
    std::array<std::array<PerDirection<Loading>, kLevels>, kOperands> loading_;
};

/// Cycles with stalls, loading and unloading.
double latency_of(const Setup& setup, const Nest& nest) { return Latency(setup, nest).cycles(); }

}  // namespace

}  // namespace tilewright::zigzag::lean

namespace tilewright::zigzag {
namespace {

// False if a memory is too small.
bool prepare(const lean::Setup& setup, lean::Nest& nest) {
    if (!lean::allocate(setup, nest.sequence, nest.cuts)) return false;
    lean::sink(setup, nest);
    return true;
}

}  // namespace

OrderEvaluator::OrderEvaluator(const Accelerator& accelerator, const Layer& layer, const SpatialMapping& fractional,
                               const SpatialMapping& whole, std::span<const TemporalLoop> loops, Evenness evenness,
                               const ArrayUnrolling& unrolling) {
    for (const TemporalLoop& loop : loops) {
        const auto same = std::find(kinds_.begin(), kinds_.end(), loop);
        first_.push_back(static_cast<std::uint8_t>(same - kinds_.begin()));
        if (same == kinds_.end()) kinds_.push_back(loop);
    }
    std::sort(first_.begin(), first_.end());
    setup_ = std::make_shared<const lean::Setup>(
        lean::make_setup(accelerator, layer, fractional, whole, kinds_, loops, evenness, unrolling));
}

std::vector<TemporalLoop> OrderEvaluator::loops_of(std::span<const std::uint8_t> order) const {
    std::vector<TemporalLoop> loops;
    for (const std::uint8_t kind : order) loops.push_back(kinds_[kind]);
    return loops;
}

std::optional<double> OrderEvaluator::energy_pj(std::span<const std::uint8_t> order) const {
    lean::Nest nest(lean::Sequence(*setup_, order));
    if (!prepare(*setup_, nest)) return std::nullopt;
    return lean::energy_of(*setup_, nest);
}

std::optional<OrderCost> OrderEvaluator::cost(std::span<const std::uint8_t> order) const {
    lean::Nest nest(lean::Sequence(*setup_, order));
    if (!prepare(*setup_, nest)) return std::nullopt;
    return OrderCost{lean::energy_of(*setup_, nest), lean::latency_of(*setup_, nest)};
}

}  // namespace tilewright::zigzag
