#include "model/sparse/counts.hpp"

#include <algorithm>
#include <cmath>

#include "arch/widths.hpp"
#include "base/numbers/checked.hpp"
#include "model/exact/costs.hpp"
#include "model/sparse/dense_words.hpp"

namespace tilewright::sparse {
namespace {

using tilewright::Accesses;

// What doubles leave of a difference between equal sums of this size is nothing.
double without_rounding(double difference, double size) {
    constexpr double kRounding = 1e-12;
    return std::abs(difference) <= kRounding * size ? 0.0 : difference;
}

// Nor is what they add to a whole number of words another row.
double whole_if_near(double words) {
    const double nearest = std::round(words);
    return without_rounding(words - nearest, nearest) == 0.0 ? nearest : words;
}

Saved without_rounding(Saved saved) {
    for (double* part : {&saved.left_out_pj, &saved.gating_pj, &saved.skipping_pj})
        *part = without_rounding(*part, saved.dense_pj);
    return saved;
}

/// On one tensor's accesses at one memory.
struct Spent {
    double energy_pj = 0.0;
    Saved saved;
};

/// What the counts cost.
class Costing {
   public:
    Costing(const Expected& expected, const Costed& costed)
        : einsum_(costed.einsum),
          architecture_(costed.architecture),
          design_(costed.design),
          nest_(costed.nest),
          words_(costed.words),
          parts_(static_cast<double>(costed.parts_of_bit)),
          stored_widths_(costed.stored_widths),
          dense_(costed.words.costed),
          expected_(expected),
          result_(costed.words.costed) {}

    CostsOfCounts run() {
        savings_.memories.resize(architecture_.memories.size());
        count_computes();
        for (int m = 0; m < architecture_.memory_count(); ++m) count_memory(m);
        count_cycles();
        add_up();
        count_savings();
        return {std::move(result_), std::move(savings_)};
    }

   private:
    void count_computes() {
        const Means& computes = expected_.computes;
        result_.computes = std::llround(computes.actual);
        const double busy = expected_.algorithmic_computes == 0.0
                                ? 0.0
                                : (computes.actual + computes.gated) / expected_.algorithmic_computes;
        result_.compute_cycles = rounded_up(static_cast<double>(dense_.compute_cycles) * busy);
        const double whole_pj = architecture_.compute.energy_pj.value;
        const double gated_pj = computes.gated * spared(design_.gated_compute_pj);
        const double skipped_pj = computes.skipped * spared(design_.skipped_compute_pj);
        result_.compute_energy_pj = computes.actual * whole_pj + gated_pj + skipped_pj;
        const double asked = computes.actual + computes.gated + computes.skipped;
        savings_.computes = without_rounding(
            Saved{expected_.algorithmic_computes * whole_pj, (expected_.algorithmic_computes - asked) * whole_pj,
                  computes.gated * whole_pj - gated_pj, computes.skipped * whole_pj - skipped_pj, 0.0});
    }

    // A whole compute is what stands for a price that is not given, as Timeloop takes it.
    double spared(double price_pj) const { return price_pj == architecture_.compute.energy_pj.value ? 0.0 : price_pj; }

    // What a double adds is no cycle.
    static std::int64_t rounded_up(double cycles) {
        constexpr double kRounding = 1.0 - 1e-12;
        return static_cast<std::int64_t>(std::ceil(cycles * kRounding));
    }

    static MemoryRates priced(MemoryRates rates, const AccessEnergies& energies) {
        rates.read_pj = energies.read_pj;
        rates.fill_pj = energies.fill_pj;
        rates.update_pj = energies.update_pj;
        return rates;
    }

    // Words of one kind of fate, per instance.
    template <class WordsOf>
    static Accesses words_of(const ExpectedTensor& counts, double instances, const WordsOf& words) {
        const auto each = [&](const ExpectedAccesses& accesses) { return whole_if_near(words(accesses) / instances); };
        return {each(counts.reads), each(counts.fills), each(counts.updates)};
    }

