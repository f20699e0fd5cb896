#include "mapper/optimal/imperfect/keeps.hpp"

#include <algorithm>

#include "base/numbers/checked.hpp"
#include "mapper/optimal/bounds/bound.hpp"
#include "mapper/optimal/imperfect/charges.hpp"

namespace tilewright::optimal {
namespace {

void add_choice(const Charges& charges, int tensor, const LeastGroups& groups, KeepCost& cost) {
    cost.pj.push_back(compulsory_pj(charges, tensor, groups));
    std::array<double, 2 * kMaxMemories> words{};
    add_compulsory_words(charges, tensor, groups, words);
    for (std::size_t w = 0; w < words.size(); ++w) cost.words[w] = std::min(cost.words[w], words[w]);
}

}  // namespace

void keep(TilingPoint& point, int tensor, Keepers keepers) {
    for (int l = 0; l < point.level_count(); ++l) {
        if ((keepers >> l & 1U) != 0) {
            point[l].keep.add(tensor);
        } else {
            point[l].keep.remove(tensor);
        }
    }
}

KeptTensors kept_tensors(const TilingPoint& point) {
    KeptTensors kept{};
    for (int l = 0; l < point.level_count(); ++l) kept[l] = static_cast<std::uint8_t>(point[l].keep.bits());
    return kept;
}

void keep(TilingPoint& point, const KeptTensors& kept) {
    for (int l = 0; l < point.level_count(); ++l) point[l].keep = TensorSet::from_bits(kept[l]);
}

Keeps::Keeps(const Mapspace& mapspace) {
    for (int t = 0; mapspace.all_tensors().has(t); ++t) {
        Keepers fixed = 0;
        Keepers free = 0;
        for (int l = 0; l < mapspace.level_count(); ++l) {
            if (mapspace.kept_tensors(l).has(t)) fixed |= 1U << l;
            if (mapspace.free_tensors(l).has(t)) free |= 1U << l;
        }
        std::vector<Keepers>& choices = choices_.emplace_back();
        Keepers chosen = 0;
        do {  // all subsets of the free memories
            if ((fixed | chosen) != 0) choices.push_back(fixed | chosen);
            chosen = (chosen - free) & free;
        } while (chosen != 0);
    }
}

void Keeps::choose_first(TilingPoint& point) const {
    for (int t = 0; t < tensor_count(); ++t) keep(point, t, choices(t).front());
}

const KeepCost& KeepCosts::of(int tensor, const TilingPoint& spatial) {
    Key key = this->key(tensor, spatial);
    auto& known = known_[tensor];
    {
        const std::lock_guard lock(mutex_);
        if (const auto found = known.find(key); found != known.end()) return found->second;
    }
    KeepCost cost = measured(tensor, spatial);
    const std::lock_guard lock(mutex_);
    return known.try_emplace(std::move(key), std::move(cost)).first->second;
}

// Without overlapping tiles and with free wires all relevant spread dimensions are equivalent.
KeepCosts::Key KeepCosts::key(int tensor, const TilingPoint& spatial) const {
    const lean::TensorForm& form = setup_.tensors[tensor];
    const bool by_dimension = !form.plain || setup_.links_cost;
    Key key;
    for (int l = 0; l < spatial.level_count(); ++l) {
        std::int32_t moving = 1;
        std::int32_t others = 1;
        for (int d = 0; d < spatial.dimension_count(); ++d) {
            const bool moves = (form.relevant >> d & 1U) != 0;
            (moves ? moving : others) *= spatial[l].spatial[d];
            if (moves && by_dimension) key.push_back(spatial[l].spatial[d]);
        }
        key.push_back(others);
        if (!by_dimension) key.push_back(moving);
    }
    return key;
}

KeepCost KeepCosts::measured(int tensor, TilingPoint point) const {
    KeepCost cost;
    cost.words.fill(kInfinite);
    keeps_.choose_first(point);
    Charges charges(setup_, point);
    const LeastGroups groups = least_groups(charges, tensor);  // for any kept tensors
    for (const Keepers keepers : keeps_.choices(tensor)) {
        keep(point, tensor, keepers);
        charges.keep_as_in(point);
        add_choice(charges, tensor, groups, cost);
    }
    return cost;
}

KeepBounds::KeepBounds(KeepCosts& costs, const TilingPoint& spatial)
    : setup_(costs.setup()), keeps_(costs.keeps()), spatial_(spatial), compute_pj_(setup_.compute_energy_pj) {
    keeps_.choose_first(spatial_);
    const Charges charges(setup_, spatial_);
    leak_pj_per_cycle_ = charges.leak_pj_per_cycle();
    steps_ = charges.steps();
    LeastGroups no_groups;
    no_groups.fill(1.0);
    for (int t = 0; t < keeps_.tensor_count(); ++t) {
        costs_[t] = keeps_.are_fixed() ? &own_[t] : &costs.of(t, spatial);
        if (!keeps_.are_fixed()) continue;
        own_[t].words.fill(kInfinite);
        add_choice(charges, t, no_groups, own_[t]);
    }
    add_up();
}

KeepBounds::KeepBounds(const Mapspace& mapspace, const lean::Setup& setup, const Keeps& keeps,
                       const TilingPoint& spatial)
    : setup_(setup), keeps_(keeps), spatial_(spatial), compute_pj_(setup.compute_energy_pj) {
    look_at_choices(mapspace);
    add_up();
}

// One choice of every tensor at a time.
void KeepBounds::look_at_choices(const Mapspace& mapspace) {
    std::size_t most = 0;
    for (int t = 0; t < keeps_.tensor_count(); ++t) {
        most = std::max(most, keeps_.choices(t).size());
        own_[t].words.fill(kInfinite);
        costs_[t] = &own_[t];
    }
    for (std::size_t i = 0; i < most; ++i) {
        for (int t = 0; t < keeps_.tensor_count(); ++t)
            keep(spatial_, t, keeps_.choices(t)[std::min(i, keeps_.choices(t).size() - 1)]);
        const ImperfectCharges charges(mapspace, setup_, spatial_, LayoutChoice::any);
        leak_pj_per_cycle_ = charges.least_leak_pj_per_cycle();
        steps_ = charges.least_steps();
        for (int t = 0; t < keeps_.tensor_count(); ++t) {
            if (i >= keeps_.choices(t).size()) continue;
            own_[t].pj.push_back(charges.least_pj(t));
            std::array<double, 2 * kMaxMemories> words{};
            for (int l = 0; l < spatial_.level_count(); ++l)
                for (const bool fills : {false, true}) {
                    const WordsMoved& moved = charges.least_moved(t, l, fills);
                    const auto word = 2 * static_cast<std::size_t>(l);
                    words[word] += moved.reads;
                    words[word + 1] += moved.writes;
                }
            for (std::size_t w = 0; w < words.size(); ++w) own_[t].words[w] = std::min(own_[t].words[w], words[w]);
        }
    }
}

void KeepBounds::add_up() {
    outside_pj_.push_back(0.0);
    for (int t = 0; t < keeps_.tensor_count(); ++t) {
        outside_pj_.push_back(outside_pj_.back() + std::ranges::min(costs_[t]->pj));
        for (std::size_t w = 0; w < words_.size(); ++w) words_[w] += costs_[t]->words[w];
    }
}

double KeepBounds::least_cycles() const {
    double cycles = steps_;
    for (std::size_t l = 0; l < setup_.levels.size(); ++l)
        cycles = std::max(cycles, port_cycles(setup_.levels[l].rates, steps_, words_[2 * l], words_[2 * l + 1]));
    return cycles;
}

void KeepBounds::visit(const Pruned& pruned, const Visit& visit) const {
    TilingPoint point = spatial_;
    visit_from(keeps_.tensor_count() - 1, compute_pj_, point, pruned, visit);
}

// `energy_pj`: of the computation and of the tensors after this one.
void KeepBounds::visit_from(int tensor, double energy_pj, TilingPoint& point, const Pruned& pruned,
                            const Visit& visit) const {
    if (tensor < 0) {
        visit(point, energy_pj);
        return;
    }
    const double others = outside_pj_[tensor];
    const std::vector<double>& pj = costs_[tensor]->pj;
    for (std::size_t i = 0; i < pj.size(); ++i) {
        const double now = energy_pj + pj[i];
        if (pruned(now + others)) continue;
        keep(point, tensor, keeps_.choices(tensor)[i]);
        visit_from(tensor - 1, now, point, pruned, visit);
    }
}

}  // namespace tilewright::optimal
