#include "account/zigzag/lean_allocate.hpp"

#include <limits>

#include "account/zigzag/lean_tile.hpp"

namespace tilewright::zigzag::lean {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// What one operand could take at one memory: `first` loops up to `first + count - 1`.
struct Offer {
    int first = 0;
    int count = 0;
    std::array<double, kLoops + 1> bits;
    std::array<double, kLoops + 1> cost;    // accesses to the memory above, in bits
    std::array<double, kLoops + 1> lowest;  // the least cost of this and all smaller ones
};

// How far an operand has come.
struct Progress {
    Tile tile;
    int taken = 0;
    int last_reuse = -1;  // position of the outermost irrelevant loop
};

class Allocator {
   public:
    Allocator(const Setup& setup, Order order, const std::array<double, kLoops + 1>& outside, Cuts& cuts)
        : setup_(setup),
          order_(order),
          size_(static_cast<int>(order.size())),
          outside_(outside),
          cuts_(cuts),
          progress_{Progress{Tile(setup.operand[0])}, Progress{Tile(setup.operand[1])},
                    Progress{Tile(setup.operand[setup.operands - 1])}} {
        for (int o = 0; o < setup.operands; ++o) {
            spread(o, 0);
            Progress& at = progress_[o];
            for (at.last_reuse = size_ - 1; at.last_reuse >= 0; --at.last_reuse)
                if (step(o, at.last_reuse).role == Role::reuse) break;
        }
    }

    bool run() {
        for (int m = 0; m < setup_.memories; ++m)
            if (!fill(setup_.memory[m])) return false;
        return true;
    }

   private:
    Step step(int operand, int position) const { return setup_.operand[operand].step[order_[position]]; }

    void spread(int operand, int level) {
        const Spatial& spatial = setup_.operand[operand].fractional;
        for (int i = spatial.begin[level]; i < spatial.begin[level + 1]; ++i)
            progress_[operand].tile.grow(spatial.spreads[i].step, spatial.spreads[i].factor);
    }

    bool fill(const Memory& memory) {
        std::array<int, kOperands> take{};
        if (!all_at_the_top(memory)) {
            for (int k = 0; k < memory.residents; ++k)
                if (!offer(memory, memory.resident[k], offers_[k])) return false;
            if (!choose(memory, take)) return false;
        } else {
            for (int k = 0; k < memory.residents; ++k) take[k] = size_ - progress_[memory.resident[k].operand].taken;
        }
        for (int k = 0; k < memory.residents; ++k)
            if (!put(memory.resident[k], take[k])) return false;
        return true;
    }

    // A memory that is the last one of all its operands and holds them whole has no choice.
    static bool all_at_the_top(const Memory& memory) {
        if (!memory.roomy) return false;
        for (int k = 0; k < memory.residents; ++k)
            if (!memory.resident[k].top) return false;
        return true;
    }

    double element_bits(const Resident& resident) const {
        const Operand& operand = setup_.operand[resident.operand];
        const Progress& at = progress_[resident.operand];
        const bool partial_sums =
            resident.operand == 0 && (operand.names_reuse_from[resident.level + 1] || at.last_reuse >= at.taken);
        return resident.operand != 0 || partial_sums ? operand.bits : operand.final_bits;
    }

    bool offer(const Memory& memory, const Resident& resident, Offer& offer) const {
        const Progress& at = progress_[resident.operand];
        const double element = element_bits(resident);
        Tile tile = at.tile;
        double bits = tile.elements() * element;
        int taken = at.taken;
        offer.count = 0;
        while (bits <= memory.capacity_bits) {
            offer.bits[offer.count++] = bits;
            if (taken == size_) break;
            const Step next = step(resident.operand, taken);
            if (next.role == Role::relevant || next.role == Role::partial) {
                tile.grow(next, setup_.factor[order_[taken]]);
                bits = tile.elements() * element;
            }
            ++taken;
        }
        if (offer.count == 0) return false;
        price(resident, offer);
        return true;
    }

    void price(const Resident& resident, Offer& offer) const {
        offer.first = 0;
        if (resident.top) {
            offer.first = offer.count - 1;
            offer.bits[0] = offer.bits[offer.first];
            offer.cost[0] = offer.lowest[0] = 0.0;
            offer.count = 1;
            return;
        }
        double lowest = kNever;
        for (int i = 0; i < offer.count; ++i) {
            offer.cost[i] = outside_[progress_[resident.operand].taken + i] * offer.bits[i];
            lowest = std::min(lowest, offer.cost[i]);
            offer.lowest[i] = lowest;
        }
    }