    Tensor partial(int tensor) const {
        Tensor wide = einsum_.tensors[tensor];
        wide.bits = words_.partial_bits[tensor];
        wide.scale_bits = 0;  // they have none
        return wide;
    }

    // Of a final word of a memory, by what one takes that moves where zeros are not left out.
    double stored_width(int memory, int tensor) const {
        const auto& format = design_.memories[memory].formats[tensor];
        return format && format->is_compressed() ? stored_widths_[tensor] : 1.0;
    }

    double held_width(int memory, int tensor) const {
        return architecture_.memories[memory].holds_scales ? stored_width(memory, tensor) : 1.0;
    }

    Rows final_rows(int memory, int tensor) const {
        const Memory& hardware = architecture_.memories[memory];
        const double width = held_width(memory, tensor);
        if (width == 1.0) return rows_of(hardware, einsum_.tensors[tensor]);
        return rows_of_bits(hardware, width * static_cast<double>(bits_of(einsum_.tensors[tensor], hardware)));
    }

    // Of one fate that `of` says; rows of partial sums and of final words are counted apart.
    template <class MeansOf>
    double data_pj(const MemoryRates& rates, int memory, int tensor, const MeansOf& of) const {
        const Memory& hardware = architecture_.memories[memory];
        const NestLevel& level = nest_.levels[memory];
        const auto instances = static_cast<double>(level.instances);
        const ExpectedTensor& counts = expected_.memories[memory][tensor];
        Accesses words = words_of(counts, instances, [&](const ExpectedAccesses& one) { return of(one.data); });
        const auto pj = [&](const Rows& rows, const Accesses& some) {
            return access_energy_pj(rates, rows, some, level.addressed, instances);
        };
        if (!words_.has_partial(tensor)) return pj(final_rows(memory, tensor), words);
        const Accesses final{0.0, 0.0, whole_if_near(of(counts.final_updates) / instances)};
        words.updates = without_rounding(words.updates - final.updates, words.updates);
        return pj(rows_of(hardware, partial(tensor)), words) + pj(final_rows(memory, tensor), final);
    }

    // Step by step from all accesses at their full price to those that are done, so that the differences add up.
    Spent spent_on(int memory, int tensor, const ExpectedTensor& counts) const {
        const Memory& hardware = architecture_.memories[memory];
        const MemoryDesign& built = design_.memories[memory];
        const NestLevel& level = nest_.levels[memory];
        const auto instances = static_cast<double>(level.instances);
        const MemoryRates rates = rates_of(hardware);
        const auto cost = [&](const MemoryRates& prices, const auto& of) {
            return data_pj(prices, memory, tensor, of);
        };
        using Of = const Means&;
        const double gated = cost(priced(rates, built.gated), [](Of one) { return one.gated; });
        const double skipped = cost(priced(rates, built.skipped), [](Of one) { return one.skipped; });
        const double all = dense_.memories[memory].tensors[tensor].energy_pj;
        const double stored = cost(rates, [](Of one) { return one.actual + one.gated + one.skipped; });
        const double not_gated = cost(rates, [](Of one) { return one.actual + one.skipped; });
        const double done = cost(rates, [](Of one) { return one.actual; });
        const auto width = static_cast<double>(built.metadata_width_bits);
        const auto bits = [](const ExpectedAccesses& one) { return one.metadata_bits; };
        const double metadata = built.metadata_width_bits == 0
                                    ? 0.0
                                    : access_energy_pj(priced(rates, built.metadata), {width, 0.0},
                                                       words_of(counts, instances, bits), level.addressed, instances);
        const double decompression = counts.decompressions * built.decompression_pj;
        const double compression = counts.compressions * built.compression_pj;
        return {done + gated + skipped + metadata + decompression + compression,
                without_rounding({all, all - stored, stored - not_gated - gated, not_gated - done - skipped,
                                  metadata + decompression + compression})};
    }

