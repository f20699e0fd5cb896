#include "mapper/optimal/keeps.hpp"

#include <algorithm>
#include <limits>

#include "mapper/optimal/bound.hpp"
#include "mapper/optimal/imperfect/charges.hpp"

namespace tilewright::optimal {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

}  // namespace

void keep(PerfectPoint& point, int tensor, Keepers keepers) {
    for (int l = 0; l < point.level_count(); ++l) {
        if ((keepers >> l & 1U) != 0) {
            point[l].keep.add(tensor);
        } else {
            point[l].keep.remove(tensor);
        }
    }
}

KeptTensors kept_tensors(const PerfectPoint& point) {
    KeptTensors kept{};
    for (int l = 0; l < point.level_count(); ++l) kept[l] = static_cast<std::uint8_t>(point[l].keep.bits());
    return kept;
}

void keep(PerfectPoint& point, const KeptTensors& kept) {
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

void Keeps::choose_first(PerfectPoint& point) const {
    for (int t = 0; t < tensor_count(); ++t) keep(point, t, choices(t).front());
}

KeepBounds::KeepBounds(const lean::Setup& setup, const Keeps& keeps, const PerfectPoint& spatial)
    : setup_(setup), keeps_(keeps), spatial_(spatial), compute_pj_(setup.compute_energy_pj) {
    look_at_choices([&](const PerfectPoint& point) {
        const Charges charges(setup, point);
        Least least{charges.leak_pj_per_cycle(), charges.steps(), {}, {}};
        for (int t = 0; t < keeps.tensor_count(); ++t) {
            least.pj[t] = compulsory_pj(charges, t);
            add_compulsory_words(charges, t, least.words[t]);
        }
        return least;
    });
}

KeepBounds::KeepBounds(const Mapspace& mapspace, const lean::Setup& setup, const Keeps& keeps,
                       const PerfectPoint& spatial)
    : setup_(setup), keeps_(keeps), spatial_(spatial), compute_pj_(setup.compute_energy_pj) {
    look_at_choices([&](const PerfectPoint& point) {
        const ImperfectCharges charges(mapspace, setup, point, LayoutChoice::any);
        Least least{charges.least_leak_pj_per_cycle(), charges.least_steps(), {}, {}};
        for (int t = 0; t < keeps.tensor_count(); ++t) {
            least.pj[t] = charges.least_pj(t);
            for (int l = 0; l < point.level_count(); ++l)
                for (const bool fills : {false, true}) {
                    const WordsMoved& moved = charges.least_moved(t, l, fills);
                    const auto word = 2 * static_cast<std::size_t>(l);
                    least.words[t][word] += moved.reads;
                    least.words[t][word + 1] += moved.writes;
                }
        }
        return least;
    });
}

// One choice of every tensor at a time.
template <class Look>
void KeepBounds::look_at_choices(Look look) {
    std::size_t most = 0;
    for (int t = 0; t < keeps_.tensor_count(); ++t) most = std::max(most, keeps_.choices(t).size());
    std::array<std::array<double, 2 * kMaxMemories>, kMaxTensors> words;
    for (auto& of_tensor : words) of_tensor.fill(kInfinite);
    for (std::size_t i = 0; i < most; ++i) {
        for (int t = 0; t < keeps_.tensor_count(); ++t)
            keep(spatial_, t, keeps_.choices(t)[std::min(i, keeps_.choices(t).size() - 1)]);
        const Least least = look(spatial_);
        leak_pj_per_cycle_ = least.leak_pj_per_cycle;
        steps_ = least.steps;
        for (int t = 0; t < keeps_.tensor_count(); ++t) {
            if (i >= keeps_.choices(t).size()) continue;
            pj_[t].push_back(least.pj[t]);
            for (std::size_t w = 0; w < words_.size(); ++w) words[t][w] = std::min(words[t][w], least.words[t][w]);
        }
    }
    outside_pj_.push_back(0.0);
    for (int t = 0; t < keeps_.tensor_count(); ++t) {
        outside_pj_.push_back(outside_pj_.back() + *std::min_element(pj_[t].begin(), pj_[t].end()));
        for (std::size_t w = 0; w < words_.size(); ++w) words_[w] += words[t][w];
    }
}

double KeepBounds::least_cycles() const {
    double cycles = steps_;
    for (std::size_t l = 0; l < setup_.levels.size(); ++l)
        cycles = std::max(cycles, cycles_for(setup_.levels[l].rates, words_[2 * l], words_[2 * l + 1]));
    return cycles;
}

void KeepBounds::visit(const Pruned& pruned, const Visit& visit) const {
    PerfectPoint point = spatial_;
    visit_from(keeps_.tensor_count() - 1, compute_pj_, point, pruned, visit);
}

// `energy_pj`: of the computation and of the tensors after this one.
void KeepBounds::visit_from(int tensor, double energy_pj, PerfectPoint& point, const Pruned& pruned,
                            const Visit& visit) const {
    if (tensor < 0) {
        visit(point, energy_pj);
        return;
    }
    const double others = outside_pj_[static_cast<std::size_t>(tensor)];
    for (std::size_t i = 0; i < pj_[tensor].size(); ++i) {
        const double now = energy_pj + pj_[tensor][i];
        if (pruned(now + others)) continue;
        keep(point, tensor, keeps_.choices(tensor)[i]);
        visit_from(tensor - 1, now, point, pruned, visit);
    }
}

}  // namespace tilewright::optimal
