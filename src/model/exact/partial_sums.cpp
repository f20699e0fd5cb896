#include "model/exact/partial_sums.hpp"

#include <algorithm>
#include <stdexcept>
#include <variant>

#include "arch/widths.hpp"
#include "base/numbers/checked.hpp"
#include "mapping/uneven.hpp"
#include "model/exact/costs.hpp"
#include "model/exact/model.hpp"

namespace tilewright {
namespace {

bool has_partial(const PartialBits& bits, std::size_t tensor) { return tensor < bits.size() && bits[tensor] > 0; }

// Partial sums have no scales.
void set_partial(std::int64_t bits, Tensor& tensor) {
    tensor.bits = bits;
    tensor.scale_bits = 0;
}

// Neighbours outside node `position` add to the same word of the tensor.
bool is_shared_outside(const Mapping& mapping, int position, const Tensor& tensor) {
    std::uint32_t again = 0;  // dimensions with an outer loop of several steps: not all of them are the last
    for (int i = 0; i < position; ++i) {
        const Loop* const loop = std::get_if<Loop>(&mapping.nodes[i]);
        if (loop == nullptr) continue;
        const std::uint32_t own = 1U << static_cast<std::uint32_t>(loop->dimension);
        if (((again & own) != 0 ? loop->extent : loop->remainder) == 1) continue;
        if (loop->is_spatial() && !is_relevant(tensor, loop->dimension)) return true;
        again |= own;
    }
    return false;
}

// Results that this run leaves unfinished have one width, that of partial sums.
Einsum with_unfinished(Einsum einsum, const PartialBits& bits, TensorSet unfinished) {
    for (std::size_t t = 0; t < einsum.tensors.size(); ++t)
        if (has_partial(bits, t) && unfinished.has(static_cast<int>(t))) set_partial(bits[t], einsum.tensors[t]);
    return einsum;
}

PartialBits without(PartialBits bits, TensorSet unfinished) {
    for (std::size_t t = 0; t < bits.size(); ++t)
        if (unfinished.has(static_cast<int>(t))) bits[t] = 0;
    return bits;
}

class PartialSums {
   public:
    PartialSums(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping, const PartialBits& bits,
                const PartOfSums& part = {}, const StopSource* stop = nullptr)
        : einsum_(with_unfinished(einsum, bits, part.unfinished)),
          architecture_(architecture),
          mapping_(mapping),
          bits_(without(bits, part.unfinished)),
          resumed_(part.resumed),
          stop_(stop),
          final_only_(evaluate(einsum_, architecture, mapping, stop, resumed_)),
          final_(final_updates(einsum_, architecture, mapping,
                               resumed_.empty() ? final_only_ : evaluate(einsum_, architecture, mapping, stop))),
          final_below_(final_shares_below(einsum_, architecture, mapping, final_only_, final_)) {}

    Einsum held_at(std::size_t memory) const {
        Einsum held = einsum_;
        for (std::size_t t = 0; t < held.tensors.size(); ++t)
            if (is_ever_partial(memory, t)) set_partial(bits_[t], held.tensors[t]);
        return held;
    }

    bool is_ever_partial(std::size_t memory, std::size_t tensor) const {
        return has_partial(bits_, tensor) && !is_final(memory, tensor);
    }
    const std::vector<std::vector<double>>& finals() const { return final_; }

    Evaluation evaluation() const {
        Evaluation all = final_only_;
        const Evaluation wide = evaluate(all_partial(einsum_, bits_), architecture_, mapping_, stop_, resumed_);
        for (std::size_t m = 0; m < all.memories.size(); ++m) {
            for (std::size_t t = 0; t < einsum_.tensors.size(); ++t) {
                if (!has_partial(bits_, t)) continue;
                charge(m, t, all.memories[m].tensors[t]);
                const double share = final_below_[m][t];
                LinkTraffic& link = all.memories[m].link[t];
                link.energy_pj = share * link.energy_pj + (1.0 - share) * wide.memories[m].link[t].energy_pj;
            }
            all.memories[m].link_energy_pj = 0.0;
            for (const LinkTraffic& link : all.memories[m].link) all.memories[m].link_energy_pj += link.energy_pj;
            all.memories[m].used_words = used_words(m, all.memories[m]);
            bound_cycles(m, all);
        }
        sum_up(all);
        return all;
    }