    void count_tensor(int memory, int tensor) {
        const ExpectedTensor& counts = expected_.memories[memory][tensor];
        TensorTraffic& traffic = result_.memories[memory].tensors[tensor];
        if (!counts.kept) return;
        const NestLevel& level = nest_.levels[memory];
        const MemoryRates rates = rates_of(architecture_.memories[memory]);
        const auto instances = static_cast<double>(level.instances);
        traffic.reads = counts.reads.data.actual;
        traffic.fills = counts.fills.data.actual;
        traffic.updates = counts.updates.data.actual;
        traffic.tile_words = counts.most_words;
        const Accesses addressed{(traffic.reads + counts.reads.data.gated) / instances, traffic.fills / instances,
                                 (traffic.updates + counts.updates.data.gated) / instances};
        traffic.address_generations = address_generations(addressed, einsum_.tensors[tensor].written) *
                                      address_generators(rates, level.addressed, instances);
        const Spent spent = spent_on(memory, tensor, counts);
        traffic.energy_pj = spent.energy_pj;
        savings_.memories[memory] += spent.saved;
        traffic.address_energy_pj = traffic.address_generations * rates.address_pj;
        scale_link(memory, tensor, counts);
    }

    // A link carries what is read and updated at its memory.
    void scale_link(int memory, int tensor, const ExpectedTensor& counts) {
        const bool written = einsum_.tensors[tensor].written;
        const ExpectedAccesses& moved = written ? counts.updates : counts.reads;
        const double share = moved.algorithmic == 0.0 ? 0.0 : moved.data.actual / moved.algorithmic;
        LinkTraffic& link = result_.memories[memory].link[tensor];
        link = words_.counted.memories[memory].link[tensor];
        for (double* figure : {&link.words, &link.delivered, &link.link_transfers, &link.spatial_reductions, &link.hops,
                               &link.energy_pj})
            *figure *= share;
        link.energy_pj *= stored_width(memory, tensor);
        if (!words_.has_partial(tensor)) return;
        const double lasts = words_.final_updates[memory][tensor];
        const double final =
            lasts == 0.0 ? 0.0 : words_.final_below[memory][tensor] * counts.final_updates.actual / lasts;
        link.energy_pj = final * stored_width(memory, tensor) * words_.counted.memories[memory].link[tensor].energy_pj +
                         (share - final) * words_.of_partial.memories[memory].link[tensor].energy_pj;
    }

    void count_memory(int memory) {
        MemoryEvaluation& evaluation = result_.memories[memory];
        for (int t = 0; t < einsum_.tensor_count(); ++t) count_tensor(memory, t);
        evaluation.link_energy_pj = 0.0;
        for (const LinkTraffic& link : evaluation.link) evaluation.link_energy_pj += link.energy_pj;
    }

    // Of words done and gated, in time steps; metadata takes as much of the bandwidth as its bits.
    Demand demand(int memory, int tensor, TensorTraffic& traffic) const {
        const Memory& hardware = architecture_.memories[memory];
        const ExpectedTensor& counts = expected_.memories[memory][tensor];
        const auto instances = static_cast<double>(nest_.levels[memory].instances);
        const std::int64_t cycles = std::max<std::int64_t>(1, result_.compute_cycles);
        const bool has_partial = words_.has_partial(tensor);
        const Tensor as = has_partial ? partial(tensor) : einsum_.tensors[tensor];
        const double width = bandwidth_share(einsum_.tensors[tensor], hardware) * held_width(memory, tensor);
        const double wide = has_partial ? bandwidth_share(as, hardware) : width;
        // Metadata in words of that width.
        const double bits =
            static_cast<double>(bits_of(as, hardware)) / parts_ * (has_partial ? 1.0 : held_width(memory, tensor));
        Accesses each = words_of(counts, instances, [&](const ExpectedAccesses& one) {
            return one.data.actual + one.data.gated + one.metadata_bits / bits;
        });
        traffic.bandwidth_share = width;
        if (!has_partial) return demand_of(each, 1.0, cycles, width);
        const double final = whole_if_near((counts.final_updates.actual + counts.final_updates.gated) / instances);
        each.updates = without_rounding(each.updates - final, each.updates);
        if (const double all = each.reads + each.fills + each.updates + final; all > 0.0)
            traffic.bandwidth_share += (1.0 - final / all) * (wide - width);
        const Demand of_partial = demand_of(each, 1.0, cycles, wide);
        const Demand of_final = demand_of({0.0, 0.0, final}, 1.0, cycles, width);
        return {of_partial.read + of_final.read, of_partial.write + of_final.write};
    }

