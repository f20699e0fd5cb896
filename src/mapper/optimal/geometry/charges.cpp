#include "mapper/optimal/geometry/charges.hpp"

#include <algorithm>
#include <bit>

namespace tilewright::optimal {
namespace {

// Large enough to resolve per-word rates in a probe, small enough to stay exact.
constexpr double kProbeWords = 1048576.0;
constexpr double kMoreThanRounding = 1.0 + 1e-9;

}  // namespace

Charges::Charges(const lean::Setup& setup, const TilingPoint& assignment, lean::LinkCache* links)
    : setup_(setup),
      links_(links),
      assignment_(assignment),
      levels_(assignment.level_count()),
      dimensions_(assignment.dimension_count()),
      tensors_(static_cast<int>(setup.tensors.size())) {
    set_geometry();
    set_dynamic();
    set_sharing();
    for (int t = 0; t < tensors_; ++t) set_tensor(t);
    set_leakage();
}

void Charges::keep_as_in(const TilingPoint& assignment) {
    std::uint32_t changed = 0;
    for (int l = 0; l < levels_; ++l) {
        changed |= assignment_[l].keep.bits() ^ assignment[l].keep.bits();
        assignment_[l].keep = assignment[l].keep;
    }
    for (; changed != 0; changed &= changed - 1) set_tensor(std::countr_zero(changed));
}

double Charges::fixed_pj() const {
    double energy = setup_.compute_energy_pj;
    for (int t = 0; t < tensors_; ++t) energy += units_pj_[t];
    return energy;
}

void Charges::set_geometry() {
    inner_[levels_].fill(1.0);
    for (int l = levels_ - 1; l >= 0; --l)
        for (int d = 0; d < dimensions_; ++d) inner_[l][d] = inner_[l + 1][d] * assignment_[l].spatial[d];
    for (int d = 0; d < dimensions_; ++d) {
        rest_[d] = setup_.extents[d] / inner_[0][d];
        steps_ *= rest_[d];
    }
    used_[0] = 1.0;
    for (int l = 0; l < levels_; ++l) {
        for (int d = 0; d < dimensions_; ++d) spread_[l] |= (assignment_[l].spatial[d] != 1 ? 1U : 0U) << d;
        used_[l + 1] = used_[l];
        for (int d = 0; d < dimensions_; ++d) used_[l + 1] *= assignment_[l].spatial[d];
        charged_[l] = std::min(used_[l], static_cast<double>(setup_.levels[l].rates.clusters));
    }
}

void Charges::set_dynamic() {
    for (int t = 0; t < tensors_; ++t)
        for (int l = 0; l < levels_; ++l)
            if (spreads_unevenly(t, l)) dynamic_[t] |= 1U << l;
}

void Charges::set_sharing() {
    for (int t = 0; t < tensors_; ++t)
        for (int l = 0; l < levels_; ++l) {
            double& moving = moving_[t][l] = 1.0;
            for (std::uint32_t left = spread_[l] & setup_.tensors[t].relevant; left != 0; left &= left - 1)
                moving *= assignment_[l].spatial[std::countr_zero(left)];
            if (!is_dynamic(t, l)) groups_[t][l] = groups(t, l, inner_[l + 1]);
        }
}

// Two dimensions of one rank across one fan-out: sharing depends on the tile.
bool Charges::spreads_unevenly(int tensor, int level) const {
    const lean::TensorForm& form = setup_.tensors[tensor];
    if (form.plain) return false;
    if (form.tangled) {
        int spread = 0;
        for (int d = 0; d < dimensions_; ++d)
            spread += (form.relevant >> d & 1U) != 0 && assignment_[level].spatial[d] > 1 ? 1 : 0;
        return spread > 1;
    }
    int term = 0;
    for (const int end : form.rank_ends) {
        int ways = 0;
        for (; term < end; ++term) ways += assignment_[level].spatial[form.terms[term].dimension] > 1 ? 1 : 0;
        if (ways > 1) return true;
    }
    return false;
}

lean::Nest Charges::nest_at(const Extents& tile, int level) const {
    lean::Nest nest;
    nest.loop_count = 0;
    nest.around[0] = 1.0;
    nest.outside.fill(0);
    nest.moving.fill(0);
    for (int l = 0; l <= levels_; ++l) nest.tile[l] = l <= level ? inner_[l] : tile;
    for (int l = 0; l <= levels_; ++l) {
        nest.used_x[l] = used_[l];
        nest.used_y[l] = 1.0;
    }
    std::copy_n(spread_.begin(), levels_, nest.spread.begin());
    return nest;
}

// Usually the number of neighbours with different relevant indices; laying out a nest takes longer.
double Charges::groups(int tensor, int level, const Extents& tile) const {
    const lean::TensorForm& form = setup_.tensors[tensor];
    if (form.plain || std::popcount(spread_[level] & form.relevant) < 2) return moving_[tensor][level];
    return lean::sharing_groups(setup_, assignment_, nest_at(tile, level), level, tensor);
}

double Charges::probe_wires(int tensor, int level, const Extents& tile, double words, double sent) const {
    return lean::link_energy_pj(setup_, assignment_, nest_at(tile, level), level, tensor, words, sent, links_);
}

double Charges::hop_pj(int tensor, int level, const Extents& tile) const {
    if (setup_.levels[level].link_is_free) return 0.0;
    return (probe_wires(tensor, level, tile, kProbeWords, kProbeWords) -
            probe_wires(tensor, level, tile, kProbeWords, 0.0)) /
           kProbeWords;
}

void Charges::cross(int tensor, int level, int fanout, const Extents& tile, double& groups, double& hop_pj) const {
    const Delivery& delivery = deliveries_[tensor][level];
    const std::uint32_t dynamic = dynamic_[tensor] & ((1U << level) - 1U);
    if (!delivery.dynamic || fanout < delivery.parent || fanout >= static_cast<int>(std::bit_width(dynamic))) return;
    double asking = groups;
    for (int l = fanout + 1; l < level; ++l)
        if (!is_dynamic(tensor, l)) asking *= groups_[tensor][l];
    hop_pj += asking * this->hop_pj(tensor, fanout, tile);
    const double here = is_dynamic(tensor, fanout) ? this->groups(tensor, fanout, tile) : 1.0;
    const double passage_pj = this->passage_pj(tensor, fanout);
    if (passage_pj != 0.0)
        hop_pj += asking * (is_dynamic(tensor, fanout) ? here : groups_[tensor][fanout]) * passage_pj;
    groups *= here;
}

double Charges::distinct(int tensor, int level, const Extents& loops) const {
    const lean::TensorForm& form = setup_.tensors[tensor];
    if (!form.written) return 0.0;
    if (!form.plain) return lean::words_in(form, setup_.extents);  // no instance holds more than the whole tensor
    Extents tile = inner_[level];
    double positions = 1.0;
    for (int d = 0; d < dimensions_; ++d) {
        tile[d] *= loops[d];
        if ((form.relevant >> d & 1U) != 0) positions *= rest_[d] / loops[d];
    }
    return positions * lean::words_in(form, tile);
}

// Recomputes all terms that depend on the tensor's keeping memories.
void Charges::set_tensor(int tensor) {
    int& outermost = outermost_[tensor] = 0;
    while (outermost < levels_ && !assignment_[outermost].keep.has(tensor)) ++outermost;
    inexact_ &= ~(1U << tensor);
    deliveries_[tensor].fill({});
    units_pj_[tensor] = 0.0;
    if (outermost == levels_) return;  // kept tensors not chosen yet
    for (int level = levels_; level > outermost; --level) set_delivery(tensor, level);
    Extents none;
    none.fill(1.0);
    units_pj_[tensor] =
        delivery(tensor, levels_).dynamic ? 0.0 : energy_pj(tensor, levels_, steps_, distinct(tensor, levels_, none));
}

// Wires are charged per word sent (hops) or accessed (trees, multicast tables), at every fan-out on the way: bypassed
// memories forward requests (docs/model.md, rule 6). Routers charge whole hops of the average word, not a sum of
// deliveries: the bound omits them.
void Charges::set_wires(int tensor, int level, Delivery& delivery) {
    double groups = 1.0;  // requesting ones
    bool dynamic = false;
    for (int l = level - 1; l >= delivery.parent; --l) {
        const lean::LevelForm& form = setup_.levels[l];
        dynamic = dynamic || is_dynamic(tensor, l);
        if (dynamic) {
            if (!form.link_is_free && probe_wires(tensor, l, inner_[l + 1], kProbeWords, 0.0) >
                                          passage_pj(tensor, l) * kProbeWords * kMoreThanRounding)
                inexact_ |= 1U << tensor;
            continue;
        }
        if (!form.link_is_free) delivery.hop_pj += groups * hop_pj(tensor, l, inner_[l + 1]);
        groups *= groups_[tensor][l];
        if (form.link_is_free) continue;
        if (form.link.router_pj != 0.0 || (form.has_update_link && form.update_link.router_pj != 0.0)) {
            inexact_ |= 1U << tensor;
            continue;
        }
        delivery.wire_pj += groups * probe_wires(tensor, l, inner_[l + 1], kProbeWords, 0.0) / kProbeWords;
    }
}

void Charges::set_delivery(int tensor, int level) {
    Delivery& delivery = deliveries_[tensor][level];
    delivery.keeps = level == levels_ || assignment_[level].keep.has(tensor);
    if (!delivery.keeps) return;
    delivery.parent = level - 1;
    while (!assignment_[delivery.parent].keep.has(tensor)) --delivery.parent;
    for (int l = delivery.parent; l < level; ++l) {
        delivery.relevant *= moving_[tensor][l];
        if (is_dynamic(tensor, l)) {
            delivery.dynamic = true;
        } else {
            delivery.groups *= groups_[tensor][l];
        }
    }
    set_wires(tensor, level, delivery);
}

void Charges::set_leakage() {
    leak_pj_per_cycle_ = setup_.compute_leak_pj_per_cycle * used_[levels_];
    for (int l = 0; l < levels_; ++l) {
        const lean::LevelForm& form = setup_.levels[l];
        const double leaking = form.under_gate > 1.0 ? form.under_gate * used_[form.gate] : used_[l];
        leak_pj_per_cycle_ += form.rates.leak_pj_per_cycle * leaking;
    }
}

double Charges::energy_pj(int tensor, int level, double sent, const FirstWords& first, double groups,
                          double hop_pj) const {
    const Delivery& d = deliveries_[tensor][level];
    const bool written = setup_.tensors[tensor].written;
    double energy = (d.hop_pj + hop_pj) * sent;
    if (setup_.prices) {
        const double updates = d.groups * groups * sent;
        return energy + d.wire_pj * sent +
               priced_pj(tensor, level, sent - first.held, updates - std::min(updates, first.arriving),
                         written ? updates : 0.0);
    }
    if (level < levels_) {
        const MemoryRates& rates = setup_.levels[level].rates;
        const double fills = std::max(0.0, sent - first.held);
        energy += vectors_pj(tensor, level, fills, rates.fill_pj) + fills * rates.address_pj * charged_[level];
    }
    const MemoryRates& rates = setup_.levels[d.parent].rates;
    const double words = d.groups * groups * sent;
    const double reads = words - std::min(words, first.arriving);
    energy += d.wire_pj * sent + vectors_pj(tensor, d.parent, reads, rates.read_pj) +
              (written ? words : reads) * rates.address_pj * charged_[d.parent];
    if (written) energy += vectors_pj(tensor, d.parent, words, rates.update_pj);
    return energy;
}

// Fills at a memory, reads and updates at its parent.
double Charges::priced_pj(int tensor, int level, double fills, double reads, double updates) const {
    const int parent = deliveries_[tensor][level].parent;
    const lean::TensorPrices& outside = prices(tensor, parent);
    double energy = (outside.read.pj(reads) + outside.update.pj(updates)) * charged_[parent];
    if (level < levels_) energy += prices(tensor, level).fill.pj(std::max(0.0, fills)) * charged_[level];
    return energy;
}

double Charges::refetch_pj(int tensor, int level, double held, double arriving) const {
    const Delivery& d = deliveries_[tensor][level];
    if (setup_.prices) return priced_pj(tensor, level, held, arriving, 0.0);
    const MemoryRates& outside = setup_.levels[d.parent].rates;
    double energy = vectors_pj(tensor, d.parent, arriving, outside.read_pj);
    if (level == levels_) return energy;
    const MemoryRates& rates = setup_.levels[level].rates;
    return energy + vectors_pj(tensor, level, held, rates.fill_pj) + held * rates.address_pj * charged_[level];
}

void Charges::add_refetched(int tensor, int level, double held, double arriving, std::span<double> words) const {
    const Delivery& d = deliveries_[tensor][level];
    if (level < levels_) words[2 * level + 1] += held * setup_.levels[level].fill_share[tensor];
    words[2 * d.parent] += arriving * setup_.levels[d.parent].bandwidth_share[tensor];
    if (setup_.prices) words[2 * d.parent + 1] += arriving * setup_.levels[d.parent].read_written_share[tensor];
}

void Charges::add_words(int tensor, int level, double sent, const FirstWords& first, double groups,
                        std::span<double> words) const {
    const Delivery& d = deliveries_[tensor][level];
    if (level < levels_)
        words[2 * level + 1] += std::max(0.0, sent - first.held) * setup_.levels[level].fill_share[tensor];
    const lean::LevelForm& outside = setup_.levels[d.parent];
    const double accesses = d.groups * groups * sent;
    const double reads = accesses - std::min(accesses, first.arriving);
    words[2 * d.parent] += reads * outside.bandwidth_share[tensor];
    if (setup_.prices) words[2 * d.parent + 1] += reads * outside.read_written_share[tensor];
    if (setup_.tensors[tensor].written) words[2 * d.parent + 1] += accesses * outside.update_share[tensor];
}

}  // namespace tilewright::optimal