   private:
    const Memory& memory(std::size_t index) const { return architecture_.memories[index]; }

    bool is_final(std::size_t memory, std::size_t tensor) const {
        return has_final_only(final_only_.memories[memory].tensors[tensor], final_[memory][tensor]);
    }

    Tensor partial(std::size_t tensor) const {
        Tensor wide = einsum_.tensors[tensor];
        set_partial(bits_[tensor], wide);
        return wide;
    }

    void charge(std::size_t m, std::size_t t, TensorTraffic& traffic) const {
        if (!traffic.kept) return;
        const MemoryRates rates = rates_of(memory(m));
        const auto spread = static_cast<std::int64_t>(traffic.instances);
        const auto energy = [&](const Accesses& each, const Tensor& tensor) {
            return access_energy_pj(rates, rows_of(memory(m), tensor), each, spread, traffic.instances);
        };
        traffic.energy_pj =
            energy(partial_accesses(m, t), partial(t)) + energy(final_accesses(m, t), einsum_.tensors[t]);
    }

    // Of one instance.
    Accesses partial_accesses(std::size_t m, std::size_t t) const {
        const TensorTraffic& all = final_only_.memories[m].tensors[t];
        return {all.reads / all.instances, all.fills / all.instances, (all.updates - final_[m][t]) / all.instances};
    }
    Accesses final_accesses(std::size_t m, std::size_t t) const {
        return {0.0, 0.0, final_[m][t] / final_only_.memories[m].tensors[t].instances};
    }

    std::int64_t used_words(std::size_t m, const MemoryEvaluation& evaluation) const {
        const Capacity capacity = capacity_of(memory(m), held_at(m));
        std::int64_t units = 0;
        for (std::size_t t = 0; t < evaluation.tensors.size(); ++t)
            units = checked_add(units, capacity.units(static_cast<int>(t), evaluation.tensors[t].tile_words));
        return capacity.words(units);
    }

    Demand demand(std::size_t m, std::size_t t, const TensorTraffic& traffic, std::int64_t compute_cycles) const {
        const double share = bandwidth_share(einsum_.tensors[t], memory(m));
        if (!has_partial(bits_, t) || !traffic.kept)
            return demand_of({traffic.reads / traffic.instances, traffic.fills / traffic.instances,
                              traffic.updates / traffic.instances},
                             1.0, compute_cycles, share);
        const Demand wide =
            demand_of(partial_accesses(m, t), 1.0, compute_cycles, bandwidth_share(partial(t), memory(m)));
        const Demand narrow = demand_of(final_accesses(m, t), 1.0, compute_cycles, share);
        return {wide.read + narrow.read, wide.write + narrow.write};
    }

    // Mean bandwidth of a word of the tensor, in words of the memory.
    double mean_share(std::size_t m, std::size_t t, const TensorTraffic& traffic) const {
        const double narrow = bandwidth_share(einsum_.tensors[t], memory(m));
        const double words = traffic.reads + traffic.fills + traffic.updates;
        if (!has_partial(bits_, t) || words <= 0.0) return narrow;
        const double share = final_[m][t] / words;
        return share * narrow + (1.0 - share) * bandwidth_share(partial(t), memory(m));
    }