    void bound(int memory) {
        MemoryEvaluation& evaluation = result_.memories[memory];
        const Memory& hardware = architecture_.memories[memory];
        const std::int64_t cycles = std::max<std::int64_t>(1, result_.compute_cycles);
        Demand sum;
        for (int t = 0; t < einsum_.tensor_count(); ++t) {
            TensorTraffic& traffic = evaluation.tensors[t];
            const Demand own = demand(memory, t, traffic);
            traffic.read_words_per_cycle = own.read;
            traffic.write_words_per_cycle = own.write;
            sum.read += own.read;
            sum.write += own.write;
        }
        const Throttle limit = throttle(rates_of(hardware), sum);
        evaluation.slowdown = limit.slowdown;
        evaluation.bound = limit.bound;
        evaluation.cycles = std::max(result_.compute_cycles,
                                     limit.slowdown < 1.0 ? throttled_cycles(cycles, limit.slowdown) : std::int64_t{0});
        for (TensorTraffic& traffic : evaluation.tensors) {
            traffic.read_words_per_cycle *= limit.slowdown;
            traffic.write_words_per_cycle *= limit.slowdown;
        }
    }

    void count_cycles() {
        std::int64_t busiest = result_.compute_cycles;
        result_.bounding_memory = -1;
        for (int m = 0; m < architecture_.memory_count(); ++m) {
            bound(m);
            if (result_.memories[m].cycles <= busiest) continue;
            busiest = result_.memories[m].cycles;
            result_.bounding_memory = m;
        }
        result_.cycles = busiest + result_.link_latency_cycles;
        const std::int64_t before = dense_.cycles - dense_.link_latency_cycles;
        const double shorter = static_cast<double>(busiest) / static_cast<double>(before);
        result_.compute_leakage_pj *= shorter;
        for (MemoryEvaluation& memory : result_.memories) memory.leakage_pj *= shorter;
    }

    void add_up() {
        result_.energy_pj = result_.compute_energy_pj + result_.compute_leakage_pj;
        for (MemoryEvaluation& memory : result_.memories) {
            memory.energy_pj = memory.leakage_pj;
            for (const TensorTraffic& traffic : memory.tensors)
                memory.energy_pj += traffic.energy_pj + traffic.address_energy_pj;
            result_.energy_pj += memory.energy_pj + memory.link_energy_pj;
        }
        const double places =
            static_cast<double>(architecture_.compute.instances) * static_cast<double>(result_.cycles);
        result_.utilization = places == 0.0 ? 0.0 : expected_.computes.actual / places;
    }

    // What neither accesses nor computes explain.
    void count_savings() {
        savings_.dense_energy_pj = dense_.energy_pj;
        savings_.dense_cycles = dense_.cycles;
        const Saved total = total_of(savings_);
        savings_.elsewhere_pj = without_rounding(
            (dense_.energy_pj - total.dense_pj) - (result_.energy_pj - total.spent_pj()), dense_.energy_pj);
    }

    const Einsum& einsum_;
    const Architecture& architecture_;
    const Design& design_;
    const Nest& nest_;
    const DenseWords& words_;
    const double parts_;  ///< of a bit
    const std::vector<double>& stored_widths_;
    const Evaluation& dense_;
    const Expected& expected_;
    Evaluation result_;
    Savings savings_;
};

}  // namespace

CostsOfCounts costs_of(const Expected& expected, const Costed& costed) { return Costing(expected, costed).run(); }

}  // namespace tilewright::sparse
