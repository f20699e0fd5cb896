#include "mapper/optimal/bounds/compulsory_bound.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "mapper/optimal/geometry/sweep.hpp"

namespace tilewright::optimal {
namespace {

/// Lower bound of the words read and written at one memory, all instances together.
struct Words {
    double reads = 0.0;
    double writes = 0.0;
};

class AssignmentBound {
   public:
    AssignmentBound(const lean::Setup& setup, const TilingPoint& point) : setup_(setup), point_(point) {}

    CompulsoryBound bound() {
        CompulsoryBound bound;
        bound.energy_pj = setup_.compute_energy_pj;
        for (int t = 0; t < static_cast<int>(setup_.tensors.size()); ++t) bound.energy_pj += tensor_pj(t);
        bound.cycles = setup_.prices ? std::ceil(cycles() * setup_.busy * lean::kNoMore) : std::ceil(cycles());
        bound.energy_pj += leakage_pj(bound.cycles);
        bound.cycles += static_cast<double>(setup_.link_latency_cycles);
        return bound;
    }

   private:
    int levels() const { return point_.level_count(); }
    bool is_relevant(int tensor, int d) const { return (setup_.tensors[tensor].relevant >> d & 1U) != 0; }
    // Neighbours differing in the dimension may need the same words.
    bool may_share(int tensor, int d) const { return !is_relevant(tensor, d) || !setup_.tensors[tensor].plain; }

    // Instances below the fan-outs of memories `first` to `last` - 1 along one dimension, without those left idle by
    // the last block of an outer fan-out.
    double ways_at_least(int d, int first, int last) const {
        double all = 1.0;
        double outermost = 1.0;
        for (int l = first; l < last; ++l) {
            const double factor = point_[l].spatial[d];
            if (outermost == 1.0) outermost = factor;
            all *= factor;
        }
        return (outermost - 1.0) * (all / outermost) + 1.0;
    }

    double ways_at_most(int d, int first, int last) const {
        double all = 1.0;
        for (int l = first; l < last; ++l) all *= point_[l].spatial[d];
        return all;
    }

    // Every word goes to all instances with different indices of irrelevant dimensions.
    double words_sent(int tensor, int level) const {
        if (level == levels()) return setup_.operations;
        double words = distinct_at_least(setup_.tensors[tensor], setup_.extents);
        for (int d = 0; d < point_.dimension_count(); ++d)
            if (!is_relevant(tensor, d)) words *= ways_at_least(d, 0, level);
        return words;
    }

    double tensor_pj(int tensor) {
        double energy = 0.0;
        int parent = -1;
        for (int l = 0; l <= levels(); ++l) {
            if (l < levels() && !point_[l].keep.has(tensor)) continue;
            if (parent >= 0) energy += delivery_pj(tensor, parent, l);
            parent = l;
        }
        return energy;
    }

    double delivery_pj(int tensor, int parent, int level) {
        const lean::TensorForm& form = setup_.tensors[tensor];
        double sharing = 1.0;
        double first = form.written ? lean::words_in(form, setup_.extents) : 0.0;
        for (int d = 0; d < point_.dimension_count(); ++d) {
            if (!may_share(tensor, d)) continue;
            sharing *= ways_at_most(d, parent, level);
            first *= ways_at_most(d, 0, parent);
        }
        const double sent = words_sent(tensor, level);
        const double words = std::max(words_sent(tensor, parent), sent / sharing);
        const double fills = level < levels() && !form.written ? sent : 0.0;
        const double reads = std::max(0.0, words - first);
        const double updates = form.written ? words : 0.0;
        const lean::LevelForm& outside = setup_.levels[parent];
        words_[parent].reads += reads * outside.bandwidth_share[tensor];
        words_[parent].writes += updates * outside.update_share[tensor];
        double energy = accesses_pj(tensor, parent, {reads, 0.0, updates});
        if (fills == 0.0) return energy;
        words_[level].writes += fills * setup_.levels[level].fill_share[tensor];
        return energy + accesses_pj(tensor, level, {0.0, fills, 0.0});
    }

    // Assumes full blocks and simultaneous reads in a cluster.
    double accesses_pj(int tensor, int level, const Accesses& words) const {
        const lean::LevelForm& form = setup_.levels[level];
        const double paying = std::min(1.0, static_cast<double>(form.rates.clusters) / form.instances);
        if (form.prices != nullptr) {
            const lean::TensorPrices& prices = (*form.prices)[tensor];
            return paying * (words.reads * prices.read.per_word() + words.fills * prices.fill.per_word() +
                             words.updates * prices.update.per_word());
        }
        const auto pj = [&](double some, double of_row_pj) {
            return some / form.rows[tensor].words * of_row_pj * paying;
        };
        return pj(words.reads, form.rates.read_pj) + pj(words.updates, form.rates.update_pj) +
               pj(words.fills, form.rates.fill_pj);
    }

    double used_at_most(int level) const {
        double used = 1.0;
        for (int d = 0; d < point_.dimension_count(); ++d) used *= ways_at_most(d, 0, level);
        return used;
    }

    double cycles() const {
        double steps = 1.0;
        for (int d = 0; d < point_.dimension_count(); ++d)
            steps *= std::ceil(setup_.extents[d] / ways_at_most(d, 0, levels()));
        double cycles = steps;
        for (int l = 0; l < levels(); ++l) {
            const auto [reads, writes] = words_[l];
            const double used = used_at_most(l);
            cycles = std::max(cycles, port_cycles(setup_.levels[l].rates, steps, reads / used, writes / used));
        }
        return cycles;
    }

    // Leakage of any set of instances able to do all operations in so many cycles.
    double leakage_pj(double cycles) const {
        const double operations = setup_.operations * setup_.busy;  // that take time
        double energy = setup_.compute_leak_pj_per_cycle * operations;
        for (int l = 0; l < levels(); ++l) {
            const double below = used_at_most(levels()) / used_at_most(l);
            energy += setup_.levels[l].rates.leak_pj_per_cycle * std::max(cycles, operations / below);
        }
        return energy;
    }

    const lean::Setup& setup_;
    const TilingPoint& point_;
    std::array<Words, kMaxMemories> words_{};
};

}  // namespace

CompulsoryBound compulsory_bound(const lean::Setup& setup, const TilingPoint& assignment) {
    return AssignmentBound(setup, assignment).bound();
}

}  // namespace tilewright::optimal