    void bound_cycles(std::size_t m, Evaluation& all) const {
        MemoryEvaluation& evaluation = all.memories[m];
        Demand sum;
        for (std::size_t t = 0; t < evaluation.tensors.size(); ++t) {
            TensorTraffic& traffic = evaluation.tensors[t];
            const Demand own = demand(m, t, traffic, all.compute_cycles);
            traffic.bandwidth_share = mean_share(m, t, traffic);
            traffic.read_words_per_cycle = own.read;
            traffic.write_words_per_cycle = own.write;
            sum.read += own.read;
            sum.write += own.write;
        }
        const Throttle limit = throttle(rates_of(memory(m)), sum);
        evaluation.slowdown = limit.slowdown;
        evaluation.bound = limit.bound;
        evaluation.cycles = throttled_cycles(all.compute_cycles, limit.slowdown);
        for (TensorTraffic& traffic : evaluation.tensors) {
            traffic.read_words_per_cycle *= limit.slowdown;
            traffic.write_words_per_cycle *= limit.slowdown;
        }
    }

    void sum_up(Evaluation& all) const {
        std::int64_t busiest = all.compute_cycles;
        all.bounding_memory = -1;
        std::vector<double> used;
        for (std::size_t m = 0; m < all.memories.size(); ++m) {
            used.push_back(all.memories[m].tensors.front().instances);
            if (all.memories[m].cycles <= busiest) continue;
            busiest = all.memories[m].cycles;
            all.bounding_memory = static_cast<int>(m);
        }
        all.cycles = busiest + all.link_latency_cycles;
        const auto cycles = static_cast<double>(busiest);
        all.compute_leakage_pj =
            architecture_.compute.leak_pj_per_cycle.value * cycles * static_cast<double>(all.compute_units_used);
        all.energy_pj = all.compute_energy_pj + all.compute_leakage_pj;
        for (std::size_t m = 0; m < all.memories.size(); ++m) {
            MemoryEvaluation& evaluation = all.memories[m];
            evaluation.leakage_pj = memory(m).energy.leak_pj_per_cycle.value * cycles *
                                    leaking_instances(architecture_, static_cast<int>(m), used);
            evaluation.energy_pj = evaluation.leakage_pj;
            for (const TensorTraffic& traffic : evaluation.tensors)
                evaluation.energy_pj += traffic.energy_pj + traffic.address_energy_pj;
            all.energy_pj += evaluation.energy_pj + evaluation.link_energy_pj;
        }
        all.utilization = static_cast<double>(all.computes) / static_cast<double>(architecture_.compute.instances) /
                          static_cast<double>(all.cycles);
    }

