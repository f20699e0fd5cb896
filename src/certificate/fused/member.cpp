#include "certificate/fused/member.hpp"

#include <algorithm>
#include <cmath>

namespace tilewright::certificate::fused_proof {
namespace {

// Einsums that differ in names and extents only.
bool are_alike(const Einsum& a, const Einsum& b) {
    if (a.dimensions.size() != b.dimensions.size() || a.tensors.size() != b.tensors.size()) return false;
    for (std::size_t t = 0; t < a.tensors.size(); ++t)
        if (a.tensors[t].written != b.tensors[t].written || a.tensors[t].ranks != b.tensors[t].ranks ||
            a.tensors[t].bits != b.tensors[t].bits)
            return false;
    return true;
}

}  // namespace

struct Members::Draft {
    Making making;
    Needs needs = {};
    std::vector<Inner> inner = {};
    double fixed = 0.0;  // what its resident words cost
    std::int64_t throughout = 0;
};

Members::Members(const Space& space, const Prices& prices, const Weights& weights)
    : space_(space), prices_(prices), weights_(weights), walks_(space.cascade()) {
    std::vector<int> firsts;
    for (int e = 0; e < space.count(); ++e) {
        std::size_t shape = 0;
        while (shape < firsts.size() && !are_alike(space.einsum(firsts[shape]), space.einsum(e))) ++shape;
        if (shape == firsts.size()) {
            firsts.push_back(e);
            nests_.emplace_back(space.einsum(e), prices, weights);
        }
        shape_.push_back(shape);
    }
    driven_ = driven();
}

// Loops drive dimensions of a group's last einsum; what is asked for by these, dimensions of the einsums before.
std::vector<std::vector<bool>> Members::driven() const {
    std::vector<std::vector<bool>> driven;
    for (int e = 0; e < space_.count(); ++e) driven.emplace_back(space_.einsum(e).dimensions.size(), false);
    for (int e = space_.count() - 1; e >= 0; --e) {
        for (const LoopPair& loops : space_.loops(e))
            for (const int d : loops.driven)
                if (d >= 0) driven[place(e)][place(d)] = true;
        for (const Access& access : space_.cascade().einsums[place(e)].accesses) {
            if (!space_.may_stay(access.tensor, space_.count())) continue;
            const TensorUse& writer = space_.tensor(access.tensor).writers.front();
            if (writer.einsum == e) continue;
            for (std::size_t a = 0; a < access.coordinates.size(); ++a) {
                const int made = space_.dimension_on(writer.einsum, writer.operand, static_cast<int>(a));
                for (const Term& term : access.coordinates[a].terms)
                    if (made >= 0 && driven[place(e)][place(term.dimension)])
                        driven[place(writer.einsum)][place(made)] = true;
            }
        }
    }
    return driven;
}

// The extents count.
const Nests::PerPoint& Members::least_per_point(int einsum, const Nests::Paid& paid) {
    const auto [entry, is_new] = per_point_.try_emplace({einsum, paid});
    if (is_new) {
        auto& nests = points_of_.try_emplace(einsum, space_.einsum(einsum), prices_, weights_).first->second;
        entry->second = nests.least_per_point(driven_[place(einsum)], paid);
    }
    return entry->second;
}

const std::vector<Operand>& Members::operands(int einsum, const Driven& driven) {
    const auto [entry, is_new] = operands_.try_emplace({einsum, driven});
    if (is_new) entry->second = space_.operands(einsum, driven);
    return entry->second;
}

// Words of DRAM and buffer are of one width.
double Members::bringing(int tensor, std::int64_t words, int einsum) const {
    const auto [accesses, taken] = moved_of(tensor, static_cast<double>(words) * space_.repeats(einsum));
    return weights_.value(
        energy_pj(prices_.dram, {accesses, 0.0, 0.0}) + energy_pj(prices_.buffer, {0.0, accesses, 0.0}),
        std::max(cycles(prices_.dram, {taken, 0.0, 0.0}), cycles(prices_.buffer, {0.0, taken, 0.0})));
}

double Members::sending(int tensor, std::int64_t words, int einsum) const {
    const auto [accesses, taken] = moved_of(tensor, static_cast<double>(words) * space_.repeats(einsum));
    return weights_.value(energy_pj(prices_.dram, {0.0, 0.0, accesses}), cycles(prices_.dram, {0.0, 0.0, taken}));
}

// Whole accesses, and words of the bandwidth.
Share Members::moved_of(int tensor, double words) const {
    const std::int64_t bits = space_.tensor(tensor).bits;
    if (bits == 0) return {words, words};
    constexpr double kNearlyOne = 1.0 - 1e-12;
    const Share share = share_of(prices_.dram, bits);
    return {std::ceil(words * share.accesses * kNearlyOne), words * share.bandwidth};
}

int Members::axis_of(int einsum, int operand, int dimension) const {
    const Access& access = space_.cascade().einsums[place(einsum)].accesses[place(operand)];
    for (int a = 0; a < static_cast<int>(access.coordinates.size()); ++a)
        if (space_.dimension_on(einsum, operand, a) == dimension) return a;
    return -1;
}

bool Members::may_be_sliced(int tensor) const {
    return space_.tensor(tensor).readers.size() == 1 && space_.may_stay(tensor, space_.count());
}

const std::vector<Choice>& Members::choices(const Making& making, double budget) {
    const auto [entry, is_new] = choices_.try_emplace(making);
    KnownChoices& known = entry->second;
    if (!is_new && budget <= known.budget) return known.choices;
    known.budget = is_new ? budget : budget + 0.5 * std::max(0.0, budget - floor(making));  // for the next times
    known.choices.clear();
    choose({making}, 0, known.budget, known.choices);
    return known.choices;
}

void Members::choose(const Draft& draft, int operand, double budget, std::vector<Choice>& all) {
    const std::vector<Operand>& operands = this->operands(draft.making.einsum, draft.making.driven);
    if (operand == static_cast<int>(operands.size())) return finish(draft, budget, all);
    const auto next = [&](const Draft& more) { choose(more, operand + 1, budget, all); };
    const Operand& one = operands[place(operand)];
    if (one.written) return next(draft);
    Draft by_itself = draft;
    const Need none{.tensor = one.tensor, .stay = Stay::not_shared, .words_each = 0, .bits_each = 0};
    if (space_.is_private(one.tensor) || add(walks_, by_itself.needs, none)) next(by_itself);
    share(draft, operand, one, next);
    stay(draft, operand, one, next);
    slice(draft, operand, one, next);
}

Need Members::need_of(const Making& making, int operand, const Operand& one) {
    Need need{one.tensor, Stay::while_used, one.axes, making.made, one.words_each, bits_of(one.tensor, one.words_each)};
    for (std::size_t k = 0; k < 2; ++k)
        if (making.driven[k] >= 0)
            need.steps[k] = walks_.reached(making.made[k], making.einsum, operand, one.axes[k], making.driven[k]);
    return need;
}

// In a store that all readers of the group share; weights are left to leaves, or stay.
void Members::share(Draft draft, int operand, const Operand& one, const std::function<void(const Draft&)>& next) {
    if (one.moves != Moves::with_all) return;
    const CascadeTensor& tensor = space_.tensor(one.tensor);
    if (tensor.writers.empty() ? tensor.role != TensorRole::input : !one.whole) return;
    Need need = need_of(draft.making, operand, one);
    draft.making.held |= 1U << static_cast<unsigned>(operand);
    for (const Stay stay : {Stay::while_used, Stay::throughout}) {
        need.stay = stay;
        const bool others_may_need_more = stay == Stay::throughout && tensor.readers.size() > 1;
        if (ways_to_keep(walks_, need).empty() && !others_may_need_more) continue;
        Draft more = draft;
        if (add(walks_, more.needs, need)) next(more);
    }
}

// In the buffer for all steps, or for those of the inner loop.
void Members::stay(Draft draft, int operand, const Operand& one, const std::function<void(const Draft&)>& next) {
    const Making& making = draft.making;
    const bool inner_steps = !walks_.is_one_step(making.made[1]);
    const bool for_all = one.moves == Moves::never && (inner_steps || !walks_.is_one_step(making.made[0]));
    const bool for_inner = one.moves == Moves::with_outer && inner_steps;
    if (!for_all && !for_inner) return;
    const int once = walks_.even(1, 1);
    Need need{one.tensor,     for_all ? Stay::for_all_steps : Stay::for_inner,
              one.axes,       {once, once},
              one.words_each, bits_of(one.tensor, one.words_each)};
    if (for_inner) {
        need.steps[0] = walks_.reached(making.made[0], making.einsum, operand, one.axes[0], making.driven[0]);
        if (walks_.overlaps(need.steps[0])) return;
    }
    draft.making.held |= 1U << static_cast<unsigned>(operand);
    if (!space_.is_private(one.tensor)) {
        if (add(walks_, draft.needs, need)) next(draft);
        return;
    }
    draft.fixed += bringing(one.tensor, walks_[need.steps[0]].total * one.words_each, making.einsum);
    draft.throughout += tile_bits(walks_, need);
    next(draft);
}

// Made slice by slice, by an einsum before; one slice is kept, or all that a tile or lines hold.
void Members::slice(Draft draft, int operand, const Operand& one, const std::function<void(const Draft&)>& next) {
    const Making& making = draft.making;
    const int axis = making.sliced < 0 ? -1 : axis_of(making.einsum, operand, making.sliced);
    if (axis < 0 || axis == one.axes[0] || axis == one.axes[1]) return;
    if (one.moves != Moves::with_all || !one.whole || !may_be_sliced(one.tensor)) return;
    Need need = need_of(making, operand, one);
    draft.making.held |= 1U << static_cast<unsigned>(operand);
    Draft sliced = draft;
    sliced.inner.push_back({one.tensor, one.axes, need.steps, axis, tile_bits(walks_, need) / making.slices});
    next(sliced);
    need.stay = Stay::throughout;
    for (const Kept& kept : ways_to_keep(walks_, need)) {
        Draft whole = draft;
        whole.throughout += kept.bits;
        whole.inner.push_back({one.tensor, one.axes, kept.made, axis, 0});
        next(whole);
    }
}

void Members::finish(const Draft& draft, double budget, std::vector<Choice>& all) {
    const double value = draft.fixed + floor(draft.making);
    if (draft.throughout > prices_.capacity_bits || value >= budget) return;
    all.push_back({draft.needs, draft.inner, draft.throughout, value});
}

// Boxes of equal extents, and how often they are made.
template <typename Visit>
void Members::each_box(const Making& making, const Visit& visit) const {
    BoxOfLeaf box{{}, making.held, making.sums ? making.slices - 1 : 0};
    for (const Dimension& dimension : space_.einsum(making.einsum).dimensions) box.extents.push_back(dimension.extent);
    if (making.sliced >= 0) box.extents[place(making.sliced)] /= making.slices;
    const double calls_each = making.sums ? 1.0 : static_cast<double>(making.slices);
    for (const auto& [outer, outer_times] : walks_[making.made[0]].how_often)
        for (const auto& [inner, inner_times] : walks_[making.made[1]].how_often) {
            if (making.driven[0] >= 0) box.extents[place(making.driven[0])] = outer;
            if (making.driven[1] >= 0) box.extents[place(making.driven[1])] = inner;
            visit(box, calls_each * static_cast<double>(outer_times * inner_times) * space_.repeats(making.einsum));
        }
}

double Members::floor(const Making& making) {
    const auto [entry, is_new] = floors_.try_emplace(making);
    if (!is_new) return entry->second;
    Nests& nests = nests_[shape_[place(making.einsum)]];
    double all = 0.0;
    each_box(making, [&](const BoxOfLeaf& box, double times) { all += nests.floor(box) * times; });
    return entry->second = all;
}

double Members::floor_inside(const Making& making, const Nests::Paid& paid) {
    Nests& nests = nests_[shape_[place(making.einsum)]];
    double all = 0.0;
    each_box(making, [&](const BoxOfLeaf& box, double times) { all += nests.floor_inside(box.extents, paid) * times; });
    return all;
}

}  // namespace tilewright::certificate::fused_proof
