#include "fusion/leaf/array_floor.hpp"

#include <algorithm>
#include <limits>

#include "fusion/leaf/leaf.hpp"
#include "fusion/machine/machine.hpp"

namespace tilewright::fusion {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

// A set of operands for a register of one word, whatever the box. Full-width words: one operand or none, fetched at
// least once. Narrow words fit side by side: operands that the innermost loop around the registers keeps are fetched at
// least once; each step of it replaces the others, and one of their words serves at most the points of a tile that
// fits.
struct RegisterChoice {
    TensorSet once;                            // operands fetched once at least
    TensorSet often;                           // operands replaced by each step
    std::array<double, kMaxTensors> points{};  // by operand: that one word of a tile serves at most
};

class Registers {
   public:
    Registers(const Einsum& einsum, const OperandHomes& homes, std::int64_t word_bits)
        : einsum_(einsum), homes_(homes), word_bits_(word_bits) {}

    std::vector<RegisterChoice> choices() const {
        std::vector<RegisterChoice> all;
        for (std::uint32_t bits = 0; bits < 1U << static_cast<unsigned>(einsum_.tensor_count()); ++bits) {
            const TensorSet held = TensorSet::from_bits(bits);
            Extents tile(einsum_.dimensions.size(), 1);
            if (!has_room(held, tile)) continue;
            if ((bits & (bits - 1)) == 0) {
                all.push_back({held, {}, {}});
                continue;
            }
            for (const TensorSet once : kept_by_some_loop(held)) {
                all.push_back({once, TensorSet::from_bits(bits & ~once.bits()), {}});
                all.back().points.fill(1.0);
                look_at_tiles(held, 0, tile, all.back());
            }
        }
        return all;
    }

   private:
    using Extents = std::vector<std::int64_t>;

    bool has_room(TensorSet held, const Extents& tile) const {
        double bits = 0.0;
        for (int t = 0; t < einsum_.tensor_count(); ++t) {
            const Tensor& tensor = einsum_.tensors[at(t)];
            if (held.has(t)) bits += touched_words(tensor, tile) * static_cast<double>(bits_of(t));
        }
        return bits <= static_cast<double>(word_bits_);
    }

    // A result that is final wherever it arrives is asked for no less where it lies in a register.
    std::int64_t bits_of(int t) const {
        const std::int64_t bits = homes_[at(t)].sum_bits > 0 ? homes_[at(t)].sum_bits : einsum_.tensors[at(t)].bits;
        return bits > 0 ? bits : word_bits_;
    }

    // Alone in a rank: a step along it leaves nothing of a tile where it was.
    static bool replaces(const Tensor& tensor, int dimension) {
        return std::ranges::any_of(tensor.ranks, [&](const Rank& rank) {
            return rank.terms.size() == 1 && rank.terms.front().dimension == dimension;
        });
    }

    // By each dimension that the innermost loop may go along; of these the largest sets.
    std::vector<TensorSet> kept_by_some_loop(TensorSet held) const {
        const auto has_all = [](TensorSet a, TensorSet b) { return (b.bits() & ~a.bits()) == 0; };
        std::vector<TensorSet> all{{}};
        for (int d = 0; d < einsum_.dimension_count(); ++d) {
            TensorSet kept;
            for (int t = 0; t < einsum_.tensor_count(); ++t)
                if (held.has(t) && !replaces(einsum_.tensors[at(t)], d)) kept.add(t);
            if (std::ranges::any_of(all, [&](TensorSet one) { return has_all(one, kept); })) continue;
            std::erase_if(all, [&](TensorSet one) { return has_all(kept, one); });
            all.push_back(kept);
        }
        return all;
    }

    // All tiles that have room, of dimensions from `d` on that move something that lies there.
    void look_at_tiles(TensorSet held, int d, Extents& tile, RegisterChoice& choice) const {
        if (d == einsum_.dimension_count()) return look_at_tile(tile, choice);
        bool moves = false;
        for (int t = 0; t < einsum_.tensor_count(); ++t)
            moves = moves || (held.has(t) && is_relevant(einsum_.tensors[at(t)], d));
        for (; has_room(held, tile); ++tile[at(d)]) {
            look_at_tiles(held, d + 1, tile, choice);
            if (!moves) break;
        }
        tile[at(d)] = 1;
    }

