// Lower bounds of ImperfectCharges' deliveries before their moving loops are known.
#include <algorithm>
#include <bit>

#include "certificate/imperfect/charges.hpp"

namespace tilewright::certificate {

// ---------------------------------------------------------------- once for all

// An instance idle in the last chunk holds at most one tile, and had several.
double ImperfectCharges::most_idle(int dimension, int level) const {
    const Chain& chain = *chains_[dimension];
    double most = 0.0;
    for (int n = 0; n < chain.size(); ++n)
        for (int crossed = 0; crossed < level && chain.node(n).chunks > 1.0; ++crossed) {
            const Pairs& pairs = chain.pairs(n, crossed, level - 1);
            if (chain.node(n).leaves_idle(level) && pairs.all > 0.0)
                most = std::max(most, (pairs.slots - pairs.all) / pairs.all);
        }
    return most;
}

AtLeast ImperfectCharges::prices(int t, int level) const {
    const bool written = tensor(t).written;
    const int outside = parent(t, level);
    AtLeast prices;
    prices.handed = handed_to_parent_[t][level];
    if (level < level_count()) prices.fill_pj = energy_of_parts_pj(t, level, {0.0, 1.0, 0.0});
    prices.read_pj = energy_of_parts_pj(t, outside, {1.0, 0.0, 0.0});
    if (written) prices.update_pj = energy_of_parts_pj(t, outside, {0.0, 0.0, 1.0});
    return prices;
}

void ImperfectCharges::set_shares() {
    for (int t = 0; t < tensor_count(); ++t) {
        bool slides = true;
        std::uint32_t overlapping = 0;
        for (const std::uint32_t moved : tensor(t).dims)
            if (std::popcount(moved) > 1) overlapping |= moved;
        for (int l = 0; l <= level_count(); ++l) {
            for (int d = 0; d < dimension_count(); ++d)
                if (tensor(t).moves(d)) idle_share_[t][l] += most_idle(d, l);
            double& idle = idle_share_[t][l];
            if (idle > 0.0 && (may_repack_ & ~(~0U << l)) != 0) idle = 1.0;
            slides_[t] |= (slides && idle < 1.0 ? 1U : 0U) << l;
            most_copies_[t][l] = count_copies(t, l, true);
            least_copies_[t][l] = count_copies(t, l, false);
            double share = 1.0;
            for (int outside = l - 1; outside > parent(t, l); --outside)
                if (is_boundary(t, outside)) share *= handed_on(t, outside, nullptr);
            handed_to_parent_[t][l] = share;
            if (parent(t, l) >= 0) prices_[t][l] = prices(t, l);
            slides = slides && (may_repack_ >> l & 1U) == 0 && (l == level_count() || (blocks_[l] & overlapping) == 0);
        }
    }
}

void ImperfectCharges::set_least() {
    outside_pj_.assign(static_cast<std::size_t>(level_count()) + 1, 0.0);
    outside_loads_.assign(outside_pj_.size(), {});
    for (int l = 0; l < level_count(); ++l) {
        outside_pj_[static_cast<std::size_t>(l) + 1] = outside_pj_[l];
        Loads& loads = outside_loads_[static_cast<std::size_t>(l) + 1];
        loads = outside_loads_[l];
        for (int t = 0; t < tensor_count(); ++t) {
            if (!is_boundary(t, l) || !keeps(t, l)) continue;
            const double words = tensor(t).distinct_at_least(ground_.extents);
            const int outside = parent(t, l);
            PartialCost least;
            if (!tensor(t).written) add(t, l, {0.0, words * copies(t, l, false), 0.0}, least);
            const double asked = words * copies(t, outside, false);
            add(t, outside, tensor(t).written ? Accesses{0.0, 0.0, asked} : Accesses{asked, 0.0, 0.0}, least);
            prices_[t][l].least_pj = least_pj_[t][l] = least.pj;
            outside_pj_[static_cast<std::size_t>(l) + 1] += least.pj;
            for (std::size_t i = 0; i < loads.size(); ++i) loads[i] += least.loads[i];
        }
    }
}

// ---------------------------------------------------------------- of a tile

// By the rank of the first slide, for one step of the irrelevant loops. Whenever another rank moves, or an irrelevant
// loop steps, the inner loops fall back and the whole tile is sent. Between two such moments every word of the sweep
// along that rank is needed. Tiles along a rank with one dimension never overlap. Nothing if slides may be disturbed
// otherwise.
std::array<double, kMaxRanks> ImperfectCharges::slid_words(int t, int level, const Where& at) const {
    const Addresses& form = tensor(t);
    if (!form.steady || (slides_[t] >> level & 1U) == 0) return {};
    std::array<double, kMaxRanks> sums{};
    std::array<double, kMaxRanks> sweeps{};
    Box held{};
    for (int d = 0; d < dimension_count(); ++d)
        if (form.moves(d)) held[d] = this->held(d, level, at);
    for (std::size_t r = 0; r < form.ranks.size(); ++r) {
        const double width = form.width(r, held);
        double chunks = 1.0;
        double values = 1.0;
        double mean = 1.0;  // width of a tile, possibly shorter in last chunks
        double swept = width;
        for (std::uint32_t left = form.dims[r]; left != 0; left &= left - 1) {
            const int d = std::countr_zero(left);
            const double step = form.ranks[r][d];
            const double extent = ground_.extents[d];
            const double mine = pairs(t, d, level, false, at).all;
            const double shift = step * held[d];
            const double last = width - step * (held[d] * mine - extent);
            chunks *= mine;
            values += extent - 1.0;
            mean += step * (extent - mine) / mine;
            if (mine > 1.0)
                swept = std::max(swept, width + (mine - 2.0) * std::min(width, shift) +
                                            std::max(0.0, last - std::max(0.0, width - shift)));
        }
        sums[r] = chunks * mean;
        sweeps[r] = std::popcount(form.dims[r]) > 1 ? std::max(swept, values) : sums[r];
    }
    std::array<double, kMaxRanks> words{};
    for (std::size_t along = 0; along < form.ranks.size(); ++along) {
        words[along] = kExactly * (1.0 - idle_share_[t][level]);
        for (std::size_t r = 0; r < form.ranks.size(); ++r) words[along] *= r == along ? sweeps[r] : sums[r];
    }
    return words;
}

// Instances need every tile once, unless they were idle before.
Sent ImperfectCharges::unmoved(int t, int level, const Where& at) const {
    const Addresses& form = tensor(t);
    if (!form.steady || idle_share_[t][level] >= 1.0) return {};
    double words = 0.0;
    if (form.overlaps) {
        if ((slides_[t] >> level & 1U) == 0) return {};
        const std::array<double, kMaxRanks> slid = slid_words(t, level, at);
        words = *std::min_element(slid.begin(), slid.begin() + static_cast<std::ptrdiff_t>(form.ranks.size()));
    } else {
        words = (1.0 - idle_share_[t][level]) * tile_words(t, level, at);
    }
    return {words * copies(t, level, false), words * copies(t, level - 1, false), 0.0, false};
}

AtLeast ImperfectCharges::at_least(int t, int level, const Where& at) const {
    AtLeast prices = prices_[t][level];
    if (!tensor(t).written) return prices;
    prices.first_here = first_words(t, level, at);
    prices.first_outside = first_words(t, parent(t, level), at);
    return prices;
}

void ImperfectCharges::add_least_loads(int t, int level, const Sent& sent, const Where& at, Loads& loads) const {
    const int outside = parent(t, level);
    const double asked = sent.accesses * handed_to_parent(t, level);
    const auto read_again = [&](double words, int memory) {
        return tensor(t).written ? std::max(0.0, words - first_words(t, memory, at)) : words;
    };
    const auto per_instance = [&](int memory) { return kExactly * ground_.bandwidth[memory][t] / used_[memory]; };
    if (level < level_count()) loads[2 * level + 1] += read_again(sent.delivered, level) * per_instance(level);
    loads[2 * outside] += read_again(asked, outside) * per_instance(outside);
    if (tensor(t).written) loads[2 * outside + 1] += asked * per_instance(outside);
}

Sent ImperfectCharges::slid(int t, int level, const Where& at, int dimension) const {
    const Addresses& form = tensor(t);
    if (!form.overlaps) return {};
    const std::array<double, kMaxRanks> slid = slid_words(t, level, at);
    double words = 0.0;
    for (std::size_t r = 0; r < form.ranks.size(); ++r)
        if ((form.dims[r] >> dimension & 1U) != 0) words = slid[r];
    const std::uint32_t others = ~form.moving;
    return {words * all_pairs(t, level, false, at, others), words * all_pairs(t, level, true, at, others), 0.0, false};
}

double ImperfectCharges::tile_words(int t, int level, const Where& at) const {
    const Addresses& form = tensor(t);
    double words = 1.0;
    for (std::size_t r = 0; r < form.ranks.size(); ++r) {
        if (form.dims[r] == 0) continue;
        const int d = std::countr_zero(form.dims[r]);
        const double all = pairs(t, d, level, false, at).all;
        words *= all + form.ranks[r][d] * (ground_.extents[d] - all);
    }
    return words;
}

// As moved() for a loop of two iterations. Neighbours swapping places may all save their tiles.
double ImperfectCharges::most_saved(int t, int level, const Where& at, int dimension) const {
    if (moves_all(t, level, at, dimension, 2.0)) return 0.0;
    const Pairs& along = pairs(t, dimension, level, false, at);
    const double lost = along.slots - along.all + (swaps(level, at, dimension) ? 2.0 * along.last : 0.0);
    Box tile{};
    for (int d = 0; d < dimension_count(); ++d) tile[d] = tensor(t).moves(d) ? held(d, level, at) : 1.0;
    return lost * tensor(t).words(tile) * all_pairs(t, level, false, at, tensor(t).moving & ~(1U << dimension));
}

}  // namespace tilewright::certificate
