#include "fusion/leaf/array_floor.hpp"

#include <algorithm>
#include <limits>

#include "fusion/machine/indices.hpp"

namespace tilewright::fusion {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

// What one spread costs, by the operands in the registers and those that pass the buffer by.
class SpreadCosts {
   public:
    SpreadCosts(const Einsum& einsum, const Machine& machine, const OperandHomes& homes, const AtArray& at_array)
        : einsum_(einsum), machine_(machine), homes_(homes), at_array_(at_array) {
        for (int t = 0; t < einsum.tensor_count(); ++t) {
            if (homes[at(t)].home != Home::buffer) may_pass_ |= 1U << static_cast<unsigned>(t);
            const std::int64_t bits = einsum.tensors[at(t)].bits;
            share_[at(t)] = machine.buffer.share_of(bits);
            if (!einsum.tensors[at(t)].written) continue;
            sums_.energy += homes[at(t)].once * share_[at(t)].energy;
            sums_.bandwidth += homes[at(t)].once * share_[at(t)].bandwidth;
        }
        find_registers();
    }

    double steps(const ArrayWay& spread) const { return at_array_.points * spread.steps; }
    double calls() const { return static_cast<double>(1 + at_array_.resumed); }

    /// Each operand by itself takes the cheaper way, and those that gain most lie in the registers.
    double least_energy(const ArrayWay& spread) const {
        double sum = 0.0;
        std::array<double, kMaxTensors> gains{};
        for (int t = 0; t < einsum_.tensor_count(); ++t) {
            const double asked = energy_of(t, at_array_.points * spread.asked[at(t)]);
            gains[at(t)] = asked - energy_of(t, homes_[at(t)].once);
            sum += asked;
        }
        double most = 0.0;
        for (const TensorSet held : registers_) {
            double gain = 0.0;
            for (int t = 0; t < einsum_.tensor_count(); ++t)
                if (held.has(t)) gain += gains[at(t)];
            most = std::max(most, gain);
        }
        return calls() * (at_array_.points * machine_.operation_pj + sum - most) +
               static_cast<double>(at_array_.resumed) * sums_.energy * machine_.buffer.read_pj;
    }

    /// Calls `visit` with the cost of each choice.
    template <class Visit>
    void each(const ArrayWay& spread, const Visit& visit) const {
        for (const TensorSet held : registers_)
            for (std::uint32_t passing = may_pass_;; passing = (passing - 1) & may_pass_) {
                visit(cost(spread, held, passing));
                if (passing == 0) break;
            }
    }

   private:
    double energy_of(int t, double asked) const {
        const OperandHome& home = homes_[at(t)];
        const bool written = einsum_.tensors[at(t)].written;
        const auto through = [&](const MemoryPort& port) {
            return written ? asked * port.update_pj + std::max(0.0, asked - home.once) * port.read_pj
                           : asked * port.read_pj;
        };
        const double share = share_[at(t)].energy;
        double energy = through(machine_.buffer) * share;
        if (home.home == Home::dram)
            energy += home.once * share *
                      (written ? machine_.dram.update_pj : machine_.dram.read_pj + machine_.buffer.fill_pj);
        if (home.home == Home::buffer) return energy;
        const double paid = home.home == Home::either ? home.paid : 0.0;
        return std::min(
            energy,
            (through(machine_.dram) - paid * (written ? machine_.dram.update_pj : machine_.dram.read_pj)) * share);
    }

    Cost cost(const ArrayWay& spread, TensorSet held, std::uint32_t passing) const {
        Both dram;
        Both buffer;
        double paid_pj = 0.0;  // of words of the DRAM that are counted elsewhere
        for (int t = 0; t < einsum_.tensor_count(); ++t) {
            const OperandHome& home = homes_[at(t)];
            const double asked = held.has(t) ? home.once : at_array_.points * spread.asked[at(t)];
            const bool written = einsum_.tensors[at(t)].written;
            const bool passes = (passing >> static_cast<unsigned>(t) & 1U) != 0;
            const WordShare& share = share_[at(t)];
            Both& to = passes ? dram : buffer;
            to.add(written ? &Words::updates : &Words::reads, asked, share);
            if (written) to.add(&Words::reads, std::max(0.0, asked - home.once), share);
            if (passes && home.home == Home::either)
                paid_pj += home.paid * share.energy * (written ? machine_.dram.update_pj : machine_.dram.read_pj);
            if (passes || home.home != Home::dram) continue;
            dram.add(written ? &Words::updates : &Words::reads, home.once, share);
            if (!written) buffer.add(&Words::fills, home.once, share);
        }
        Cost all = of_call(steps(spread), dram, buffer);
        all.energy_pj -= paid_pj;
        if (at_array_.resumed == 0) return all;
        buffer.add(&Words::reads, 1.0, sums_);
        const Cost again = of_call(steps(spread), dram, buffer);
        const auto times = static_cast<double>(at_array_.resumed);
        return {all.energy_pj + times * again.energy_pj, all.cycles + times * again.cycles};
    }