    Einsum einsum_;
    const Architecture& architecture_;
    const Mapping& mapping_;
    PartialBits bits_;
    TensorSet resumed_;
    const StopSource* stop_;
    Evaluation final_only_;                   ///< all words as wide as final ones: its counts hold
    std::vector<std::vector<double>> final_;  ///< final_updates()
    std::vector<std::vector<double>> final_below_;
};

bool is_about_room(const Violation& violation) {
    return violation.kind == ViolationKind::capacity || violation.kind == ViolationKind::min_utilization;
}

}  // namespace

std::string problem_with(const Einsum& einsum, const PartialBits& bits) {
    for (std::size_t t = 0; t < einsum.tensors.size(); ++t) {
        const Tensor& tensor = einsum.tensors[t];
        if (!has_partial(bits, t)) continue;
        if (!tensor.written) return "'" + tensor.name + "' is an operand and has no partial sums";
        if (std::ranges::any_of(tensor.ranks, [](const Rank& rank) { return rank.terms.size() > 1; }))
            return "neighbouring words of '" + tensor.name + "' overlap: which of them are final is not counted";
    }
    return "";
}

std::vector<std::vector<double>> final_updates(const Einsum& einsum, const Architecture& architecture,
                                               const Mapping& mapping, const Evaluation& counted) {
    const int count = architecture.memory_count();
    std::vector<std::vector<double>> updates(counted.memories.size(), std::vector<double>(einsum.tensors.size(), 0.0));
    for (int t = 0; t < einsum.tensor_count(); ++t) {
        const Tensor& tensor = einsum.tensors[t];
        if (!tensor.written) continue;
        const std::vector<int> stores = store_positions(mapping, count, t);
        for (std::size_t m = 0; m < updates.size(); ++m) {
            const TensorTraffic& traffic = counted.memories[m].tensors[t];
            if (!traffic.kept || is_shared_outside(mapping, stores[m], tensor)) continue;
            // Each word has one first arrival, without a read, and one last. With remainders, too: only loops of
            // relevant dimensions decide its place, and their steps are its own.
            updates[m][t] = traffic.updates - traffic.reads;
        }
    }
    return updates;
}

bool has_final_only(const TensorTraffic& traffic, double final_updates) {
    return traffic.reads == 0.0 && traffic.fills == 0.0 && traffic.updates == final_updates;
}

std::vector<std::vector<double>> final_shares_below(const Einsum& einsum, const Architecture& architecture,
                                                    const Mapping& mapping, const Evaluation& counted,
                                                    const std::vector<std::vector<double>>& final) {
    const int count = architecture.memory_count();
    std::vector<std::vector<double>> shares(final.size(), std::vector<double>(einsum.tensors.size(), 0.0));
    for (int t = 0; t < einsum.tensor_count(); ++t) {
        if (!einsum.tensors[t].written) continue;
        const std::vector<int> stores = store_positions(mapping, count, t);
        for (int m = 0; m < count; ++m) {
            const int end = m + 1 < count ? stores[m + 1] : static_cast<int>(mapping.nodes.size());
            if (is_shared_outside(mapping, end, einsum.tensors[t])) continue;
            int keeper = m;
            while (keeper > 0 && !counted.memories[keeper].tensors[t].kept) --keeper;
            const TensorTraffic& traffic = counted.memories[keeper].tensors[t];
            const double words = traffic.updates + (architecture.memories[keeper].reduces ? 0.0 : traffic.reads);
            if (words > 0.0) shares[m][t] = final[keeper][t] / words;
        }
    }
    return shares;
}

Einsum all_partial(Einsum einsum, const PartialBits& bits) {
    for (std::size_t t = 0; t < einsum.tensors.size(); ++t)
        if (has_partial(bits, t)) set_partial(bits[t], einsum.tensors[t]);
    return einsum;
}

Einsum held_words(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                  const PartialBits& bits, int memory) {
    return PartialSums(einsum, architecture, mapping, bits).held_at(static_cast<std::size_t>(memory));
}

std::vector<Violation> check(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                             const PartialBits& bits, const PartOfSums& part) {
    std::vector<Violation> violations = check(einsum, architecture, mapping);
    std::erase_if(violations, is_about_room);
    if (!violations.empty()) return violations;
    const PartialSums sums(einsum, architecture, mapping, bits, part);
    for (std::size_t m = architecture.memories.size(); m-- > 0;)
        for (Violation& one : check(sums.held_at(m), architecture, mapping))
            if (one.level == architecture.memories[m].name) violations.push_back(std::move(one));
    return violations;
}

Evaluation evaluate(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                    const PartialBits& bits) {
    if (const std::string problem = problem_with(einsum, bits); !problem.empty()) throw std::invalid_argument(problem);
    return PartialSums(einsum, architecture, mapping, bits).evaluation();
}

PartEvaluation evaluate_part(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                             const PartialBits& bits, const PartOfSums& part, const StopSource* stop) {
    if (const std::string problem = problem_with(einsum, bits); !problem.empty()) throw std::invalid_argument(problem);
    const PartialSums sums(einsum, architecture, mapping, bits, part, stop);
    PartEvaluation all{sums.evaluation(), sums.finals(), std::vector<TensorSet>(architecture.memories.size())};
    for (std::size_t m = 0; m < all.partial.size(); ++m)
        for (std::size_t t = 0; t < einsum.tensors.size(); ++t) {
            const bool kept = all.evaluation.memories[m].tensors[t].kept;
            const bool unfinished = has_partial(bits, t) && part.unfinished.has(static_cast<int>(t));
            if (unfinished) all.final_updates[m][t] = 0.0;
            if (kept && (unfinished || sums.is_ever_partial(m, t))) all.partial[m].add(static_cast<int>(t));
        }
    return all;
}

}  // namespace tilewright