    bool choose(const Memory& memory, std::array<int, kOperands>& take) {
        double bits = 0.0;
        for (int k = 0; k < memory.residents; ++k) bits += offers_[k].bits[0];
        if (bits > memory.capacity_bits) return false;
        best_ = kNever;
        if (setup_.even && memory.residents > 1) {
            choose_even(memory, take);
        } else {
            choose_uneven(memory, take);
        }
        return true;
    }

    // All combinations, the last operand's fastest; of equally good ones the last one counts.
    void choose_uneven(const Memory& memory, std::array<int, kOperands>& take) {
        std::array<int, kOperands> indices{};
        if (memory.residents == 3) {
            for (int i = 0; i < offers_[0].count; ++i) {
                indices[0] = i;
                choose_last_two(memory, offers_[0].bits[i], offers_[0].cost[i], indices, take);
            }
        } else if (memory.residents == 2) {
            choose_last_two(memory, 0.0, 0.0, indices, take);
        } else {
            choose_last(memory, 0, 0.0, 0.0, indices, take);
        }
    }

    void choose_last_two(const Memory& memory, double bits, double cost, std::array<int, kOperands>& indices,
                         std::array<int, kOperands>& take) {
        const int k = memory.residents == 3 ? 1 : 0;
        for (int i = 0; i < offers_[k].count; ++i) {
            indices[k] = i;
            if (bits + offers_[k].bits[i] > memory.capacity_bits) continue;
            choose_last(memory, k + 1, bits + offers_[k].bits[i], cost + offers_[k].cost[i], indices, take);
        }
    }

    // The best of the last operand, from its largest tile down: once no smaller tile can cost less, the rest is
    // settled.
    void choose_last(const Memory& memory, int k, double bits, double cost, const std::array<int, kOperands>& indices,
                     std::array<int, kOperands>& take) {
        const Offer& offer = offers_[k];
        double best = kNever;
        int best_index = -1;
        for (int i = offer.count - 1; i >= 0; --i) {
            const double bound = cost + offer.lowest[i];
            if (bound >= best || bound > best_) break;
            const double total = cost + offer.cost[i];
            if (total >= best || bits + offer.bits[i] > memory.capacity_bits) continue;
            best = total;
            best_index = i;
        }
        if (best_index < 0 || best > best_) return;
        best_ = best;
        for (int other = 0; other < k; ++other) take[other] = offers_[other].first + indices[other];
        take[k] = offer.first + best_index;
    }

    // Even: operands that take loops here all end with the same one, and nobody leaves out a loop that another takes.
    void choose_even(const Memory& memory, std::array<int, kOperands>& take) {
        int start = size_;
        for (int k = 0; k < memory.residents; ++k) start = std::min(start, progress_[memory.resident[k].operand].taken);
        for (int end = start; end <= size_; ++end) {
            std::array<int, kOperands> candidate{};
            double bits = 0.0;
            double cost = 0.0;
            bool possible = true;
            for (int k = 0; k < memory.residents && possible; ++k) {
                candidate[k] = std::max(0, end - progress_[memory.resident[k].operand].taken);
                const int i = candidate[k] - offers_[k].first;
                possible = i >= 0 && i < offers_[k].count;
                if (!possible) break;
                bits += offers_[k].bits[i];
                cost += offers_[k].cost[i];
            }
            if (!possible || bits > memory.capacity_bits || cost > best_) continue;
            best_ = cost;
            take = candidate;
        }
    }

    bool put(const Resident& resident, int take) {
        const int operand = resident.operand;
        Progress& at = progress_[operand];
        for (const int end = at.taken + take; at.taken < end; ++at.taken)
            at.tile.grow(step(operand, at.taken), setup_.factor[order_[at.taken]]);
        cuts_.end[operand][resident.level] = static_cast<std::uint8_t>(at.taken);
        spread(operand, resident.level + 1);
        return !resident.top || at.taken == size_;
    }

    const Setup& setup_;
    Order order_;
    int size_;
    const std::array<double, kLoops + 1>& outside_;
    Cuts& cuts_;
    std::array<Progress, kOperands> progress_;
    std::array<Offer, kOperands> offers_;
    double best_ = kNever;
};

}  // namespace

bool allocate(const Setup& setup, Order order, const std::array<double, kLoops + 1>& outside, Cuts& cuts) {
    return Allocator(setup, order, outside, cuts).run();
}

}  // namespace tilewright::zigzag::lean