    // Windows of neighbouring units overlap: of their tiles no more than one word each is sure to differ.
    void look_at_tile(const Extents& tile, RegisterChoice& choice) const {
        double points = 1.0;
        for (const std::int64_t extent : tile) points *= static_cast<double>(extent);
        for (int t = 0; t < einsum_.tensor_count(); ++t) {
            const Tensor& tensor = einsum_.tensors[at(t)];
            const bool slides =
                std::ranges::any_of(tensor.ranks, [](const Rank& rank) { return rank.terms.size() > 1; });
            const double words = slides ? 1.0 : touched_words(tensor, tile);
            choice.points[at(t)] = std::max(choice.points[at(t)], points / words);
        }
    }

    const Einsum& einsum_;
    const OperandHomes& homes_;
    std::int64_t word_bits_;
};

// What one spread costs, by the operands in the registers and those that pass the buffer by.
class SpreadCosts {
   public:
    SpreadCosts(const Einsum& einsum, const Machine& machine, const OperandHomes& homes, const AtArray& at_array)
        : einsum_(einsum),
          machine_(machine),
          homes_(homes),
          at_array_(at_array),
          registers_(Registers(einsum, homes, machine.buffer.word_bits).choices()) {
        for (int t = 0; t < einsum.tensor_count(); ++t) {
            if (homes[at(t)].home != Home::buffer) may_pass_ |= 1U << static_cast<unsigned>(t);
            const std::int64_t bits = einsum.tensors[at(t)].bits;
            const std::int64_t sum_bits = homes[at(t)].sum_bits;
            share_[at(t)] = machine.buffer.share_of(bits);
            wide_[at(t)] = sum_bits > 0 ? machine.buffer.share_of(sum_bits) : share_[at(t)];
            if (!einsum.tensors[at(t)].written) continue;
            sums_.energy += homes[at(t)].once * wide_[at(t)].energy;
            sums_.bandwidth += homes[at(t)].once * wide_[at(t)].bandwidth;
            has_sums_ = has_sums_ || sum_bits > 0;
            late_.energy += homes[at(t)].once * (wide_[at(t)].energy - share_[at(t)].energy);
            late_.bandwidth += homes[at(t)].once * (wide_[at(t)].bandwidth - share_[at(t)].bandwidth);
        }
    }

    double steps(const ArrayWay& spread) const { return at_array_.points * spread.steps; }
    double calls() const { return static_cast<double>(1 + at_array_.resumed); }

    /// Each operand by itself takes the cheaper way, and those that gain most lie in the registers.
    double least_energy(const ArrayWay& spread) const {
        double sum = 0.0;
        std::array<double, kMaxTensors> by_step{};
        for (int t = 0; t < einsum_.tensor_count(); ++t) {
            by_step[at(t)] = energy_of(t, at_array_.points * spread.asked[at(t)]);
            sum += by_step[at(t)];
        }
        double most = 0.0;
        for (const RegisterChoice& held : registers_) {
            double gain = 0.0;
            for (int t = 0; t < einsum_.tensor_count(); ++t)
                if (held.once.has(t) || held.often.has(t))
                    gain += by_step[at(t)] - energy_of(t, asked_of(t, spread, held));
            most = std::max(most, gain);
        }
        return calls() * (at_array_.points * machine_.operation_pj + sum - most) +
               static_cast<double>(at_array_.resumed) *
                   (sums_.energy * machine_.buffer.read_pj + late_.energy * machine_.buffer.update_pj);
    }

    /// Calls `visit` with the cost of each choice.
    template <class Visit>
    void each(const ArrayWay& spread, const Visit& visit) const {
        for (const RegisterChoice& held : registers_)
            for (std::uint32_t passing = may_pass_;; passing = (passing - 1) & may_pass_) {
                visit(cost(spread, held, passing));
                if (passing == 0) break;
            }
    }

