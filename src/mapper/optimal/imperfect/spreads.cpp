#include "mapper/optimal/imperfect/spreads.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/numbers/checked.hpp"
#include "mapper/optimal/geometry/sweep.hpp"

namespace tilewright::optimal {
Spreads::Spreads(const Mapspace& mapspace, const lean::Setup& setup, const Keeps& keeps, std::function<bool()> stop)
    : mapspace_(mapspace), setup_(setup), keeps_(keeps), stop_(std::move(stop)), levels_(mapspace.level_count()) {
    for (int d = 0; d < mapspace.dimension_count() && all_listed_; ++d) {
        const auto chains = mapspace.imperfect_spatial_factors(d, stop_);
        all_listed_ = chains.has_value();
        std::vector<Factors>& all = factors_.emplace_back();
        for (std::size_t i = 0; all_listed_ && i < chains->size(); ++i) {
            Factors factors(static_cast<std::size_t>(levels_), 1);
            for (std::size_t slot = 0; slot < (*chains)[i].size(); ++slot)
                factors[mapspace.slots()[slot].level] = (*chains)[i][slot];
            all.push_back(std::move(factors));
        }
    }
    for (int l = 0; l < levels_; ++l) hops_.emplace_back(mapspace, setup, l);
    order_.resize(factors_.size());
    std::iota(order_.begin(), order_.end(), 0);
    std::ranges::stable_sort(order_, [this](int a, int b) { return factors_[a].size() > factors_[b].size(); });
    for (std::size_t t = 0; t < setup.tensors.size(); ++t) {
        const lean::TensorForm& form = setup.tensors[t];
        distinct_[t] = distinct_at_least(form, setup.extents);
        whole_[t] = 1.0;
        for (const lean::Term& term : form.terms) whole_[t] *= 1.0 + term.reach * (setup.extents[term.dimension] - 1.0);
    }
}

// ---------------------------------------------------------------- one dimension after the other

bool Spreads::visit(const Pruned& pruned, const Visit& visit) const {
    if (!all_listed_) return false;
    TilingPoint point = mapspace_.first_point();
    return visit_from(0, nothing(), point, pruned, visit);
}

bool Spreads::visit_from(std::size_t place, const Decided& decided, TilingPoint& point, const Pruned& pruned,
                         const Visit& visit) const {
    if (place == order_.size()) return !lay_out(point) || visit(point);
    const int d = order_[place];
    bool go_on = true;
    for (const Factors& factors : factors_[d]) {
        bool fits = true;
        for (int l = 0; l < levels_; ++l) {
            point[l].spatial[d] = factors[l];
            fits = fits && factors[l] <= decided.room[l];
        }
        if (!fits) continue;
        Decided next = decided;
        decide(d, factors, next);
        if (pruned(bound_of(next))) continue;
        go_on = !stop_() && visit_from(place + 1, next, point, pruned, visit);
        if (!go_on) break;
    }
    for (int l = 0; l < levels_; ++l) point[l].spatial[d] = 1;
    return go_on;
}

// False if the meshes have no room or too few units work.
bool Spreads::lay_out(TilingPoint& point) const {
    if (!mapspace_.parallel_enough(point)) return false;
    for (int l = 0; l < levels_; ++l)
        if (!mapspace_.lay_out(point, l, Mapspace::Cover::as_it_may_be)) return false;
    return true;
}

SpreadBound Spreads::bound_of(const TilingPoint& spatial) const {
    Decided decided = nothing();
    for (int d = 0; d < spatial.dimension_count(); ++d) {
        Factors factors;
        for (int l = 0; l < levels_; ++l) factors.push_back(spatial[l].spatial[d]);
        decide(d, factors, decided);
    }
    return bound_of(decided);
}

Spreads::Decided Spreads::nothing() const {
    Decided decided;
    decided.instances.fill(1.0);
    for (int l = 0; l < levels_; ++l) {
        decided.spread[l] = 1.0;
        decided.room[l] = setup_.levels[l].spreads ? static_cast<double>(mapspace_.room(l).size()) : 1.0;
        for (auto* all : {&decided.others, &decided.sharing, &decided.movers, &decided.most, &decided.copies})
            (*all)[l].fill(1.0);
        decided.factors[l].fill(1.0);
    }
    for (int d = 0; d < mapspace_.dimension_count(); ++d) {
        decided.open |= 1U << d;
        decided.operations *= setup_.extents[d];
    }
    return decided;
}

// With a dimension at two fan-outs, the last chunk of the outer one may not reach all inner neighbours.
void Spreads::decide(int dimension, const Factors& factors, Decided& decided) const {
    const double extent = setup_.extents[dimension];
    double all = 1.0;
    double outermost = 1.0;
    int loops = 0;
    for (int l = 0; l <= levels_; ++l) {
        const double working = loops > 1 ? all * (outermost - 1.0) / outermost + 1.0 : all;
        decided.instances[l] *= working;
        if (l == levels_) break;
        const double factor = factors[l];
        decided.factors[l][dimension] = factor;
        // Units with work share requests.
        const double shared = l + 1 < levels_ ? factor : extent / fast_ceil(extent / factor);
        for (std::size_t t = 0; t < setup_.tensors.size(); ++t) {
            if ((setup_.tensors[t].relevant >> dimension & 1U) != 0) {
                decided.movers[l][t] *= factor;
                decided.most[l][t] = std::max(decided.most[l][t], factor);
            } else {
                decided.copies[l][t] *= working;
                decided.others[l][t] *= factor;
                decided.sharing[l][t] *= shared;
            }
        }
        if (factor == 1.0) continue;
        decided.spread[l] *= factor;
        decided.room[l] = std::floor(decided.room[l] / factor);
        decided.dimensions[l] |= 1U << dimension;
        all *= factor;
        if (loops++ == 0) outermost = factor;
    }
    decided.steps *= fast_ceil(extent / all);
    decided.open &= ~(1U << dimension);
    decided.operations /= extent;
}

// ---------------------------------------------------------------- bounds

SpreadBound Spreads::bound_of(const Decided& decided) const {
    SpreadBound bound;
    bound.energy_pj = setup_.compute_energy_pj;
    Words words{};
    for (int t = 0; t < keeps_.tensor_count(); ++t) {
        Cost least{.pj = kInfinite, .words = {}};
        least.words.fill(kInfinite);
        for (const Keepers keepers : keeps_.choices(t)) {
            Cost cost = cost_of(decided, t, keepers);
            if (decided.open == 0) cost.pj += wires_pj(decided, t, keepers);
            least.pj = std::min(least.pj, cost.pj);
            for (std::size_t w = 0; w < 2 * static_cast<std::size_t>(levels_); ++w)
                least.words[w] = std::min(least.words[w], cost.words[w]);
        }
        bound.energy_pj += least.pj;
        for (std::size_t w = 0; w < 2 * static_cast<std::size_t>(levels_); ++w) words[w] += least.words[w];
    }
    double units = 1.0;
    for (int l = 0; l < levels_ && decided.open != 0; ++l) units *= decided.room[l];
    const double steps = decided.steps * std::max(1.0, decided.operations / units);
    bound.cycles = steps;
    bound.leak_pj_per_cycle = setup_.compute_leak_pj_per_cycle * decided.instances[levels_];
    for (int l = 0; l < levels_; ++l) {
        const lean::LevelForm& form = setup_.levels[l];
        const double leaking =
            form.under_gate > 1.0 ? form.under_gate * decided.instances[form.gate] : decided.instances[l];
        bound.leak_pj_per_cycle += form.rates.leak_pj_per_cycle * leaking;
        const auto at = 2 * static_cast<std::size_t>(l);
        if (form.throttles)
            bound.cycles = std::max(bound.cycles, port_cycles(form.rates, steps, words[at], words[at + 1]));
    }
    return bound;
}

// Upper bound of the factor by which undecided dimensions multiply the neighbours of a fan-out sharing a word.
double Spreads::more(const Decided& decided, int tensor, int level) const {
    const lean::TensorForm& form = setup_.tensors[tensor];
    const bool shares = (decided.open & ~form.relevant) != 0 || (!form.plain && decided.open != 0);
    return shares ? decided.room[level] : 1.0;
}

// If two dimensions move one rank, one of them still tells neighbours apart.
double Spreads::sharing(const Decided& decided, int tensor, int level) const {
    const lean::TensorForm& form = setup_.tensors[tensor];
    const bool meets = !form.plain && meet(form, decided.dimensions[level] | decided.open);
    const double overlap = meets ? decided.movers[level][tensor] / decided.most[level][tensor] : 1.0;
    return decided.sharing[level][tensor] * overlap * more(decided, tensor, level);
}

// With repacking an instance may hold others' words of its block.
double Spreads::most_first_words(const Decided& decided, int tensor, int level) const {
    if (!setup_.tensors[tensor].plain) return kInfinite;
    double words = whole_[tensor];
    for (int l = 0; l < level; ++l) {
        const double room = decided.open != 0 ? decided.room[l] : 1.0;
        const bool repacks = std::popcount(decided.dimensions[l]) > 1 || room > 1.0;
        words *= repacks ? decided.spread[l] * room : decided.others[l][tensor];
    }
    return words;
}

// An instance's part of a vector access, possibly shared with all instances addressed by the loops.
double Spreads::vector_share(const Decided& decided, int level) const {
    const auto clusters = static_cast<double>(setup_.levels[level].rates.clusters);
    double addressed = 1.0;
    for (int l = 0; l < level; ++l) {
        if (mapspace_.has_partial_layouts(l)) return clusters / std::max(clusters, setup_.levels[level].instances);
        addressed *= decided.spread[l] * (decided.open != 0 ? decided.room[l] : 1.0);
    }
    return clusters / std::max(clusters, addressed);
}

// From the units outwards: neighbours at every fan-out on the way share requests.
Spreads::Cost Spreads::cost_of(const Decided& decided, int tensor, Keepers keepers) const {
    const bool written = setup_.tensors[tensor].written;
    Cost cost;
    double asked = setup_.operations;
    double instances = 1.0;  // upper bound
    for (int l = 0; l < levels_; ++l) instances *= decided.spread[l] * (decided.open != 0 ? decided.room[l] : 1.0);
    for (int l = levels_ - 1; l >= 0; --l) {
        asked /= sharing(decided, tensor, l);
        instances /= decided.spread[l] * (decided.open != 0 ? decided.room[l] : 1.0);
        if ((keepers >> l & 1U) == 0) continue;
        const lean::LevelForm& form = setup_.levels[l];
        const MemoryRates& rates = form.rates;
        const double distinct = distinct_[tensor] * decided.copies[l][tensor];
        const double served = std::max(asked, distinct);
        const double again = written ? std::max(0.0, served - most_first_words(decided, tensor, l)) : served;
        const double updates = written ? served : 0.0;
        const bool is_outermost = (keepers & ((1U << static_cast<std::uint32_t>(l)) - 1U)) == 0;
        const double filled = written || is_outermost ? 0.0 : distinct;
        const double share = vector_share(decided, l);
        cost.pj += share * ((again * rates.read_pj + filled * rates.fill_pj + updates * rates.update_pj) /
                                form.rows[tensor].words +
                            ((written ? updates : again) + filled) * rates.address_pj);
        if (form.throttles) {
            const auto at = 2 * static_cast<std::size_t>(l);
            cost.words[at] = again * (form.bandwidth_share[tensor] / instances);
            cost.words[at + 1] =
                (filled + updates) * ((written ? form.update_share : form.fill_share)[tensor] / instances);
        }
        asked = distinct;
    }
    return cost;
}

// ---------------------------------------------------------------- wires

// Of a word's first delivery to the memory. If no dimension of the fan-out is relevant, it goes to all neighbours at
// once: irrelevant outer loops are at their first index, so all have work. If all are relevant, every word belongs to
// one neighbour in one step.
double Spreads::least_hops(const Decided& decided, int tensor, int level) const {
    const lean::TensorForm& form = setup_.tensors[tensor];
    const Hops& hops = hops_[level];
    const std::uint32_t block = decided.dimensions[level];
    const auto neighbours = static_cast<std::int64_t>(decided.spread[level]);
    std::uint32_t elsewhere = 0;
    for (int l = 0; l < levels_; ++l)
        if (l != level) elsewhere |= decided.dimensions[l];
    if ((block & elsewhere) != 0) return hops.nearest(neighbours);
    if ((block & form.relevant) == 0) return hops.together(neighbours);
    std::uint32_t alone = 0;  // dimensions alone on a rank
    for (std::size_t rank = 0; rank < form.rank_ends.size() && !form.tangled; ++rank)
        if (const auto terms = rank_terms(form, rank); terms.size() == 1) alone |= dimensions_of(terms);
    if ((block & ~alone) != 0) return hops.nearest(neighbours);
    std::vector<SpreadDimension> dimensions;
    for (std::uint32_t left = block; left != 0; left &= left - 1) {
        const int d = std::countr_zero(left);
        dimensions.push_back(
            {static_cast<std::int64_t>(setup_.extents[d]), static_cast<std::int64_t>(decided.factors[level][d])});
    }
    return hops.mean_apart(dimensions);
}

// Without deliveries to the units themselves.
double Spreads::wires_pj(const Decided& decided, int tensor, Keepers keepers) const {
    double energy = 0.0;
    for (int l = std::countr_zero(keepers); l + 1 < levels_; ++l) {
        const Hops& hops = hops_[l];
        if (!hops.cost(tensor)) continue;
        const double words = distinct_[tensor] * decided.copies[l][tensor];
        energy += words * least_hops(decided, tensor, l) * hops.hop_pj(tensor);
    }
    return energy;
}

}  // namespace tilewright::optimal
