#include "zigzag/lean/allocate.hpp"

#include <limits>

#include "zigzag/lean/tile.hpp"

namespace tilewright::zigzag::lean {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// Candidates of one operand at one memory: `first` loops up to `first + count - 1`.
struct Offer {
    int first = 0;
    int count = 0;
    std::array<double, kLoops + 1> bits;
    std::array<double, kLoops + 1> cost;    // accesses to the memory above, in bits
    std::array<double, kLoops + 1> lowest;  // minimum over this and all smaller ones
};

struct Progress {
    explicit Progress(const Operand& operand) : tile(operand) {}

    GrowingTile tile;         // of operands without a table
    std::uint32_t index = 0;  // of tabulated operands
    int taken = 0;
};

class Allocator {
   public:
    Allocator(const Setup& setup, const Sequence& sequence, Cuts& cuts)
        : setup_(setup),
          sequence_(sequence),
          size_(sequence.size()),
          cuts_(cuts),
          progress_{Progress(setup.operand[0]), Progress(setup.operand[1]),
                    Progress(setup.operand[setup.operands - 1])} {
        for (int o = 0; o < setup.operands; ++o)
            if (!setup.operand[o].tabulated) spread(o, 0);
    }

    bool run() {
        for (int m = 0; m < setup_.memories; ++m)
            if (!fill(setup_.memory[m])) return false;
        return true;
    }

   private:
    std::uint8_t kind(int position) const { return sequence_.order[position]; }

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

    // The last memory of all its operands, with room for all, has no choice.
    static bool all_at_the_top(const Memory& memory) {
        if (!memory.roomy) return false;
        for (int k = 0; k < memory.residents; ++k)
            if (!memory.resident[k].top) return false;
        return true;
    }

    double element_bits(const Resident& resident) const {
        const Operand& operand = setup_.operand[resident.operand];
        if (resident.operand != 0) return operand.bits;
        const bool partial_sums =
            operand.names_reuse_from[resident.level + 1] || (sequence_.reuse[0] >> progress_[0].taken) != 0;
        return partial_sums ? operand.bits : operand.final_bits;
    }

    bool offer(const Memory& memory, const Resident& resident, Offer& offer) const {
        if (setup_.operand[resident.operand].tabulated)
            offer_tabulated(memory, resident, offer);
        else
            offer_multiplied(memory, resident, offer);
        if (offer.count == 0) return false;
        price(resident, offer);
        return true;
    }

    void offer_tabulated(const Memory& memory, const Resident& resident, Offer& offer) const {
        const Operand& operand = setup_.operand[resident.operand];
        const Progress& at = progress_[resident.operand];
        const double element = element_bits(resident);
        const double* elements = operand.fractional.elements[resident.level].data();
        std::uint32_t index = at.index;
        offer.count = 0;
        for (int taken = at.taken;; ++taken) {
            const double bits = elements[index] * element;
            if (bits > memory.capacity_bits) return;
            offer.bits[offer.count++] = bits;
            if (taken == size_) return;
            index += operand.stride[kind(taken)];
        }
    }

    void offer_multiplied(const Memory& memory, const Resident& resident, Offer& offer) const {
        const Progress& at = progress_[resident.operand];
        const double element = element_bits(resident);
        GrowingTile tile = at.tile;
        offer.count = 0;
        for (int taken = at.taken;; ++taken) {
            const double bits = tile.elements() * element;
            if (bits > memory.capacity_bits) return;
            offer.bits[offer.count++] = bits;
            if (taken == size_) return;
            tile.grow(setup_.operand[resident.operand].step[kind(taken)], setup_.factor[kind(taken)]);
        }
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
            offer.cost[i] = sequence_.outside[progress_[resident.operand].taken + i] * offer.bits[i];
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

    // All combinations, the last operand's fastest; on ties the last one counts.
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

    // Best tile of the last operand, from its largest down, until no smaller one can cost less.
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

    // Even: operands taking loops here end with the same one, and none leaves out another's loop.
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
        const int o = resident.operand;
        const Operand& operand = setup_.operand[o];
        Progress& at = progress_[o];
        const int end = at.taken + take;
        if (operand.tabulated) {
            for (; at.taken < end; ++at.taken) at.index += operand.stride[kind(at.taken)];
        } else {
            for (; at.taken < end; ++at.taken)
                at.tile.grow(operand.step[kind(at.taken)], setup_.factor[kind(at.taken)]);
            spread(o, resident.level + 1);
        }
        cuts_.end[o][resident.level] = static_cast<std::uint8_t>(end);
        cuts_.index[o][resident.level] = at.index;
        return !resident.top || end == size_;
    }

    const Setup& setup_;
    const Sequence& sequence_;
    int size_;
    Cuts& cuts_;
    std::array<Progress, kOperands> progress_;
    std::array<Offer, kOperands> offers_;
    double best_ = kNever;
};

}  // namespace

Sequence::Sequence(const Setup& setup, Order the_order) : order(the_order) {
    outside[order.size()] = 1.0;
    for (std::size_t p = order.size(); p-- > 0;) {
        outside[p] = outside[p + 1] * setup.factor[order[p]];
        for (int o = 0; o < kOperands; ++o) reuse[o] |= static_cast<std::uint64_t>(setup.is_reuse[order[p]][o]) << p;
    }
}

bool allocate(const Setup& setup, const Sequence& sequence, Cuts& cuts) {
    return Allocator(setup, sequence, cuts).run();
}

}  // namespace tilewright::zigzag::lean
