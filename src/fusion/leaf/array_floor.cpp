#include "fusion/leaf/array_floor.hpp"

#include <algorithm>

#include "fusion/machine/indices.hpp"

namespace tilewright::fusion {
namespace {

// Words of one way through both memories, where some operands pass the buffer by.
class WayCosts {
   public:
    WayCosts(const Einsum& einsum, const Machine& machine, const OperandHomes& homes, const AtArray& at_array)
        : einsum_(einsum), machine_(machine), homes_(homes), at_array_(at_array) {
        for (int t = 0; t < einsum.tensor_count(); ++t)
            if (homes[at(t)].home != Home::buffer) may_pass_ |= 1U << static_cast<unsigned>(t);
    }

    /// Calls `visit` with the cost for each choice of the operands that pass the buffer by.
    template <class Visit>
    void each(const ArrayWay& way, const Visit& visit) const {
        for (std::uint32_t passing = may_pass_;; passing = (passing - 1) & may_pass_) {
            visit(cost(way, passing));
            if (passing == 0) break;
        }
    }

   private:
    Cost cost(const ArrayWay& way, std::uint32_t passing) const {
        Words dram;
        Words buffer;
        double paid_pj = 0.0;  // of words of the DRAM that are counted elsewhere
        double sums = 0.0;
        for (int t = 0; t < einsum_.tensor_count(); ++t) {
            const OperandHome& home = homes_[at(t)];
            const double asked = way.asked[at(t)];
            const bool written = einsum_.tensors[at(t)].written;
            const bool passes = (passing >> static_cast<unsigned>(t) & 1U) != 0;
            Words& to = passes ? dram : buffer;
            (written ? to.updates : to.reads) += asked;
            if (written) to.reads += std::max(0.0, asked - home.once);
            if (written) sums += home.once;
            if (passes && home.home == Home::either)
                paid_pj += home.paid * (written ? machine_.dram.update_pj : machine_.dram.read_pj);
            if (passes || home.home != Home::dram) continue;
            (written ? dram.updates : dram.reads) += home.once;
            if (!written) buffer.fills += home.once;
        }
        Cost all = of_call(way.steps, dram, buffer);
        all.energy_pj -= paid_pj;
        if (at_array_.resumed == 0) return all;
        buffer.reads += sums;
        const Cost again = of_call(way.steps, dram, buffer);
        const auto times = static_cast<double>(at_array_.resumed);
        return {all.energy_pj + times * again.energy_pj, all.cycles + times * again.cycles};
    }

    Cost of_call(double steps, const Words& dram, const Words& buffer) const {
        const auto taken = [&](const MemoryPort& port, const Words& words) {
            return at_array_.whole_cycles ? cycles(port, words) : busy(port, words);
        };
        return {at_array_.operations * machine_.operation_pj + energy_pj(machine_.dram, dram) +
                    energy_pj(machine_.buffer, buffer),
                std::max({steps, taken(machine_.dram, dram), taken(machine_.buffer, buffer)})};
    }

    const Einsum& einsum_;
    const Machine& machine_;
    const OperandHomes& homes_;
    AtArray at_array_;
    std::uint32_t may_pass_ = 0;
};

}  // namespace

std::vector<Cost> array_corners(const Einsum& einsum, const Machine& machine, const ArrayWays& ways,
                                const OperandHomes& homes, const AtArray& at_array) {
    std::vector<Cost> corners;
    const WayCosts costs(einsum, machine, homes, at_array);
    const auto is_no_better = [](const Cost& a, const Cost& b) {
        return a.energy_pj >= b.energy_pj && a.cycles >= b.cycles;
    };
    for (const ArrayWay& way : ways)
        costs.each(way, [&](const Cost& cost) {
            if (std::ranges::any_of(corners, [&](const Cost& other) { return is_no_better(cost, other); })) return;
            std::erase_if(corners, [&](const Cost& other) { return is_no_better(other, cost); });
            corners.push_back(cost);
        });
    std::ranges::sort(corners, {}, &Cost::energy_pj);
    return corners;
}

}  // namespace tilewright::fusion