    // Words by their energy, and by the bandwidth that they take.
    struct Both {
        Words energy;
        Words bandwidth;
        void add(double Words::* kind, double words, const WordShare& share) {
            energy.*kind += words * share.energy;
            bandwidth.*kind += words * share.bandwidth;
        }
    };

    // A register has the bits of a word: operands that have room together, none or one of them where words are as wide.
    void find_registers() {
        for (std::uint32_t bits = 0; bits < 1U << static_cast<unsigned>(einsum_.tensor_count()); ++bits) {
            const TensorSet held = TensorSet::from_bits(bits);
            std::int64_t room = machine_.buffer.word_bits;
            for (int t = 0; t < einsum_.tensor_count(); ++t) {
                const std::int64_t own = einsum_.tensors[at(t)].bits;
                if (held.has(t)) room -= own > 0 ? own : machine_.buffer.word_bits;
            }
            if (room >= 0) registers_.push_back(held);
        }
    }

    Cost of_call(double steps, const Both& dram, const Both& buffer) const {
        const auto taken = [&](const MemoryPort& port, const Both& words) {
            return at_array_.whole_cycles ? cycles(port, words.bandwidth) : busy(port, words.bandwidth);
        };
        return {at_array_.points * machine_.operation_pj + energy_pj(machine_.dram, dram.energy) +
                    energy_pj(machine_.buffer, buffer.energy),
                std::max({steps, taken(machine_.dram, dram), taken(machine_.buffer, buffer)})};
    }

    const Einsum& einsum_;
    const Machine& machine_;
    const OperandHomes& homes_;
    AtArray at_array_;
    std::uint32_t may_pass_ = 0;
    std::array<WordShare, kMaxTensors> share_{};  // of DRAM and buffer, whose words are of one width
    WordShare sums_{0.0, 0.0};                    // of all results
    std::vector<TensorSet> registers_;            // that these may hold at once
};

// Spreads of fewer steps come first: those that take more than what was found find nothing.
double least_cycles(const ArrayWays& spreads, const SpreadCosts& costs) {
    double least = kUnbounded;
    for (const ArrayWay& spread : spreads) {
        if (costs.calls() * costs.steps(spread) >= least) break;
        costs.each(spread, [&](const Cost& cost) { least = std::min(least, cost.cycles); });
    }
    return least;
}

bool is_dominated_by(const Cost& a, const Cost& b) { return a.energy_pj >= b.energy_pj && a.cycles >= b.cycles; }

std::vector<Cost> corners_of_both(const ArrayWays& spreads, const SpreadCosts& costs) {
    std::vector<Cost> corners;
    const auto is_covered = [&](const Cost& cost) {
        return std::ranges::any_of(corners, [&](const Cost& other) { return is_dominated_by(cost, other); });
    };
    for (const ArrayWay& spread : spreads) {
        if (is_covered({costs.least_energy(spread), costs.calls() * costs.steps(spread)})) continue;
        costs.each(spread, [&](const Cost& cost) {
            if (is_covered(cost)) return;
            std::erase_if(corners, [&](const Cost& other) { return is_dominated_by(other, cost); });
            corners.push_back(cost);
        });
    }
    std::ranges::sort(corners, {}, &Cost::energy_pj);
    return corners;
}

}  // namespace

std::vector<Cost> array_corners(const Einsum& einsum, const Machine& machine, const ArrayWays& spreads,
                                const OperandHomes& homes, const AtArray& at_array, Wanted wanted) {
    const SpreadCosts costs(einsum, machine, homes, at_array);
    if (wanted == Wanted::both) return corners_of_both(spreads, costs);
    Cost least{kUnbounded, costs.calls() * costs.steps(spreads.front())};
    for (const ArrayWay& spread : spreads) least.energy_pj = std::min(least.energy_pj, costs.least_energy(spread));
    if (wanted == Wanted::cycles) least.cycles = least_cycles(spreads, costs);
    return {least};
}

}  // namespace tilewright::fusion