   private:
    double energy_of(int t, double asked) const {
        const OperandHome& home = homes_[at(t)];
        const bool written = einsum_.tensors[at(t)].written;
        const double share = share_[at(t)].energy;
        const double more = std::max(0.0, asked - home.once);  // partial sums
        const double wide = home.sum_bits > 0 ? wide_[at(t)].energy / share : 1.0;
        const auto through = [&](const MemoryPort& port) {
            if (!written) return asked * port.read_pj;
            if (home.sum_bits == 0) return asked * port.update_pj + more * port.read_pj;
            return (asked - more) * port.update_pj + more * wide * (port.update_pj + port.read_pj);
        };
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

    // Words of the operand that the array asks for.
    double asked_of(int t, const ArrayWay& spread, const RegisterChoice& held) const {
        const double once = homes_[at(t)].once;
        if (held.once.has(t)) return once;
        const double by_step = at_array_.points * spread.asked[at(t)];
        return held.often.has(t) ? std::max(once, by_step / held.points[at(t)]) : by_step;
    }

    Cost cost(const ArrayWay& spread, const RegisterChoice& held, std::uint32_t passing) const {
        Both dram;
        Both buffer;
        double paid_pj = 0.0;  // of words of the DRAM that are counted elsewhere
        for (int t = 0; t < einsum_.tensor_count(); ++t) {
            const OperandHome& home = homes_[at(t)];
            const double asked = asked_of(t, spread, held);
            const bool written = einsum_.tensors[at(t)].written;
            const bool passes = (passing >> static_cast<unsigned>(t) & 1U) != 0;
            const WordShare& share = share_[at(t)];
            Both& to = passes ? dram : buffer;
            const double more = written ? std::max(0.0, asked - home.once) : 0.0;
            if (home.sum_bits == 0) {
                to.add(written ? &Words::updates : &Words::reads, asked, share);
            } else {
                to.add(&Words::updates, asked - more, share);
                to.add(&Words::updates, more, wide_[at(t)]);
            }
            if (written) to.add(&Words::reads, more, wide_[at(t)]);
            if (passes && home.home == Home::either)
                paid_pj += home.paid * share.energy * (written ? machine_.dram.update_pj : machine_.dram.read_pj);
            if (passes || home.home != Home::dram) continue;
            dram.add(written ? &Words::updates : &Words::reads, home.once, share);
            if (!written) buffer.add(&Words::fills, home.once, share);
        }
        if (has_sums_ && at_array_.resumed > 0) return of_calls(steps(spread), dram, buffer);
        Cost all = of_call(steps(spread), dram, buffer);
        all.energy_pj -= paid_pj;
        if (at_array_.resumed == 0) return all;
        buffer.add(&Words::reads, 1.0, sums_);
        const Cost again = of_call(steps(spread), dram, buffer);
        const auto times = static_cast<double>(at_array_.resumed);
        return {all.energy_pj + times * again.energy_pj, all.cycles + times * again.cycles};
    }

    struct Both;

    // That go on with the sums of the one before; only the last one ends them.
    Cost of_calls(double steps, const Both& dram, const Both& buffer) const {
        Both late = buffer;
        late.add(&Words::updates, 1.0, late_);
        Both last = buffer;
        last.add(&Words::reads, 1.0, sums_);
        const Cost begin = of_call(steps, dram, late);
        late.add(&Words::reads, 1.0, sums_);
        const Cost go_on = of_call(steps, dram, late);
        const Cost end = of_call(steps, dram, last);
        const auto times = static_cast<double>(at_array_.resumed - 1);
        return {begin.energy_pj + times * go_on.energy_pj + end.energy_pj,
                begin.cycles + times * go_on.cycles + end.cycles};
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
    std::vector<RegisterChoice> registers_;
    std::uint32_t may_pass_ = 0;
    std::array<WordShare, kMaxTensors> share_{};  // of DRAM and buffer, whose words are of one width
    std::array<WordShare, kMaxTensors> wide_{};   // of partial sums, likewise
    WordShare sums_{0.0, 0.0};                    // of all results, as partial sums
    WordShare late_{0.0, 0.0};                    // how much more they are as such than as final ones
    bool has_sums_ = false;
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
