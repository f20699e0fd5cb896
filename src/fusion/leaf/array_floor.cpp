#include "fusion/leaf/array_floor.hpp"

#include <algorithm>
#include <limits>

#include "fusion/machine/indices.hpp"

namespace tilewright::fusion {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();
constexpr int kNoOperand = -1;

// What one spread costs, by the operand in the registers and those that pass the buffer by.
class SpreadCosts {
   public:
    SpreadCosts(const Einsum& einsum, const Machine& machine, const OperandHomes& homes, const AtArray& at_array)
        : einsum_(einsum), machine_(machine), homes_(homes), at_array_(at_array) {
        for (int t = 0; t < einsum.tensor_count(); ++t) {
            if (homes[at(t)].home != Home::buffer) may_pass_ |= 1U << static_cast<unsigned>(t);
            if (einsum.tensors[at(t)].written) sums_ += homes[at(t)].once;
        }
    }

    double steps(const ArrayWay& spread) const { return at_array_.points * spread.steps; }
    double calls() const { return static_cast<double>(1 + at_array_.resumed); }

    /// Each operand by itself takes the cheaper way, and the one that gains most lies in the registers.
    double least_energy(const ArrayWay& spread) const {
        double sum = 0.0;
        double gain = 0.0;
        for (int t = 0; t < einsum_.tensor_count(); ++t) {
            const double asked = energy_of(t, at_array_.points * spread.asked[at(t)]);
            gain = std::max(gain, asked - energy_of(t, homes_[at(t)].once));
            sum += asked;
        }
        return calls() * (at_array_.points * machine_.operation_pj + sum - gain) +
               static_cast<double>(at_array_.resumed) * sums_ * machine_.buffer.read_pj;
    }

    /// Calls `visit` with the cost of each choice.
    template <class Visit>
    void each(const ArrayWay& spread, const Visit& visit) const {
        for (int held = kNoOperand; held < einsum_.tensor_count(); ++held)
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
        double energy = through(machine_.buffer);
        if (home.home == Home::dram)
            energy += home.once * (written ? machine_.dram.update_pj : machine_.dram.read_pj + machine_.buffer.fill_pj);
        if (home.home == Home::buffer) return energy;
        const double paid = home.home == Home::either ? home.paid : 0.0;
        return std::min(energy,
                        through(machine_.dram) - paid * (written ? machine_.dram.update_pj : machine_.dram.read_pj));
    }

    Cost cost(const ArrayWay& spread, int held, std::uint32_t passing) const {
        Words dram;
        Words buffer;
        double paid_pj = 0.0;  // of words of the DRAM that are counted elsewhere
        for (int t = 0; t < einsum_.tensor_count(); ++t) {
            const OperandHome& home = homes_[at(t)];
            const double asked = t == held ? home.once : at_array_.points * spread.asked[at(t)];
            const bool written = einsum_.tensors[at(t)].written;
            const bool passes = (passing >> static_cast<unsigned>(t) & 1U) != 0;
            Words& to = passes ? dram : buffer;
            (written ? to.updates : to.reads) += asked;
            if (written) to.reads += std::max(0.0, asked - home.once);
            if (passes && home.home == Home::either)
                paid_pj += home.paid * (written ? machine_.dram.update_pj : machine_.dram.read_pj);
            if (passes || home.home != Home::dram) continue;
            (written ? dram.updates : dram.reads) += home.once;
            if (!written) buffer.fills += home.once;
        }
        Cost all = of_call(steps(spread), dram, buffer);
        all.energy_pj -= paid_pj;
        if (at_array_.resumed == 0) return all;
        buffer.reads += sums_;
        const Cost again = of_call(steps(spread), dram, buffer);
        const auto times = static_cast<double>(at_array_.resumed);
        return {all.energy_pj + times * again.energy_pj, all.cycles + times * again.cycles};
    }

    Cost of_call(double steps, const Words& dram, const Words& buffer) const {
        const auto taken = [&](const MemoryPort& port, const Words& words) {
            return at_array_.whole_cycles ? cycles(port, words) : busy(port, words);
        };
        return {at_array_.points * machine_.operation_pj + energy_pj(machine_.dram, dram) +
                    energy_pj(machine_.buffer, buffer),
                std::max({steps, taken(machine_.dram, dram), taken(machine_.buffer, buffer)})};
    }

    const Einsum& einsum_;
    const Machine& machine_;
    const OperandHomes& homes_;
    AtArray at_array_;
    std::uint32_t may_pass_ = 0;
    double sums_ = 0.0;
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
